import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, suite, test } from 'node:test'
import { callerFor, type Reply, type TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { withClient } from './databases.ts'
import { startFaultProxy, type FaultProxy } from './fault-proxy.ts'
import type { NodeProcess } from './node-process.ts'
import { startTestProcess } from './test-process.ts'
import { addUnit } from './records.ts'
import { atPms, addLinkedUnit, setPrice, statusOf, until } from './linked-units.ts'
import { openWorld, type World } from './world.ts'

/** The API and a worker as in production, with connections to other parts that can be interrupted. */
const secretKeys = `test:${randomBytes(32).toString('base64')}`
const internalToken = randomBytes(16).toString('hex')
const options = { timeout: 120_000 }
let world: World
let postgres: FaultProxy
let api: NodeProcess
let worker: NodeProcess
let owner: TestCaller

before(async () => {
  world = await openWorld({ env: { SECRET_KEYS: secretKeys } })
  postgres = await startFaultProxy(world.config.database.url)
  const env = {
    PORT: '0',
    DATABASE_URL: postgres.url,
    DATABASE_POOL_SIZE: '4',
    DATABASE_TIMEOUT_MS: '5000',
    VACANCY_HOME: world.config.home,
    OIDC_ISSUER: world.config.identity.issuer,
    OIDC_AUDIENCE: world.config.identity.audience,
    SECRET_KEYS: secretKeys,
    INTERNAL_SERVICE_TOKEN: internalToken,
    GENERIC_PMS_URL: world.pms.url,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    LOG_LEVEL: 'error',
  }
  api = await startTestProcess('api', env)
  worker = await startTestProcess('worker', env)
  const { token } = await world.home.as('owner')
  owner = callerFor(api.facts.url!, token)
})
afterEach(() => postgres.set({ mode: 'pass' }))
after(async () => {
  await worker[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
  await postgres[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

function assertUnavailable(reply: Reply): void {
  assert.deepEqual([reply.status, reply.body?.code], [503, 'unavailable'], reply.text)
  assert.match(reply.headers.get('content-type') ?? '', /^application\/problem\+json/)
  assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
}

const write = (n: number) => owner.post('/api/v1/spaces', { name: `Outage ${n}` })
const healthy = () =>
  until(
    () => owner.get('/health/ready'),
    ({ status }) => status === 200,
    30,
  )

suite('PostgreSQL', () => {
  test('changes a table for long: reads of it get 503, and no other', options, async () => {
    await withClient(world.databaseUrl, async (client) => {
      await client.query('begin')
      await client.query('lock table seasons in access exclusive mode')
      const [locked, other] = await Promise.all(
        ['seasons', 'spaces'].map((list) => owner.get(`/api/v1/${list}`)),
      )
      assertUnavailable(locked!)
      expectStatus(other!, 200)
      await client.query('rollback')
    })
    expectStatus(await owner.get('/api/v1/seasons'), 200)
  })

  for (const mode of ['blackhole', 'refuse', 'reset'] as const)
    test(
      `is unavailable (${mode}): reads and writes get 503, then everything works again`,
      options,
      async () => {
        const linked = await addLinkedUnit(owner, { debounce_ms: 0 })
        await until(
          () => statusOf(owner, linked),
          ({ in_sync }) => in_sync,
        )
        await postgres.set({ mode })
        // More requests than connections of the pool: those that wait get the response too.
        const requests = [
          ...Array.from({ length: 12 }, (_, n) => write(n)),
          ...['/api/v1/spaces', '/health/ready'].map((path) => owner.get(path)),
        ]
        for (const reply of await Promise.all(requests)) assertUnavailable(reply)
        const { checks } = expectStatus(await owner.get('/health'), 200)
        assert.equal(checks.database, 'unhealthy')

        await postgres.set({ mode: 'pass' })
        await healthy()
        for (let n = 0; n < 8; n++) expectStatus(await write(n), 201)
        await setPrice(owner, linked, 47_000)
        await until(
          () => statusOf(owner, linked),
          ({ in_sync }) => in_sync,
        )
        assert.equal((await atPms(world, linked))?.['base_price_cents'], 47_000)
      },
    )

  test('the answer to a commit is lost: the same key again has one effect', options, async () => {
    const unit = await addUnit(owner, { quantity: 1 })
    const body = {
      ...{
        unitId: unit.id,
        guestName: 'Ana',
        checkIn: '2031-05-01',
        checkOut: '2031-05-03',
        totalCents: 20_000,
      },
    }
    const key = { 'idempotency-key': 'outage-commit' }
    await postgres.set(
      { mode: 'drop_reply', sent: /outage-commit/, reply: /COMMIT\0/, times: 1 },
      'to_client',
    )
    assertUnavailable(await owner.post('/api/v1/bookings', body, key))
    assert.equal(postgres.dropped(), 1)
    const again = await owner.post('/api/v1/bookings', body, key)
    expectStatus(again, 201)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    const { bookings } = expectStatus(await owner.get(`/api/v1/bookings?unit_id=${unit.id}`), 200)
    assert.deepEqual(
      bookings.map(({ id }: { id: string }) => id),
      [again.body.booking.id],
    )
  })

  test('a slow connection only slows requests', options, async () => {
    await postgres.set({ mode: 'delay', ms: 150 })
    expectStatus(await write(1), 201)
  })

  test('no process has ended', async () => {
    assert.equal(expectStatus(await owner.get('/health'), 200).checks.database, 'healthy')
    assert.deepEqual([api.exitCode(), worker.exitCode()], [null, null])
  })
})
