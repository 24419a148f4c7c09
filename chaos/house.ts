import { randomBytes, randomUUID } from 'node:crypto'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { startIssuer } from '../sandbox/src/issuer.ts'
import type { Database, Statement } from '../server/src/db/connect.ts'
import { openOwner } from '../server/src/features/provisioning/provision.ts'
import { insertAccount, insertOrganization } from '../server/src/features/provisioning/queries.ts'
import { bringUpToDate } from '../server/src/up-to-date.ts'
import { openDoor, type Door } from './door.ts'
import { forkedPart, redisPart, steadyPort, type ForkedPart, type Part } from './part.ts'
import { postgresPart, type PostgresPart } from './postgres-part.ts'

/** The product as it runs in production, every part in a process of its own that can be killed and comes back. */
export interface House extends AsyncDisposable {
  /** A folder of its own, removed at the end. */
  home: string
  postgres: PostgresPart
  /** Null when this machine has no redis-server. */
  redis: Part | null
  apis: ForkedPart[]
  workers: ForkedPart[]
  /** The stand-ins: PMS, payments, mail. Their addresses here are the real ones, whatever stands between. */
  outside: Outside
  organization: { id: string; accountId: string }
  /** One for each API process, of an operator who may do everything and is not counted against limits. */
  doors: Door[]
  /** A token of the operator that lives for hours, with other claims if told so. */
  token(claims?: Record<string, unknown>): Promise<string>
  internalToken: string
  issuer: Awaited<ReturnType<typeof startIssuer>>
  /** Asks the database itself, past the product and past whatever stands between. */
  query<Row>(statement: Statement<Row>): Promise<Row[]>
  /** Whatever is thrown in here is closed with the house. */
  parts: AsyncDisposableStack
}

export interface Outside {
  part: ForkedPart
  pmsUrl: string
  paymentsUrl: string
  mailUrl: string
  smtpUrl: string
  webhookSecret: string
}

export type Between = 'postgres' | 'redis' | 'pms' | 'payments' | 'smtp'

export interface HouseOptions {
  apis?: number
  workers?: number
  /** Settings of the API and the workers. */
  env?: Record<string, string>
  /** The address that the product is given for a part; a proxy may stand there. */
  between?(part: Between, url: string): Promise<string>
}

