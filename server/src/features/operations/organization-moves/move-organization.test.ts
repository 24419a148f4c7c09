import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { Conflict } from '#errors.ts'
import { keyOfExport } from '#features/operations/organization-export/run-export.ts'
import type { TestCaller } from '#test/caller.ts'
import { feedIsWhole } from '#test/events.ts'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addLinkedUnit, until } from '#test/linked-units.ts'
import { openPopulatedWorld, type PopulatedWorld } from '#test/populated-world.ts'
import { addSpace } from '#test/records.ts'
import { runSql } from '#test/run-sql.ts'
import { shareWorld } from '#test/share-world.ts'
import type { TestOrganization, World } from '#test/world.ts'
import type { Cell, MoveOptions } from './cell.ts'
import { abortMove, finishMove, moveOrganization } from './move-organization.ts'
import { movedTables, tablesNotMoved } from './moved-tables.ts'

let populated: PopulatedWorld
let source: World
before(async () => {
  populated = await openPopulatedWorld()
  source = populated.world
  // Past their time, but in a partition that is still there.
  await runSql(
    source,
    sql`insert into events (org_id, type, data, occurred_at)
      values (${source.home.id}, 'unit.updated', '{"isOld":true}', now() - interval '91 days')`,
  )
  await runSql(source, sql`update guest_erasures set status = 'completed', plan = null, completed_at = now()`)
})
after(() => populated[Symbol.asyncDispose]())
const { world: target } = shareWorld(() => ({
  env: {
    SECRET_KEYS: source.config.secrets.keys
      .map(({ id, bytes }) => `${id}:${Buffer.from(bytes).toString('base64')}`)
      .join(),
  },
}))

const cellOf = ({ config, resources: { storage } }: World): Cell => ({ config, storage })
const move = (
  { id }: TestOrganization,
  [from, to]: [World, World],
  {
    switchRoute = async () => {},
    progress = () => {},
  }: Partial<Pick<MoveOptions, 'switchRoute' | 'progress'>> = {},
) =>
  moveOrganization({
    ...{ orgId: id, to: 'other', source: cellOf(from), target: cellOf(to), switchRoute, progress },
  })
const abort = ({ id }: TestOrganization) =>
  abortMove({ orgId: id, to: 'other', source: cellOf(source), target: cellOf(target), progress: () => {} })
const ownerAt = async ({ issuer, caller }: World, { id, accountId }: TestOrganization): Promise<TestCaller> =>
  caller(await issuer.sign({ sub: 'ana', org_id: id, account_id: accountId, role: 'owner' }))
const read = async (caller: TestCaller, path: string) =>
  expectStatus(await caller.get(`/api/v1/${path}`), 200)
const interruptedAt = (stage: string) => ({
  progress: (what: string) => {
    if (what === stage) throw new Error('interrupted')
  },
})

test('every table of organizations moves, or is named with the reason why not', async () => {
  const tables = await runSql(
    target,
    sql<{ name: string }>`
      select table_name::text as name
      from information_schema.columns
      join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and column_name = 'org_id' and table_type = 'BASE TABLE'`,
  )
  assert.deepEqual(
    [...tables.map(({ name }) => name), 'organizations', 'queue.jobs'].sort(),
    [...movedTables.map(({ name }) => name), ...Object.keys(tablesNotMoved)].sort(),
  )
})

