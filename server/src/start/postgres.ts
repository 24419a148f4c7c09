/** Starts and stops PostgreSQL with the programs that npm installed. */
import { spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { signalOnExit } from './signal-on-exit.ts'
import { preparePostgresBinaries, type Binaries } from './postgres-binaries.ts'
import { createCluster, type Credentials } from './postgres-cluster.ts'
import { removeLeftover, isReady, stopPostmaster, type Leftover } from './postgres-orphan.ts'
import { findDataDir, recordDataDir } from './postgres-folder.ts'
import { findFreePort } from './ports.ts'
import { waitForExit } from './processes.ts'

export interface PostgresOptions {
  /** The folder of the data and the log. */
  home: string
  credentials: Credentials
  /** Used when it is free; otherwise another port. */
  preferredPort?: number
  /** False only where the data is temporary. */
  isDurable?: boolean
  maxConnections?: number
}

export interface Postgres {
  url: string
  port: number
  pid: number
  dataDir: string
  logPath: string
  report: { runAs: string; wasCreated: boolean; leftover: Leftover; copiedTo?: string; startMs: number }
  /** Resolves with the reason when the server ends without being stopped. */
  lost: Promise<string>
  stop: (timeoutMs?: number) => Promise<void>
}

export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const startedAt = performance.now()
  const { home, credentials, isDurable = true } = options
  fs.mkdirSync(home, { recursive: true })
  const binaries = preparePostgresBinaries(home)
  const dataDir = findDataDir(home, binaries.runAs)
  const leftover = await removeLeftover(dataDir)
  const wasCreated = await createCluster({ binaries, dataDir, credentials, isDurable })
  recordDataDir(home, dataDir)
  const logPath = join(home, 'postgres.log')
  if (fs.existsSync(logPath)) fs.renameSync(logPath, join(home, 'postgres-before.log'))
  const { child, port } = await startOnFreePort(binaries, dataDir, logPath, options)
  const { user, password, database } = credentials
  let isStopping = false
  return {
    url: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
    port,
    pid: child.pid!,
    dataDir,
    logPath,
    report: {
      runAs: binaries.runAs?.name ?? 'this user',
      wasCreated,
      leftover,
      ...(binaries.copiedTo && { copiedTo: binaries.copiedTo }),
      startMs: Math.round(performance.now() - startedAt),
    },
    lost: new Promise((resolve) =>
      child.once(
        'exit',
        () => isStopping || resolve(`PostgreSQL ended (${lastErrors(logPath) || 'its log says nothing'})`),
      ),
    ),
    stop: async (timeoutMs = 6_000) => {
      isStopping = true
      await stopPostmaster(child.pid!, timeoutMs)
    },
  }
}

async function startOnFreePort(
  binaries: Binaries,
  dataDir: string,
  logPath: string,
  options: PostgresOptions,
): Promise<{ child: ChildProcess; port: number }> {
  let failure = ''
  for (let attempt = 0; attempt < 6; attempt++) {
    // Another program may bind the port before PostgreSQL does.
    const port = await findFreePort(attempt === 0 ? options.preferredPort : undefined)
    const child = spawnServer(binaries, dataDir, logPath, port, options)
    failure = await waitUntilReady(child, dataDir, logPath)
    if (!failure) return { child, port }
    // The children of a killed server hold its shared memory for another moment.
    await sleep(/shared memory|postmaster\.pid|starting up/.test(failure) ? 1_000 : 100)
  }
  throw new Error(`PostgreSQL does not start (its log is ${logPath}): ${failure}`)
}

function spawnServer(
  { bin, runAs }: Binaries,
  dataDir: string,
  logPath: string,
  port: number,
  { isDurable = true, maxConnections = 100 }: PostgresOptions,
) {
  const log = fs.openSync(logPath, 'w', 0o600)
  const settings = { ...tuning, ...(isDurable ? durable : volatile), port, max_connections: maxConnections }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // A session of its own: Ctrl-C in the terminal must not stop it before the API has closed its connections.
  const child = spawn(join(bin, 'postgres'), ['-D', dataDir, ...flags], {
    uid: runAs?.uid,
    gid: runAs?.gid,
    cwd: '/',
    detached: true,
    env: { LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', log, log],
  })
  fs.closeSync(log)
  if (child.pid) {
    const shutdownHook = signalOnExit(child.pid, 'INT')
    child.once('exit', shutdownHook.cancel)
  }
  return child
}

async function waitUntilReady(child: ChildProcess, dataDir: string, logPath: string) {
  let failure = ''
  child.once('error', (error) => (failure = error.message))
  child.once('exit', (code) => (failure = lastErrors(logPath) || `it ended with ${code}`))
  const deadline = performance.now() + 30_000
  while (!failure) {
    if (child.pid && isReady(dataDir, child.pid)) return ''
    if (performance.now() > deadline) {
      failure = 'it was not ready after 30 s'
      if (child.pid) await stopPostmaster(child.pid, 3_000)
    }
    await sleep(10)
  }
  if (child.pid) await waitForExit(child.pid, 3_000)
  return failure
}

function lastErrors(logPath: string) {
  const lines = fs.existsSync(logPath) ? fs.readFileSync(logPath, 'utf8').trim().split('\n') : []
  return lines
    .filter((line) => /FATAL|ERROR|PANIC|HINT|could not/.test(line))
    .slice(-3)
    .join(' ')
}

/** Small, for one machine that runs everything: about 30 MB of memory. */
const tuning = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '32MB',
  max_wal_size: '256MB',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_logical_replication_workers: 0,
  io_method: 'sync',
  jit: 'off',
  scram_iterations: 1024,
  log_min_messages: 'warning',
  log_line_prefix: '%m [%p] ',
}
const durable = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' }
const volatile = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
