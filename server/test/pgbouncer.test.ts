import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import { openApp } from '#app.ts'
import { openQueueDatabase, openResources } from '#resources.ts'
import { callerFor, type TestCaller } from './caller.ts'
import { cloneDatabase } from './databases.ts'
import { expectStatus } from './expect.ts'
import { pgbouncer, startPgBouncer, type PgBouncerOptions } from './own-pgbouncer.ts'
import { runCommand } from './run-command.ts'
import { startTestProcess } from './test-process.ts'
import { atPms, addLinkedUnit, setPrice, statusOf, until, type LinkedUnit } from './linked-units.ts'
import { followSyncs } from './sync-stream.ts'
import { openWorld, type World, type WorldEnvironment } from './world.ts'

/** PgBouncer between the processes and PostgreSQL: the startup parameters of a session are lost. */

/** The startup parameters that PgBouncer ignores when configured to, and refuses otherwise. */
const startUpParameters = 'options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout'

const modes: Record<string, { pooler: PgBouncerOptions; prepare: boolean }> = {
  'session mode, which drops start-up parameters': {
    pooler: { mode: 'session', poolSize: 40, ignoredParameters: startUpParameters },
    prepare: true,
  },
  'transaction mode, which drops start-up parameters': {
    pooler: { mode: 'transaction', poolSize: 4, ignoredParameters: startUpParameters },
    prepare: false,
  },
  'transaction mode, which refuses start-up parameters': {
    pooler: { mode: 'transaction', poolSize: 4 },
    prepare: false,
  },
}

async function openPooled(
  options: PgBouncerOptions,
  env: (directUrl: string) => Record<string, string>,
): Promise<{ world: World } & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const pooler = opened.use(await startPgBouncer(options))
  const settings: WorldEnvironment = (url) => ({ DATABASE_URL: pooler.urlOf(url), ...env(url) })
  const world = opened.use(await openWorld({ workers: true, env: settings }))
  const kept = opened.move()
  return { world, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** A second API process: its own pool, cache and listener. */
async function secondApi(world: World): Promise<{ url: string } & AsyncDisposable> {
  const resources = await openResources(world.config, 'api')
  const app = await openApp(resources)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url,
    async [Symbol.asyncDispose]() {
      await app.close()
      await resources.close()
    },
  }
}

const isSynced = (owner: TestCaller, linked: LinkedUnit) =>
  until(
    () => statusOf(owner, linked),
    ({ in_sync }) => in_sync,
  )

const sessionStatus = async (caller: TestCaller) => (await caller.get('/api/v1/auth/session')).status

/** A sign-out in one process is effective in another one that has cached the token. */
async function assertSignOutApplies(world: World): Promise<void> {
  await using second = await secondApi(world)
  const here = await world.home.as('viewer')
  const there = callerFor(second.url, here.token)
  assert.equal(await sessionStatus(there), 200)
  expectStatus(await here.post('/api/v1/auth/logout'), 200)
  await until(
    () => sessionStatus(there),
    (status) => status === 401,
    20,
  )
}

async function assertChangesArrive(world: World, price: number): Promise<void> {
  const owner = await world.home.as('owner')
  const linked = await addLinkedUnit(owner, { debounce_ms: 0 })
  await isSynced(owner, linked)
  await using stream = await followSyncs(world.url, owner)
  await until(
    async () => stream.received,
    (received) => received.length > 0,
  )
  await setPrice(owner, linked, price)
  await isSynced(owner, linked)
  assert.equal((await atPms(world, linked))?.['base_price_cents'], price)
  await until(
    async () => stream.received,
    (received) =>
      received.some(
        ({ data }) => data.channel_listing_id === linked.listingId && data.status === 'completed',
      ),
  )
}

const checksOf = async (world: World) => expectStatus(await world.caller(null).get('/health'), 200)