suite('a move that does not come to its end', () => {
  test('is rejected when the other cell cannot open the secrets, or has the same bucket', async () => {
    const { config, storage } = cellOf(target)
    const options = { orgId: source.away.id, to: 'other', switchRoute: async () => {}, progress: () => {} }
    const keys = [{ id: 'test', bytes: Buffer.alloc(32) }] as unknown as typeof config.secrets.keys
    const other = { config: { ...config, secrets: { ...config.secrets, keys } }, storage }
    await assert.rejects(
      moveOrganization({ ...options, source: cellOf(source), target: other }),
      /the key test/,
    )
    await assert.rejects(move(source.away, [source, { ...target, resources: source.resources }]), /bucket/)
    await addSpace(await ownerAt(source, source.away))
  })

  test('is undone, and leaves nothing in the other cell', async () => {
    const { away } = source
    await assert.rejects(abort(away), Conflict)
    await assert.rejects(move(away, [source, target], interruptedAt('switch')), /interrupted/)
    const [here, there] = [await ownerAt(source, away), await ownerAt(target, away)]
    expectStatus(await here.get('/api/v1/units'), 200)
    expectProblem(await here.post('/api/v1/spaces', { name: 'New' }), 503, 'organization-frozen')
    expectProblem(await there.get('/api/v1/units'), 421, 'organization-moved')
    await abort(away)
    await addSpace(here)
    assert.deepEqual(await runSql(target, sql`select 1 from organizations where id = ${away.id}`), [])
    expectProblem(await there.get('/api/v1/units'), 403, 'forbidden')
  })

  test('is undone before the freeze, without effect on those who use it', async () => {
    const { away } = source
    await assert.rejects(move(away, [source, target], interruptedAt('freeze')), /interrupted/)
    expectProblem(await (await ownerAt(target, away)).get('/api/v1/units'), 421, 'organization-moved')
    await addSpace(await ownerAt(source, away))
    await abort(away)
    assert.deepEqual(await runSql(target, sql`select 1 from organizations where id = ${away.id}`), [])
  })

  test('goes on where it was interrupted, also when the rest was deleted before', async () => {
    const { away } = source
    const { targetId } = await addLinkedUnit(await ownerAt(source, away))
    await assert.rejects(move(away, [source, target], interruptedAt('events')), /interrupted/)
    await assert.rejects(move(away, [source, target], interruptedAt('switch')), /interrupted/)
    const switchRoute = () => Promise.reject(new Error('the router is down'))
    await assert.rejects(move(away, [source, target], { switchRoute }), /the router is down/)
    for (const world of [source, target])
      expectProblem(await (await ownerAt(world, away)).get('/api/v1/units'), 421, 'organization-moved')
    await assert.rejects(abort(away), Conflict)
    await finishMove({ orgId: away.id, source: cellOf(source) })
    const routed: string[] = []
    await move(away, [source, target], { switchRoute: async (keys) => void routed.push(...keys) })
    for (const id of [away.id, targetId]) assert.ok(routed.includes(id), id)
    await move(away, [source, target])
    await addSpace(await ownerAt(target, away))
  })
})

