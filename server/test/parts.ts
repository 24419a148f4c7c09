// The real parts that tests run on: started here, or named by the environment.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openWorkshop } from './own-cluster.ts'
import { reservePort } from './reserve-port.ts'
import { startPostgres } from '#start/postgres.ts'
import { removeFolder } from './remove-folder.ts'

export type TestParts = {
  /** What the test files find in their environment. */
  env: Record<string, string>
  described: string
  /** Sentences about what this machine lacks. */
  missing: string[]
  close: () => Promise<void>
}

type Options = { home: string; env: NodeJS.ProcessEnv }

/** With `onInstalled` also the PostgreSQL of the machine, where there is one. */
export async function openTestParts(options: Options & { onInstalled?: boolean }): Promise<TestParts> {
  const { home, env, onInstalled = false } = options
  const find = (name: string) => findProgram(name, env)
  const external = globSync('/usr/lib/postgresql/*/bin/pg_ctl').at(-1) ?? find('pg_ctl')
  const [database, redis] = await Promise.all([
    openDatabase({ home, env }),
    openRedis(find('redis-server'), env),
  ])
  const installed =
    onInstalled && external && !database.isGiven ? await openInstalledDatabase(external, home) : undefined
  // Without visible windows, a browser takes little more than half of the processor time.
  const chromium =
    env['CHROMIUM_PATH'] ?? find('chromium-headless-shell') ?? find('chromium') ?? find('google-chrome')
  const pgbouncer = find('pgbouncer')
  const missing = [
    ...(redis ? [] : ['Redis (install the package redis-server)']),
    ...(chromium ? [] : ['Chromium (install the package chromium-headless-shell)']),
    ...(external || database.isGiven ? [] : ['an external PostgreSQL (install the package postgresql)']),
    ...(pgbouncer ? [] : ['PgBouncer (install the package pgbouncer)']),
  ]
  return {
    env: {
      TEST_DATABASE_URL: database.url,
      ...(redis && { TEST_REDIS_URL: redis.url }),
      ...(chromium && { TEST_CHROMIUM: chromium }),
      ...(external && { TEST_PG_CTL: external }),
      ...(installed && { TEST_INSTALLED_DATABASE_URL: installed.url }),
      ...(pgbouncer && { TEST_PGBOUNCER: pgbouncer }),
    },
    described: [database.described, installed?.described, redis?.described, chromium && 'Chromium']
      .filter(Boolean)
      .join(', '),
    missing,
    close: async () => {
      await Promise.all([database.close(), installed?.close(), redis?.close()])
    },
  }
}

async function openDatabase({ home, env }: Options) {
  const given = env['TEST_DATABASE_URL'] ?? env['DATABASE_URL']
  if (given) return { url: given, described: 'the given PostgreSQL', isGiven: true, close: async () => {} }
  const credentials = { user: 'vacancy', password: randomBytes(24).toString('hex'), database: 'vacancy' }
  const postgres = await startPostgres({ home, credentials, isDurable: false, maxConnections: 400 })
  const close = async () => {
    await postgres.stop()
    // Not always in the home: PostgreSQL may run as a user that cannot enter it.
    removeFolder(postgres.dataDir)
  }
  return { url: postgres.url, described: 'the embedded PostgreSQL', isGiven: false, close }
}

async function openInstalledDatabase(pgCtl: string, home: string) {
  const workshop = openWorkshop(pgCtl, home)
  const { url } = await workshop.startForMany()
  const close = () => workshop[Symbol.asyncDispose]()
  return { url, described: 'the PostgreSQL of this machine', close }
}

/** Ends with this process, like the database: a shell stops it when the pipe from here breaks. */
async function openRedis(program: string | undefined, env: NodeJS.ProcessEnv) {
  const given = env['TEST_REDIS_URL'] ?? env['REDIS_URL']
  if (given) return { url: given, described: 'the given Redis', close: async () => {} }
  if (!program) return undefined
  const port = await reservePort()
  const flags = `--port ${port} --bind 127.0.0.1 --save '' --appendonly no`
  const script = `"$0" ${flags} >/dev/null 2>&1 & read _; kill $!; wait $!`
  const child = spawn('/bin/sh', ['-c', script, program], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  await waitForPort(port)
  const close = () =>
    new Promise<void>((resolve) => {
      child.once('exit', () => resolve())
      child.stdin.end()
    })
  return { url: `redis://127.0.0.1:${port}`, described: 'Redis', close }
}

async function waitForPort(port: number) {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (await accepts(port)) return
    await sleep(20)
  }
  throw new Error(
    `Nothing answers on port ${port} after 10 s: look for what keeps redis-server from starting.`,
  )
}

function accepts(port: number) {
  return new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => (socket.destroy(), resolve(true)))
    socket.once('error', () => resolve(false))
  })
}

export function findProgram(name: string, env: NodeJS.ProcessEnv) {
  const folders = (env['PATH'] ?? '').split(delimiter).concat('/usr/bin', '/usr/local/bin', '/usr/sbin')
  return globSync(folders.map((folder) => join(folder, name))).at(0)
}
