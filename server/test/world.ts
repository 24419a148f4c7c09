import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startIssuer } from '../../sandbox/src/identity/issuer.ts'
import { startPayments } from '../../sandbox/src/payments/server.ts'
import { startPms } from '../../sandbox/src/pms/server.ts'
import { openApp } from '#app.ts'
import { readConfig, type Config } from '#config/config.ts'
import type { Database } from '#db/connect.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { insertAccount, insertOrganization } from '#features/tenancy/provisioning/queries.ts'
import type { Role } from '#http/permissions.ts'
import { openResources, connectWorkerQueue, type Resources } from '#resources.ts'
import { startWorkers } from '#workers.ts'
import { callerFor, type TestCaller } from './caller.ts'
import { cloneDatabase } from './databases.ts'
import { sql } from '#db/sql.ts'
import { removeFolder } from './remove-folder.ts'

/** An organization of a test, with a caller for each role. */
export interface TestOrganization {
  id: string
  accountId: string
  as(role: Role, claims?: Record<string, unknown>): Promise<TestCaller>
}

export interface World extends AsyncDisposable {
  /** Closes something else before the world is closed. */
  defer(close: () => unknown): void
  url: string
  databaseUrl: string
  config: Config
  resources: Resources
  issuer: Awaited<ReturnType<typeof startIssuer>>
  pms: Awaited<ReturnType<typeof startPms>>
  payments: Awaited<ReturnType<typeof startPayments>>
  /** The organization most tests act for, and a stranger to it. */
  home: TestOrganization
  away: TestOrganization
  /** A caller with any bearer token, or none. */
  caller(token: string | null): TestCaller
  /** Waits until no push is due or running and no job waits. */
  settled(): Promise<void>
  /** Makes changes while no worker runs: their jobs wait until all of them are made. */
  withoutWorkers<T>(change: () => Promise<T>): Promise<T>
}

/** Settings of a world, which may depend on the address of its database. */
export type WorldEnvironment = Record<string, string> | ((databaseUrl: string) => Record<string, string>)

export type WorldOptions = { workers?: boolean; env?: WorldEnvironment }

/**
 * One world for one test file: its own database cloned from a migrated template, the real API on a port of its
 * own, an issuer and a stand-in PMS. With `workers` the queues are worked in this process.
 */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  await using opened = new AsyncDisposableStack()
  const clone = opened.use(await cloneDatabase())
  // Such a key is made and used in a tenth of the time that RS256 takes.
  const issuer = await startIssuer({ alg: 'ES256' })
  opened.defer(() => issuer.close())
  const pms = await startPms({})
  opened.defer(() => pms.close())
  const webhookSecret = 'whsec_world'
  const payments = await startPayments({})
  opened.defer(() => payments.close())
  const folder = await mkdtemp(join(tmpdir(), 'vacancy-test-'))
  opened.defer(() => removeFolder(folder))
  const config = readConfig({
    VACANCY_HOME: folder,
    PORT: '0',
    DATABASE_URL: clone.url,
    DATABASE_POOL_SIZE: '6',
    // On a busy machine a statement, a lock and a connection may take long.
    DATABASE_TIMEOUT_MS: '60000',
    OIDC_ISSUER: issuer.issuer,
    OIDC_AUDIENCE: issuer.audience,
    SECRET_KEYS: `test:${randomBytes(32).toString('base64')}`,
    GENERIC_PMS_URL: pms.url,
    PAYMENTS_URL: payments.url,
    PAYMENTS_API_KEY: 'sk_test_world',
    PAYMENTS_WEBHOOK_SECRET: webhookSecret,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    LOG_LEVEL: 'silent',
    SYNC_SAMPLE_SHARE: '0',
    SYNC_VERIFY_AFTER_MS: '50',
    TEST_EMAIL_PER_HOUR: '10000',
    // A test asks more often in a minute than anybody; those of the limits want them.
    RATE_LIMITS: 'false',
    ...(typeof options.env === 'function' ? options.env(clone.url) : options.env),
  })
  const owner = openOwner(clone.url)
  opened.defer(() => owner.close())
  const resources = await openResources(config, 'api')
  opened.defer(() => resources.close())
  const app = await openApp(resources)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  payments.notify({ url: `${url}/webhooks/payments`, secret: webhookSecret })
  opened.defer(() => app.close())
  const work = async () => startWorkers(resources, await connectWorkerQueue(config))
  let stopWorkers = options.workers ? await work() : async () => {}
  opened.defer(() => stopWorkers(2_000))
  const caller = (token: string | null) => callerFor(url, token)
  const [home, away] = await addOrganizations(clone.url, ['Home', 'Away'], (claims) =>
    issuer.sign(claims).then(caller),
  )
  const kept = opened.move()
  return {
    url,
    databaseUrl: clone.url,
    config,
    resources,
    issuer,
    pms,
    payments,
    home: home!,
    away: away!,
    caller,
    settled: () => settled(owner),
    withoutWorkers: async (change) => {
      await stopWorkers(2_000)
      stopWorkers = async () => {}
      try {
        return await change()
      } finally {
        stopWorkers = await work()
      }
    },
    defer: (close) => kept.defer(() => Promise.resolve(close()).then(() => {})),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function addOrganizations(
  url: string,
  names: string[],
  sign: (claims: Record<string, unknown>) => Promise<TestCaller>,
): Promise<TestOrganization[]> {
  const owner = openOwner(url)
  try {
    const made: TestOrganization[] = []
    for (const name of names) {
      const settings = { default_currency: 'eur', default_timezone: 'Europe/Lisbon' }
      const { id } = await insertOrganization(owner, { name, tier: 'enterprise', settings })
      const account = await insertAccount(owner, id, name)
      made.push({
        id,
        accountId: account.id,
        as: (role, claims = {}) =>
          sign({
            sub: randomUUID(),
            email: `${role}@${name.toLowerCase()}.example`,
            name: `${name} ${role}`,
            org_id: id,
            account_id: account.id,
            role,
            ...claims,
          }),
      })
    }
    return made
  } finally {
    await owner.close()
  }
}

/** Waits until nothing is due or running and no job can run now. Fails after two minutes. */
async function settled(owner: Database): Promise<void> {
  const limit = Date.now() + 120_000
  for (;;) {
    const [busy] = await owner.pipelined({ orgId: null }, [
      sql<{ waiting: number }>`select count(*)::int as waiting from queue.jobs
        where due_at <= now() + interval '12 seconds'`,
    ])
    const { waiting } = busy[0]!
    if (waiting === 0) return
    assert.ok(Date.now() < limit, `${waiting} jobs still wait after two minutes`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
