import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { atomically, type Scope } from '#db/scope.ts'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addSpace, addUnit, unknownId } from '#test/records.ts'
import { plansOf } from '#test/channex-live.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import type { TestOrganization } from '#test/world.ts'
import { recordEvents } from './record-events.ts'

const { world, owner, stranger } = shareWorld()

const path = '/api/v1/events'

interface Feed {
  events: {
    id: string
    type: string
    subject_id: string
    occurred_at: string
    data: Record<string, object>
  }[]
  next_cursor: string
  has_more: boolean
}
const read = async (query: string, caller = owner): Promise<Feed> =>
  expectStatus(await caller.get(`${path}?${query}`), 200) as Feed

/** Reads all pages; returns the events and the last cursor. */
async function walk(query = '', after: string | null = null, caller = owner) {
  const found: Feed['events'] = []
  for (let place = after; ;) {
    const page = await read(`${query}${place ? `&after=${place}` : ''}`, caller)
    found.push(...page.events)
    place = page.next_cursor
    if (!page.has_more) return { found, place }
  }
}
/** Waits until no older transaction of the cluster is open, so that every event appears. */
const walkUntil = (count: number, query: string, after: string) =>
  until(
    () => walk(query, after),
    ({ found }) => found.length >= count,
  )

const scopeOf = ({ id: orgId, accountId }: TestOrganization): Scope => ({
  ...{ orgId, accountId, actor: { type: 'system', id: 'test', name: 'Test' }, traceparent: null },
  ...{ database: world.resources.database },
})
const event = (n: number, type: 'payment.failed' | 'payment.refunded' = 'payment.failed') => ({
  ...{ type, accountId: null, subjectId: null, data: { n } },
})

suite('event feed', () => {
  test('contains changes of spaces and units, oldest first, and only changes', async () => {
    const { place } = await walk()
    const space = await addSpace(owner)
    const unit = await addUnit(owner, { space_id: space.id })
    const [plan] = await plansOf(owner, unit.id)
    const patch = (fields: object) => owner.patch(`/api/v1/spaces/${space.id}`, fields)
    const { space: named } = expectStatus(await patch({ name: 'New name' }), 200)
    await patch({ name: 'New name' })
    await owner.delete(`/api/v1/spaces/${space.id}`)
    await owner.patch(`/api/v1/units/${unit.id}`, { max_guests: 7 })
    await owner.delete(`/api/v1/units/${unit.id}`)
    await owner.delete(`/api/v1/spaces/${space.id}`)
    const { found } = await walkUntil(8, 'limit=2', place)
    assert.deepEqual(
      found.map(({ type, subject_id }) => [type, subject_id]),
      [
        ['space.created', space.id],
        ['unit.created', unit.id],
        ['rate_plan.created', plan!.id],
        ['space.updated', space.id],
        ['unit.updated', unit.id],
        ['unit.deleted', unit.id],
        ['rate_plan.deleted', plan!.id],
        ['space.deleted', space.id],
      ],
    )
    assert.deepEqual(found[1]!.data['unit'], unit)
    assert.deepEqual(found[2]!.data['rate_plan'], plan)
    assert.deepEqual(found[3]!.data['space'], named)
    assert.deepEqual(found[7]!.data['space'], named)
    const one = await owner.get(`${path}/${found[0]!.id}`)
    assert.deepEqual(expectStatus(one, 200).event, found[0])
    expectProblem(await owner.get(`${path}/${unknownId}`), 404, 'not-found')
    const types = await walk('types=unit.updated&types=space.deleted', place)
    assert.deepEqual(types.found, [found[4], found[7]])
    assert.equal(
      types.place,
      (await walk('limit=1', place)).place,
      'also what was not asked for is behind it',
    )
  })

  test('the last page has a cursor too, and an altered one is refused', async () => {
    const { place } = await walk()
    const again = await read(`after=${place}`)
    assert.deepEqual([again.events, again.next_cursor, again.has_more], [[], place, false])
    for (const bad of ['AAAA', place.slice(0, -2), `${place.startsWith('A') ? 'B' : 'A'}${place.slice(1)}`])
      expectProblem(await owner.get(`${path}?after=${bad}`), 400, 'invalid-cursor')
    expectProblem(await stranger.get(`${path}?cursor=${place}`), 400, 'invalid-cursor')
    for (const [query, pointer] of [
      ['wait=21', '/wait'],
      ['limit=0', '/limit'],
      ['types=guest.left', '/types'],
    ])
      expectProblem(await owner.get(`${path}?${query}`), 400, 'validation-error', pointer!)
  })

  test('ends a wait in time although the clock does not', async (context) => {
    const { place } = await walk()
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const signal = AbortSignal.timeout(15_000)
    const ended = await Promise.race([
      read(`after=${place}&wait=1&types=payment.refunded`),
      new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null))),
    ])
    assert.deepEqual(ended?.events, [])
  })

  test('waits for the next event', async () => {
    const { place } = await walk()
    const waits: number[] = []
    // Another transaction of the cluster may be open for longer than a request waits.
    const waiting = until(
      () => (waits.push(Date.now()), read(`after=${place}&wait=20&types=payment.refunded`)),
      ({ events }) => events.length > 0,
    )
    for (const one of [event(1), event(2, 'payment.refunded')])
      await atomically(scopeOf(world.home), (transaction) => recordEvents(transaction, [one]))
    const { events } = await waiting
    assert.equal(events.length, 1)
    assert.deepEqual(events[0]!.data, { n: 2 })
    assert.ok(waits.length <= 1 + (Date.now() - waits[0]!) / 15_000, waits.join())
    const headers = { authorization: `Bearer ${owner.token}` }
    const abandoned = fetch(`${world.url}${path}?after=${(await walk()).place}&wait=20`, {
      headers,
      signal: AbortSignal.timeout(100),
    })
    await assert.rejects(abandoned)
  })

  test('misses and repeats nothing with eight concurrent writers', async () => {
    const { place } = await walk()
    const perWriter = 40
    let open = 8
    const committed: number[] = []
    const writers = Array.from({ length: open }, async (_, writer) => {
      for (let round = 0; round < perWriter; round++) {
        const n = writer * 1_000 + round
        await atomically(scopeOf(world.home), async (transaction) => {
          await recordEvents(transaction, [event(n)])
          // Those that began first often end last.
          await sleep(Math.random() * 12)
          await recordEvents(transaction, [event(n + 0.5)])
          if (round % 10 === 9) throw new Error('changed its mind')
        }).then(
          () => committed.push(n, n + 0.5),
          () => {},
        )
      }
      open--
    })
    const seen: number[] = []
    let after = place
    for (let quietRounds = 0; quietRounds < 200 && (open > 0 || seen.length < committed.length);) {
      const page = await read(`limit=7&after=${after}`)
      seen.push(...page.events.map(({ data }) => data['n'] as unknown as number))
      after = page.next_cursor
      if (page.events.length === 0) await sleep(open === 0 ? (quietRounds++, 100) : 1)
    }
    await Promise.all(writers)
    assert.equal(committed.length, 8 * 36 * 2)
    assert.deepEqual(
      [...seen].sort((a, b) => a - b),
      [...committed].sort((a, b) => a - b),
    )
    const { found } = await walk('limit=100', place)
    assert.deepEqual(
      found.map(({ data }) => data['n'] as unknown as number),
      seen,
      'the order stays',
    )
  })
})

