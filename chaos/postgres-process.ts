import { readdirSync, readFileSync } from 'node:fs'
import { signal, waitForExit } from '../server/src/start/processes.ts'
import { startPostgres, type Postgres, type PostgresOptions } from '../server/src/start/postgres.ts'
import type { ManagedProcess } from './managed-process.ts'

export interface PostgresProcess extends ManagedProcess {
  url(): string
  dataDir(): string
}

/** A durable PostgreSQL. SIGKILL ends all of its processes at once, as in a power failure. */
export function postgresProcess(options: PostgresOptions & { preferredPort: number }): PostgresProcess {
  let running: Postgres | undefined
  let isAlive = false
  return {
    name: 'postgres',
    pid: () => running!.pid,
    isRunning: () => isAlive,
    url: () => running!.url,
    dataDir: () => running!.dataDir,
    async kill(name) {
      if (!running || !isAlive) return null
      isAlive = false
      if (name === 'SIGTERM') await running.stop()
      else {
        // The server first, so that it cannot recover from the end of its children.
        const all = [running.pid, ...childrenOf(running.pid)]
        for (const pid of all) signal(pid, 'SIGKILL')
        for (const pid of all) await waitForExit(pid, 5_000)
      }
      return null
    },
    async start() {
      const startedAt = performance.now()
      running = await startPostgres({ isDurable: true, ...options })
      if (running.port !== options.preferredPort)
        throw new Error(`PostgreSQL started on port ${running.port}, not ${options.preferredPort}.`)
      isAlive = true
      return performance.now() - startedAt
    },
    logTail: () => readFileSync(running!.logPath, 'utf8').split('\n').slice(-12).join('\n'),
  }
}

export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent)
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    // The process has ended meanwhile.
    return undefined
  }
}
