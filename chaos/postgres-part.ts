import { readdirSync, readFileSync } from 'node:fs'
import { signal, hasEndedWithin } from '../server/src/start/processes.ts'
import { startPostgres, type Postgres, type PostgresOptions } from '../server/src/start/postgres.ts'
import type { Part } from './part.ts'

export interface PostgresPart extends Part {
  url(): string
  dataDir(): string
}

/** A durable PostgreSQL that is killed with all of its processes at once, as when the machine loses its power. */
export function postgresPart(options: PostgresOptions & { preferredPort: number }): PostgresPart {
  let running: Postgres | undefined
  let isOn = false
  return {
    name: 'postgres',
    pid: () => running!.pid,
    isRunning: () => isOn,
    url: () => running!.url,
    dataDir: () => running!.dataDir,
    async kill(name) {
      if (!running || !isOn) return null
      isOn = false
      if (name === 'SIGTERM') await running.stop()
      else {
        // The server first: it must not see one of its children die and put things in order.
        const all = [running.pid, ...childrenOf(running.pid)]
        for (const pid of all) signal(pid, 'SIGKILL')
        for (const pid of all) await hasEndedWithin(pid, 5_000)
      }
      return null
    },
    async start() {
      const startedAt = performance.now()
      running = await startPostgres({ isDurable: true, ...options })
      if (running.port !== options.preferredPort)
        throw new Error(`PostgreSQL came back on port ${running.port}, not ${options.preferredPort}.`)
      isOn = true
      return performance.now() - startedAt
    },
    said: () => readFileSync(running!.logPath, 'utf8').split('\n').slice(-12).join('\n'),
  }
}

function childrenOf(parent: number): number[] {
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
    // It has ended while the folder was read.
    return undefined
  }
}