export async function openHouse(options: HouseOptions = {}): Promise<House> {
  const { apis = 2, workers = 2, env: more = {}, between = async (_part, url) => url } = options
  await using opened = new AsyncDisposableStack()
  const home = mkdtempSync(join(tmpdir(), 'vacancy-chaos-'))
  opened.defer(() => rmSync(home, { recursive: true, force: true }))

  const credentials = { user: 'vacancy', password: randomBytes(12).toString('hex'), database: 'vacancy' }
  const preferredPort = await steadyPort()
  const postgres = postgresPart({ home, credentials, preferredPort, maxConnections: 120 })
  await postgres.start()
  opened.defer(async () => {
    await postgres.kill('SIGTERM')
    rmSync(postgres.dataDir(), { recursive: true, force: true })
  })
  const redis = await openRedis(home, opened)
  const webhookSecret = 'whsec_chaos'
  const apiPorts = await Promise.all(Array.from({ length: apis }, () => steadyPort()))
  const outside = await openOutside(home, opened, {
    SANDBOX_PAYMENTS_WEBHOOK_URL: `http://127.0.0.1:${apiPorts[0]}/webhooks/payments`,
    SANDBOX_PAYMENTS_WEBHOOK_SECRET: webhookSecret,
  })
  const issuer = await startIssuer()
  opened.defer(() => issuer.close())

  const databaseUrl = postgres.url()
  await bringUpToDate(databaseUrl)
  const owner = openOwner(databaseUrl)
  opened.defer(() => owner.close())
  const organization = await addOrganization(owner)
  const internalToken = randomBytes(16).toString('hex')
  const env = {
    VACANCY_HOME: join(home, 'vacancy'),
    HOST: '127.0.0.1',
    DATABASE_URL: await between('postgres', databaseUrl),
    DATABASE_POOL_SIZE: '8',
    ...(redis && { REDIS_URL: await between('redis', redis.url) }),
    OIDC_ISSUER: issuer.issuer,
    OIDC_AUDIENCE: issuer.audience,
    SECRET_KEYS: `chaos:${randomBytes(32).toString('base64')}`,
    INTERNAL_SERVICE_TOKEN: internalToken,
    PMS_SANDBOX_URL: await between('pms', outside.pmsUrl),
    PAYMENTS_URL: await between('payments', outside.paymentsUrl),
    PAYMENTS_API_KEY: 'sk_test_chaos',
    PAYMENTS_WEBHOOK_SECRET: webhookSecret,
    SMTP_URL: await between('smtp', outside.smtpUrl),
    ALLOW_PRIVATE_ADDRESSES: 'true',
    SYNC_SAMPLE_SHARE: '0',
    LOG_LEVEL: 'warn',
    ...more,
  }
  const start = async (part: ForkedPart) => {
    opened.defer(async () => void (await part.kill('SIGTERM')))
    await part.start()
    return part
  }
  const startedApis = await Promise.all(
    apiPorts.map((port, at) =>
      start(
        forkedPart({
          ...{ name: `api ${at + 1}`, file: 'server/bin/api.ts', home, flags: ['--max-semi-space-size=8'] },
          env: { ...env, PORT: String(port) },
        }),
      ),
    ),
  )
  const startedWorkers = await Promise.all(
    Array.from({ length: workers }, (_, at) =>
      start(
        forkedPart({
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
      // A busy machine takes longer than a token of the usual age lasts, and clocks may be an hour behind.
      iat: Math.floor(Date.now() / 1_000) - 2 * 3_600,
      exp: Math.floor(Date.now() / 1_000) + 6 * 3_600,
      ...claims,
    })
  const headers = { authorization: `Bearer ${await token()}`, 'x-internal-token': internalToken }
  const doors = apiPorts.map((port) => openDoor(`http://127.0.0.1:${port}`, headers))
  opened.defer(() => doors.forEach((door) => door.close()))
  const kept = opened.move()
  return {
    home,
    postgres,
    redis: redis?.part ?? null,
    apis: startedApis,
    workers: startedWorkers,
    outside: { ...outside, webhookSecret },
    organization,
    doors,
    token,
    internalToken,
    issuer,
    query: async <Row>(statement: Statement<Row>) =>
      (await owner.pipelined({ orgId: organization.id }, [statement]))[0] as Row[],
    parts: kept,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function openRedis(home: string, opened: AsyncDisposableStack) {
  const folders = (process.env['PATH'] ?? '').split(delimiter).concat('/usr/bin', '/usr/local/bin')
  const [program] = globSync(folders.map((folder) => join(folder, 'redis-server')))
  if (program === undefined) return null
  const port = await steadyPort()
  const part = redisPart({ program, home, port })
  await part.start()
  opened.defer(async () => void (await part.kill('SIGKILL')))
  return { part, url: `redis://127.0.0.1:${port}` }
}

async function openOutside(home: string, opened: AsyncDisposableStack, env: Record<string, string>) {
  const part = forkedPart({ name: 'outside', file: 'sandbox/bin/sandbox.ts', home, env })
  await part.start()
  opened.defer(async () => void (await part.kill('SIGTERM')))
  const facts = part.facts() as Record<'pms_url' | 'payments_url' | 'mail_url' | 'smtp_url', string>
  return {
    part,
    pmsUrl: facts.pms_url,
    paymentsUrl: facts.payments_url,
    mailUrl: facts.mail_url,
    smtpUrl: facts.smtp_url,
  }
}

async function addOrganization(owner: Database) {
  const settings = { default_currency: 'eur', default_timezone: 'Europe/Lisbon' }
  const name = `Chaos ${randomUUID().slice(0, 4)}`
  const { id } = await insertOrganization(owner, { name, tier: 'enterprise', settings })
  return { id, accountId: (await insertAccount(owner, id, 'Chaos')).id }
}