if (pgbouncer) {
  for (const [name, { pooler, prepare }] of Object.entries(modes))
    suite(`behind PgBouncer in ${name}`, () => {
      let opened: Awaited<ReturnType<typeof openPooled>>
      before(async () => {
        opened = await openPooled(pooler, (direct) => ({
          DATABASE_DIRECT_URL: direct,
          DATABASE_PREPARE: String(prepare),
        }))
      })
      after(() => opened[Symbol.asyncDispose]())

      const ask = async <Row>(orgId: string | null, statement: Statement<Row>, sharesConnection = false) =>
        (await opened.world.resources.database.pipelined({ orgId, sharesConnection }, [statement]))[0]

      test('every transaction runs under the restricted role, reads and writes, many at once', async () => {
        const whoami = sql<{ role: string }>`select current_user::text as role`
        const { database } = opened.world.resources
        const found = await Promise.all(
          Array.from({ length: 60 }, (_, at) =>
            at % 2 ? ask(null, whoami) : database.transaction({ orgId: null }, ({ run }) => run(whoami)),
          ),
        )
        assert.deepEqual([...new Set(found.map(([row]) => row!.role))], ['vacancy_app'])
        const queue = await openQueueDatabase(opened.world.config, () => {})
        try {
          assert.deepEqual(await queue.pipelined({ orgId: null }, [whoami]), [[{ role: 'vacancy_queue' }]])
        } finally {
          await queue.close()
        }
      })

      test('an organization sees its own rows only, although the query forgets to ask', async () => {
        const { home, away } = opened.world
        const seen = await Promise.all(
          Array.from({ length: 100 }, async (_, at) => {
            const { id } = at % 2 ? home : away
            const rows = await ask(id, sql<{ id: string }>`select id from organizations`, at > 50)
            return rows.length === 1 && rows[0]!.id === id
          }),
        )
        assert.deepEqual(new Set(seen), new Set([true]))
        assert.deepEqual(await ask(null, sql`select id from organizations`), [])
      })

      test('no statement, lock or idle transaction lasts longer than the process allows', async () => {
        const settings = sql`select current_setting('statement_timeout') as statement,
          current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle`
        assert.deepEqual(await ask(null, settings), [{ statement: '1min', lock: '48s', idle: '15s' }])
      })

      test('a change is pushed, and streams tell of it', () => assertChangesArrive(opened.world, 23_400))

      test('sign-out applies in every process', () => assertSignOutApplies(opened.world))

      test('notifications are received, and health says so', async () => {
        const { status, checks } = await checksOf(opened.world)
        assert.deepEqual([status, checks.notifications], ['healthy', 'healthy'])
      })
    })

  suite('behind PgBouncer in transaction mode, without a direct connection', () => {
    let opened: Awaited<ReturnType<typeof openPooled>>
    before(async () => {
      opened = await openPooled({ mode: 'transaction', poolSize: 8 }, () => ({ DATABASE_PREPARE: 'false' }))
    })
    after(() => opened[Symbol.asyncDispose]())

    test('health says that notifications are not received', async () => {
      const { status, checks } = await checksOf(opened.world)
      assert.deepEqual([status, checks.notifications, checks.database], ['degraded', 'unhealthy', 'healthy'])
      expectStatus(await opened.world.caller(null).get('/health/ready'), 200)
    })

    test('the doctor reports it too', async () => {
      const { databaseUrl, config } = opened.world
      const { output } = await runCommand(['doctor', '--json'], {
        ...{ DATABASE_URL: config.database.url, DATABASE_OWNER_URL: databaseUrl, DATABASE_PREPARE: 'false' },
        ...{ OIDC_ISSUER: config.identity.issuer, OIDC_AUDIENCE: config.identity.audience },
        SECRET_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
      })
      const { checks } = JSON.parse(output) as { checks: { name: string; ok: boolean }[] }
      const found = Object.fromEntries(checks.map(({ name, ok }) => [name, ok]))
      assert.deepEqual([found['Notifications'], found['Tenant isolation']], [false, true], output)
    })

    test('sign-out applies in every process nevertheless', () => assertSignOutApplies(opened.world))

    test('changes are pushed, and a stream ends so that its reader reads the state again', async () => {
      const { world } = opened
      const owner = await world.home.as('owner')
      const linked = await addLinkedUnit(owner, { debounce_ms: 0 })
      await isSynced(owner, linked)
      await using stream = await followSyncs(world.url, owner)
      await setPrice(owner, linked, 34_500)
      await isSynced(owner, linked)
      assert.equal((await atPms(world, linked))?.['base_price_cents'], 34_500)
      await stream.ended
    })
  })

  suite('behind PgBouncer in transaction mode, with prepared statements', () => {
    test('no process starts, and the sentence names the setting', async () => {
      await using clone = await cloneDatabase()
      await using pooler = await startPgBouncer({ mode: 'transaction' })
      const env = {
        ...{ DATABASE_URL: pooler.urlOf(clone.url), DATABASE_DIRECT_URL: clone.url, PORT: '0' },
        ...{ OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_AUDIENCE: 'nobody', LOG_LEVEL: 'silent' },
        SECRET_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
      }
      for (const entrance of ['api', 'worker'] as const)
        await assert.rejects(startTestProcess(entrance, env), /DATABASE_PREPARE=false/)
    })
  })

  suite('behind PgBouncer in session mode, without a direct connection', () => {
    test('notifications are received through it', async () => {
      await using opened = await openPooled({ mode: 'session', poolSize: 40 }, () => ({}))
      assert.equal((await checksOf(opened.world)).checks.notifications, 'healthy')
      await assertChangesArrive(opened.world, 45_600)
      await assertSignOutApplies(opened.world)
    })
  })
}
