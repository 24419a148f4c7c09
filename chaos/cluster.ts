import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startIssuer } from '../sandbox/src/identity/issuer.ts'
import type { Database } from '../server/src/db/connect.ts'
import type { Statement } from '../server/src/db/sql.ts'
import { openOwner } from '../server/src/features/tenancy/provisioning/provision.ts'
import { insertAccount, insertOrganization } from '../server/src/features/tenancy/provisioning/queries.ts'
import { callerFor, type TestCaller } from '../server/test/caller.ts'
import { childEnvironment } from '../server/test/node-process.ts'
import {
  findProgram,
  restartableProcess,
  redisProcess,
  root,
  type RestartableProcess,
  type ManagedProcess,
} from './managed-process.ts'
import { reservePort } from '../server/test/reserve-port.ts'
import { postgresProcess, type PostgresProcess } from './postgres-process.ts'
import { removeFolder } from '../server/test/remove-folder.ts'

/** The product as in production: every part is a process that can be killed and started again. */
export interface Cluster extends AsyncDisposable {
  /** A temporary folder, removed at the end. */
  home: string
  postgres: PostgresProcess
  /** Null when this machine has no redis-server. */
  redis: ManagedProcess | null
  apis: RestartableProcess[]
  workers: RestartableProcess[]
  /** The sandbox PMS, payments and mail, with their own URLs, also where a proxy is in between. */
  sandbox: Sandbox
  organization: { id: string; accountId: string }
  /** One for each API process, or for the proxy, of an owner without rate limits. */
  clients: TestCaller[]
  /** A token of the owner, valid for hours; the claims can be replaced. */
  token(claims?: Record<string, unknown>): Promise<string>
  internalToken: string
  issuer: Awaited<ReturnType<typeof startIssuer>>
  /** Queries the database directly, without a proxy. */
  query<Row>(statement: Statement<Row>): Promise<Row[]>
  /** Resources in this stack are closed with the cluster. */
  resources: AsyncDisposableStack
}

export interface Sandbox {
  process: RestartableProcess
  pmsUrl: string
  paymentsUrl: string
  mailUrl: string
  smtpUrl: string
  webhookSecret: string
}

export type InterceptedPart = 'postgres' | 'redis' | 'pms' | 'payments' | 'smtp'

export interface ClusterOptions {
  apis?: number
  workers?: number
  /** The folder of another build, which is started at first. */
  build?: string
  /** Settings of the API and the workers. */
  env?: Record<string, string> | ((databaseUrl: string) => Record<string, string>)
  /** Returns the URL that the product uses for a part, such as that of a proxy. */
  intercept?(part: InterceptedPart, url: string): Promise<string>
  /** Starts what stands in place of the single PostgreSQL; returns the URL of an empty database. */
  startDatabase?(context: {
    home: string
    apiPorts: number[]
    resources: AsyncDisposableStack
  }): Promise<string>
  /** Where a proxy distributes requests to all API processes: the only address that clients know. */
  publicUrl?: string
}