suite('an organization that has moved', () => {
  let there: TestCaller
  const lists = ['spaces', 'units', 'rate-plans', 'bookings', 'charges', 'quotes', 'audit', 'channel-targets']
  const webhooks = ['webhook-endpoints', 'webhook-deliveries']
  const rest = ['channel-listings', ...webhooks, 'notifications', 'imports', 'exports']
  const readAll = async (caller: TestCaller) =>
    Object.fromEntries(
      await Promise.all(
        [...lists, ...rest].map(async (path) => [path, await read(caller, `${path}?limit=100`)]),
      ),
    ) as Record<string, Record<string, { status?: string }[]>>
  const addExportFile = async (): Promise<string> => {
    const id = populated.ids['export_id']!
    const key = keyOfExport(source.home.id, { id, attempt: 1 })
    const about = { contentType: 'application/x-tar', sizeBytes: 3 }
    await source.resources.storage.put(key, Readable.from(['tar']), about)
    await runSql(
      source,
      sql`
        update exports
        set status = 'completed', attempts = 1, size_bytes = 3, expires_at = now() + interval '7 days'
        where id = ${id}`,
    )
    return id
  }
  const once = (caller: TestCaller) =>
    caller.post('/api/v1/spaces', { name: 'Once' }, { 'idempotency-key': 'one' })
  let created: string
  let cursor: string
  let following: string[]
  let jobs: object[]
  const listJobs = (world: World) =>
    runSql(
      world,
      sql<object>`select id, queue, key, data, due_at from queue.jobs where org_id = ${source.home.id} order by id`,
    )

  test('has there what it had here', async () => {
    const here = populated.owner
    created = expectStatus(await once(here), 201).space.id
    await feedIsWhole(source)
    cursor = (await read(here, 'events?limit=3')).next_cursor
    const { events } = await read(here, `events?limit=100&after=${cursor}`)
    following = ids((events as { id: string; data: object }[]).filter(({ data }) => !('isOld' in data)))
    assert.ok(following.length > 0)
    jobs = await listJobs(source)
    assert.ok(jobs.length > 0)
    const exported = await addExportFile()
    const before = await readAll(here)
    const routed: string[] = []
    const switchRoute = async (keys: readonly string[]) => void routed.push(...keys)
    const { frozenMs } = await move(source.home, [source, target], { switchRoute })
    assert.ok(frozenMs! > 0)
    for (const id of [source.home.id, populated.ids['channel_target_id']!]) assert.ok(routed.includes(id), id)
    there = await ownerAt(target, source.home)
    assert.deepEqual(await readAll(there), before)
    const { media } = await read(there, `media/${populated.ids['media_id']}`)
    assert.equal((await fetch(`${target.url}${new URL(media.url).pathname}`)).status, 200)
    const { download } = expectStatus(await there.post(`/api/v1/exports/${exported}/download`), 200)
    assert.equal(await (await fetch(`${target.url}${new URL(download.url).pathname}`)).text(), 'tar')
  })

  test('is not served here', async () => {
    expectProblem(await populated.owner.get('/api/v1/units'), 421, 'organization-moved')
    expectProblem(await populated.owner.get('/api/v1/auth/session'), 421, 'organization-moved')
    expectProblem(await once(populated.owner), 421, 'organization-moved')
    assert.deepEqual(await listJobs(source), [])
  })

  test('goes on with its feed, its repeated requests and its jobs', async () => {
    assert.deepEqual(await listJobs(target), jobs)
    const repeated = await once(there)
    assert.equal(expectStatus(repeated, 201).space.id, created)
    assert.equal(repeated.headers.get('idempotent-replayed'), 'true')
    const { id } = await addSpace(there)
    const { events } = await until(
      () => read(there, `events?limit=100&after=${cursor}`),
      (page) => page.events.length > following.length,
    )
    assert.deepEqual(ids(events).slice(0, -1), following)
    assert.equal(events.at(-1).subject_id, id)
  })

  test('moves back when the rest of it is deleted', async () => {
    await assert.rejects(move(source.home, [target, source]), Conflict)
    const [file] = await runSql(
      source,
      sql<{ key: string }>`select key from media_files where org_id = ${source.home.id} limit 1`,
    )
    await runSql(source, sql`update organizations set identity_id = 'tenant-1' where id = ${source.home.id}`)
    await finishMove({ orgId: source.home.id, source: cellOf(source) })
    for (const { name } of movedTables) {
      const column = sql.ref(name === 'organizations' ? 'id' : 'org_id')
      const left = await runSql(
        source,
        sql`select 1 from ${sql.ref(name)} where ${column} = ${source.home.id}`,
      )
      assert.deepEqual(left, [], name)
    }
    assert.equal(await source.resources.storage.sizeOf(file!.key), null)
    for (const claims of [{}, { org_id: 'tenant-1' }, { org_id: 'tenant-1', role: undefined }])
      expectProblem(
        await (await source.home.as('viewer', claims)).get('/api/v1/units'),
        421,
        'organization-moved',
      )
    const before = await readAll(there)
    await move(source.home, [target, source])
    const here = await ownerAt(source, source.home)
    assert.deepEqual(await readAll(here), before)
    await addSpace(here)
    expectProblem(await there.get('/api/v1/units'), 421, 'organization-moved')
  })
})
