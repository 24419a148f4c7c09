import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reservePort } from './reserve-port.ts'
import { unprivilegedUser } from './own-cluster.ts'
import { removeFolder } from './remove-folder.ts'

/** The program of PgBouncer; without it the runner says so at its end, and CI does not begin. */
export const pgbouncer: string | undefined = process.env['TEST_PGBOUNCER']

export interface PgBouncerOptions {
  mode: 'session' | 'transaction'
  /** Connections to PostgreSQL for each database and login. */
  poolSize?: number
  /** Start-up parameters that are dropped without a word; all others but its own few are refused. */
  ignoredParameters?: string
  /** A free one if left out. */
  port?: number
  program?: string
  /** The PostgreSQL behind it; that of the tests if left out. */
  serverUrl?: string
}

export interface OwnPgBouncer extends AsyncDisposable {
  /** The address of the same database through the pooler. */
  urlOf(databaseUrl: string): string
}

/** A PgBouncer of a test's own, in front of the PostgreSQL that the tests run on. */
export async function startPgBouncer(options: PgBouncerOptions): Promise<OwnPgBouncer> {
  const { program = pgbouncer!, serverUrl = process.env['TEST_DATABASE_URL']! } = options
  const server = new URL(serverUrl)
  const runAs = unprivilegedUser()
  const folder = mkdtempSync(join(tmpdir(), 'vacancy-pgbouncer-'))
  const port = options.port ?? (await reservePort())
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    if (runAs) chownSync(join(folder, name), runAs.uid, runAs.gid)
  }
  chmodSync(folder, 0o711)
  write('users', `"${decodeURIComponent(server.username)}" "${decodeURIComponent(server.password)}"\n`)
  write('settings', settingsOf({ ...options, folder, port, server }))
  const child = spawn(program, [join(folder, 'settings')], {
    ...runAs,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await new Promise<void>((ready, reject) => {
    let log = ''
    child.stderr.on('data', (text) => {
      log += String(text)
      if (log.includes('process up')) ready()
    })
    child.once('exit', () => reject(new Error(`PgBouncer does not start: ${log}`)))
  })
  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl)
      url.hostname = '127.0.0.1'
      url.port = String(port)
      return url.href
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      removeFolder(folder)
    },
  }
}

type Place = { folder: string; port: number; server: URL }

const settingsOf = ({
  mode,
  poolSize = 8,
  ignoredParameters,
  folder,
  port,
  server,
}: PgBouncerOptions & Place) => `
[databases]
* = host=${server.hostname} port=${server.port || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = ${mode}
default_pool_size = ${poolSize}
max_client_conn = 500
${ignoredParameters ? `ignore_startup_parameters = ${ignoredParameters}` : ''}
`