export async function openCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { apis = 2, workers = 2, env: extraEnv = {}, intercept = async (_part, url) => url } = options
  await using opened = new AsyncDisposableStack()
  const home = mkdtempSync(join(tmpdir(), 'vacancy-chaos-'))
  opened.defer(() => removeFolder(home))

  const credentials = { user: 'vacancy', password: randomBytes(12).toString('hex'), database: 'vacancy' }
  const preferredPort = await reservePort()
  const apiPorts = await Promise.all(Array.from({ length: apis }, () => reservePort()))
  const urls = options.publicUrl ? [options.publicUrl] : apiPorts.map((port) => `http://127.0.0.1:${port}`)
  const postgres = postgresProcess({ home, credentials, preferredPort, maxConnections: 120 })
  const startSinglePostgres = async () => {
    await postgres.start()
    opened.defer(async () => {
      await postgres.kill('SIGTERM')
      removeFolder(postgres.dataDir())
    })
    return postgres.url()
  }
  const databaseUrl = await (options.startDatabase?.({ home, apiPorts, resources: opened }) ??
    startSinglePostgres())
  const redis = await openRedis(home, opened)
  const webhookSecret = 'whsec_chaos'
  const sandbox = await openSandbox(home, opened, {
    SANDBOX_PAYMENTS_WEBHOOK_URL: `${urls[0]}/webhooks/payments`,
    SANDBOX_PAYMENTS_WEBHOOK_SECRET: webhookSecret,
  })
  const issuer = await startIssuer()
  opened.defer(() => issuer.close())

  await migrateAs(options.build ?? root, databaseUrl)
  const owner = openOwner(databaseUrl)
  opened.defer(() => owner.close())
  const organization = await addOrganization(owner)
  const internalToken = randomBytes(16).toString('hex')
  const env = {
    VACANCY_HOME: join(home, 'vacancy'),
    HOST: '127.0.0.1',
    DATABASE_URL: await intercept('postgres', databaseUrl),
    DATABASE_POOL_SIZE: '8',
    ...(redis && { REDIS_URL: await intercept('redis', redis.url) }),
    OIDC_ISSUER: issuer.issuer,
    OIDC_AUDIENCE: issuer.audience,
    SECRET_KEYS: `chaos:${randomBytes(32).toString('base64')}`,
    INTERNAL_SERVICE_TOKEN: internalToken,
    GENERIC_PMS_URL: await intercept('pms', sandbox.pmsUrl),
    PAYMENTS_URL: await intercept('payments', sandbox.paymentsUrl),
    PAYMENTS_API_KEY: 'sk_test_chaos',
    PAYMENTS_WEBHOOK_SECRET: webhookSecret,
    SMTP_URL: await intercept('smtp', sandbox.smtpUrl),
    ALLOW_PRIVATE_ADDRESSES: 'true',
    SYNC_SAMPLE_SHARE: '0',
    LOG_LEVEL: 'warn',
    ...(typeof extraEnv === 'function' ? extraEnv(databaseUrl) : extraEnv),
  }
  const start = async (part: RestartableProcess) => {
    opened.defer(async () => void (await part.kill('SIGTERM')))
    await part.start(options.build === undefined ? {} : { root: options.build })
    return part
  }
  const startedApis = await Promise.all(
    apiPorts.map((port, at) =>
      start(
        restartableProcess({
          ...{ name: `api ${at + 1}`, file: 'server/bin/api.ts', home, flags: ['--max-semi-space-size=8'] },
          env: { ...env, PORT: String(port) },
        }),
      ),
    ),
  )
  const startedWorkers = await Promise.all(
    Array.from({ length: workers }, (_, at) =>
      start(
        restartableProcess({
          ...{
            name: `worker ${at + 1}`,
            file: 'server/bin/worker.ts',
            home,
            flags: ['--max-semi-space-size=4'],
          },
          env,
        }),
      ),
    ),
  )

  const token = (claims: Record<string, unknown> = {}) =>
    issuer.sign({
      ...{ sub: 'operator', email: 'operator@chaos.example', name: 'Operator', role: 'owner' },
      ...{ org_id: organization.id, account_id: organization.accountId },
      // Scenarios are longer than the usual lifetime of a token, and clocks may be an hour behind.
      iat: Math.floor(Date.now() / 1_000) - 2 * 3_600,
      exp: Math.floor(Date.now() / 1_000) + 6 * 3_600,
      ...claims,
    })
  const ownerToken = await token()
  const clients = urls.map((url) => callerFor(url, ownerToken, { 'x-internal-token': internalToken }))
  const resources = opened.move()
  return {
    home,
    postgres,
    redis: redis?.part ?? null,
    apis: startedApis,
    workers: startedWorkers,
    sandbox: { ...sandbox, webhookSecret },
    organization,
    clients,
    token,
    internalToken,
    issuer,
    query: async <Row>(statement: Statement<Row>) =>
      (await owner.pipelined({ orgId: organization.id }, [statement]))[0],
    resources: resources,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Runs `vacancy migrate` of a build. */
export async function migrateAs(build: string, databaseUrl: string): Promise<void> {
  await promisify(execFile)(process.execPath, [join(build, 'server/bin/vacancy.ts'), 'migrate'], {
    env: childEnvironment({ DATABASE_URL: databaseUrl }),
  })
}

async function openRedis(home: string, opened: AsyncDisposableStack) {
  const program = findProgram('redis-server')
  if (program === undefined) return null
  const port = await reservePort()
  const part = redisProcess({ program, home, port })
  await part.start()
  opened.defer(async () => void (await part.kill('SIGKILL')))
  return { part, url: `redis://127.0.0.1:${port}` }
}

async function openSandbox(home: string, opened: AsyncDisposableStack, env: Record<string, string>) {
  const sandbox = restartableProcess({ name: 'sandbox', file: 'sandbox/bin/sandbox.ts', home, env })
  await sandbox.start()
  opened.defer(async () => void (await sandbox.kill('SIGTERM')))
  const facts = sandbox.facts()
  return {
    process: sandbox,
    pmsUrl: facts.pms_url!,
    paymentsUrl: facts.payments_url!,
    mailUrl: facts.mail_url!,
    smtpUrl: facts.smtp_url!,
  }
}

async function addOrganization(owner: Database) {
  const settings = { default_currency: 'eur', default_timezone: 'Europe/Lisbon' }
  const name = `Chaos ${randomUUID().slice(0, 4)}`
  const { id } = await insertOrganization(owner, { name, tier: 'enterprise', settings })
  return { id, accountId: (await insertAccount(owner, id, 'Chaos')).id }
}
