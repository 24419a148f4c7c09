import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { unprivilegedUser } from '../server/test/own-cluster.ts'
import { startSentinels, type OwnSentinels } from '../server/test/own-sentinels.ts'
import { migrateAs, openCluster, type Cluster } from './cluster.ts'
import { acceptsConnections, findProgram, programProcess, root } from './managed-process.ts'
import { reservePort } from '../server/test/reserve-port.ts'
import { configurationFolder, startPatroni, type PatroniCluster } from './patroni.ts'

/** An installation without a single point of failure but HAProxy and PgBouncer, which every machine has its own of. */
export interface FailoverCluster extends AsyncDisposable {
  cluster: Cluster
  patroni: PatroniCluster
  sentinels: OwnSentinels
  /** The database through PgBouncer. */
  poolerUrl: string
  /** The console of PgBouncer. */
  poolerConsoleUrl: string
  /** Whether HAProxy sends requests to both API processes. */
  isBalanced(): Promise<boolean>
  /** Runs the migrations of the current build. */
  migrate(): Promise<void>
}

/** Starts everything with the configuration in deploy/high-availability, and the product from the folder of a build. */
export async function openFailoverCluster(build = root): Promise<FailoverCluster> {
  const [postgresPort, poolerPort] = [await reservePort(), await reservePort()]
  const [standbyPort, apiPort, monitoringPort] = [
    await reservePort(),
    await reservePort(),
    await reservePort(),
  ]
  const password = randomBytes(12).toString('hex')
  const urlAt = (port: number, database = 'vacancy') =>
    `postgres://vacancy:${password}@127.0.0.1:${port}/${database}`
  let patroni: PatroniCluster
  let sentinels: OwnSentinels
  const cluster = await openCluster({
    build,
    publicUrl: `http://127.0.0.1:${apiPort}`,
    async startDatabase({ home, apiPorts, resources }) {
      sentinels = resources.use(await startSentinels())
      patroni = resources.use(await startPatroni(home, password))
      const [first, second] = patroni.members
      const haproxy = programProcess({
        ...{ name: 'haproxy', program: findProgram('haproxy')!, home },
        args: ['-f', join(configurationFolder, 'haproxy.cfg')],
        env: {
          POSTGRES_BIND: `127.0.0.1:${postgresPort}`,
          STANDBY_BIND: `127.0.0.1:${standbyPort}`,
          POSTGRES_1: `127.0.0.1:${first!.port}`,
          POSTGRES_2: `127.0.0.1:${second!.port}`,
          PATRONI_1_PORT: `${first!.restPort}`,
          PATRONI_2_PORT: `${second!.restPort}`,
          API_BIND: `127.0.0.1:${apiPort}`,
          API_1: `127.0.0.1:${apiPorts[0]}`,
          API_2: `127.0.0.1:${apiPorts[1]}`,
          MONITORING_BIND: `127.0.0.1:${monitoringPort}`,
        },
        isReady: () => acceptsConnections(apiPort),
      })
      resources.defer(async () => void (await haproxy.kill('SIGTERM')))
      await haproxy.start()
      while (!(await patroni.isRedundant())) await sleep(200)
      await createDatabase(urlAt(postgresPort, 'postgres'))
      const pooler = poolerProcess(home, { poolerPort, postgresPort, password })
      resources.defer(async () => void (await pooler.kill('SIGTERM')))
      await pooler.start()
      return urlAt(postgresPort)
    },
    async intercept(part, url) {
      if (part === 'redis') return sentinels.url
      return part === 'postgres' ? urlAt(poolerPort) : url
    },
    env: (databaseUrl) => ({
      DATABASE_DIRECT_URL: databaseUrl,
      DATABASE_READ_URL: urlAt(standbyPort),
      DATABASE_PREPARE: 'false',
      REDIS_SENTINELS: sentinels.sentinels,
      TRUST_PROXY: '1',
    }),
  })
  return {
    ...{ cluster, patroni: patroni!, sentinels: sentinels! },
    poolerUrl: urlAt(poolerPort),
    poolerConsoleUrl: urlAt(poolerPort, 'pgbouncer'),
    async isBalanced() {
      const response = await fetch(`http://127.0.0.1:${monitoringPort}/;csv`)
      const servers = (await response.text()).split('\n').filter((line) => /^api,api-\d/.test(line))
      return servers.length === 2 && servers.every((line) => line.split(',')[17] === 'UP')
    },
    migrate: () => migrateAs(root, urlAt(postgresPort)),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

/** HAProxy may not have found the leader yet. */
async function createDatabase(url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('create database vacancy')
      return
    } catch (error) {
      if ((error as { code?: string }).code?.startsWith('4')) throw error
      await sleep(200)
    } finally {
      await client.end().catch(() => {})
    }
  }
}

function poolerProcess(
  home: string,
  { poolerPort, postgresPort, password }: { poolerPort: number; postgresPort: number; password: string },
) {
  const runAs = unprivilegedUser()
  const folder = join(home, 'pgbouncer')
  const give = (path: string) => runAs && chownSync(path, runAs.uid, runAs.gid)
  const path = (name: string) => join(folder, name)
  mkdirSync(folder, { mode: 0o700 })
  const text = readFileSync(join(configurationFolder, 'pgbouncer.ini'), 'utf8')
  const settings = text
    .replace('port=5000', `port=${postgresPort}`)
    .replace('listen_port = 6432', `listen_port = ${poolerPort}`)
    .replace('/etc/pgbouncer/userlist.txt', path('users'))
  writeFileSync(path('pgbouncer.ini'), `${settings}stats_users = vacancy\n`)
  writeFileSync(path('users'), `"vacancy" "${password}"\n`)
  for (const one of [folder, path('pgbouncer.ini'), path('users')]) give(one)
  return programProcess({
    ...{ name: 'pgbouncer', program: findProgram('pgbouncer')!, home, runAs, args: [path('pgbouncer.ini')] },
    isReady: () => acceptsConnections(poolerPort),
  })
}