suite('events of another cluster', () => {
  const run = (statement: ReturnType<typeof sql>, orgId: string | null = world.home.id) =>
    world.resources.database.pipelined({ orgId }, [statement])

  test('continues in a cluster that was restored from a dump', async () => {
    const { found } = await walk('limit=100')
    const { place } = await walk('limit=100')
    // Over there, transactions had come further than here.
    await run(sql`insert into events (org_id, type, data, transaction_id)
      values (${world.home.id}, 'unit.updated', '{"from":"dump"}', '900000000000')`)
    assert.equal((await walk('limit=100')).found.length, found.length)
    await run(sql`select number_restored_events()`, null)
    assert.deepEqual((await walk('limit=100')).found.filter(({ data }) => data['from']).length, 1)
    assert.deepEqual((await walk('', place)).found, [], 'it is older than what follows here')
  })
})

suite('event feed: security', () => {
  test('another organization sees nothing', async () => {
    await addSpace(owner)
    const own = await addSpace(stranger)
    const { found } = await walk('limit=100')
    const theirs = await until(
      () => walk('limit=100', null, stranger),
      (one) => one.found.length > 0,
    )
    assert.deepEqual(
      theirs.found.map(({ subject_id }) => subject_id),
      [own.id],
    )
    assert.ok(!ids(found).some((id) => ids(theirs.found).includes(id)))
    expectProblem(await stranger.get(`${path}/${found[0]!.id}`), 404, 'not-found')
    const elsewhere = await read(`org_id=${world.away.id}`)
    assert.deepEqual([elsewhere.events, elsewhere.has_more], [[], false])
  })

  test('requires its permission', async () => {
    expectProblem(await (await world.home.as('service')).get(path), 403, 'forbidden')
    const reader = await world.home.as('service', { permissions: ['events:read'] })
    expectStatus(await reader.get(path), 200)
  })
})

test('begins with what happens from now on when it is asked for the latest', async () => {
  const { place } = await walk()
  const before = await addSpace(owner)
  await until(
    () => walk('types=space.created', place),
    ({ found }) => found.some(({ subject_id }) => subject_id === before.id),
  )
  const { events, next_cursor, has_more } = await read('after=latest')
  assert.deepEqual([events, has_more], [[], false])
  const space = await addSpace(owner)
  const { found } = await walkUntil(1, 'types=space.created', next_cursor)
  assert.deepEqual(
    found.map(({ subject_id }) => subject_id),
    [space.id],
  )
})
