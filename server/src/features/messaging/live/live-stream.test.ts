import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import { streamSlots } from '#http/stream-slots.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addLinkedUnit, until } from '#test/linked-units.ts'
import { addStay, askFor, atProvider, intentOf, pay } from '#test/payments.ts'
import { addSpace, addUnit } from '#test/records.ts'
import { followChanges, type ChangesEvent, type FollowedStream } from '#test/sync-stream.ts'
import { openWorld, type World } from '#test/world.ts'

let world: World
let owner: TestCaller

before(async () => {
  world = await openWorld({ workers: true })
  owner = await world.home.as('owner')
})
after(() => world[Symbol.asyncDispose]())

type Changes = ChangesEvent['data']

const begun = (stream: FollowedStream<ChangesEvent>) =>
  until(
    async () => stream.received,
    (received) => received.length > 0,
  )
/** The changes that the stream sent: each kind with all ids. */
const changesIn = ({ received }: FollowedStream<ChangesEvent>): Changes => {
  const all: Changes = {}
  for (const { event, data } of received)
    if (event === 'changes')
      for (const [kind, ids] of Object.entries(data))
        all[kind] = ids && all[kind] !== null ? [...(all[kind] ?? []), ...ids] : null
  return all
}
const waitForChange = (stream: FollowedStream<ChangesEvent>, kind: string, id: string | null) =>
  until(
    async () => changesIn(stream)[kind],
    (ids) => (id === null ? ids === null : (ids?.includes(id) ?? false)),
  )
/** The id with which a client continues: sync statuses have none. */
const lastId = ({ received }: FollowedStream<ChangesEvent>) => received.findLast(({ id }) => id)!.id
const night = (unit_id: string, price_cents: number) =>
  owner.post('/api/v1/calendar', {
    values: [{ unit_id, date_from: '2030-07-01', date_to: '2030-07-02', price_cents }],
  })
const book = async (unitId: string, checkIn: string, checkOut: string) =>
  expectStatus(
    await owner.post('/api/v1/bookings', {
      ...{ unitId, checkIn, checkOut, guestName: 'Ida', guests: 1, status: 'confirmed' },
    }),
    201,
  ).booking

suite('event stream', () => {
  test('is rejected with a problem while too many are open', async (context) => {
    const take = context.mock.method(streamSlots, 'take', () => false)
    for (const path of ['/api/v1/events/stream', '/api/v1/sync/stream'])
      expectProblem(await owner.get(path), 503, 'unavailable')
    assert.deepEqual(
      take.mock.calls.map(({ arguments: [orgId] }) => orgId),
      [world.home.id, world.home.id],
    )
  })

  test('names what has changed, by kind and id', async () => {
    await using stream = await followChanges(world.url, owner)
    await begun(stream)
    const { unitId, listingId, targetId } = await addLinkedUnit(owner)
    await waitForChange(stream, 'unit', unitId)
    await waitForChange(stream, 'channel_target', targetId)
    await waitForChange(stream, 'channel_listing', listingId)
    const plan = { unit_id: unitId, name: 'Flexible' }
    const { rate_plan } = expectStatus(await owner.post('/api/v1/rate-plans', plan), 201)
    await waitForChange(stream, 'rate_plan', rate_plan.id)
    expectStatus(await night(unitId, 9_900), 201)
    await waitForChange(stream, 'calendar', unitId)
    const booking = await book(unitId, '2030-08-01', '2030-08-03')
    await waitForChange(stream, 'booking', booking.id)
    const stay = { unit_id: unitId, check_in: '2030-09-01', check_out: '2030-09-03', guests: 1 }
    const { quote } = expectStatus(await owner.post('/api/v1/quotes', stay), 201)
    await waitForChange(stream, 'quote', quote.id)
    const calendar = { unit_id: unitId, direction: 'export', name: 'For others' }
    const { calendar_feed } = expectStatus(await owner.post('/api/v1/calendar-feeds', calendar), 201)
    await waitForChange(stream, 'calendar_feed', calendar_feed.id)
    expectStatus(await owner.post('/api/v1/sales-stops', { unit_id: unitId }), 201)
    await waitForChange(stream, 'sales_stop', null)
    await until(
      async () => stream.received.some(({ event }) => event === 'sync'),
      (isReceived) => isReceived,
    )
  })

  test('HEAD responds with the headers, and ends', async () => {
    for (const path of ['/api/v1/events/stream', '/api/v1/sync/stream']) {
      const { status, headers } = await owner.send('HEAD', path, {})
      assert.equal(status, 200, path)
      assert.match(headers.get('content-type')!, /^text\/event-stream/)
    }
  })

  test('tells of a booking that moves the calendars of both units', async () => {
    const space = await addSpace(owner)
    const [one, two] = [
      await addUnit(owner, { space_id: space.id }),
      await addUnit(owner, { space_id: space.id }),
    ]
    const booking = await book(one.id, '2030-08-01', '2030-08-03')
    await using stream = await followChanges(world.url, owner)
    await begun(stream)
    expectStatus(await owner.patch(`/api/v1/bookings/${booking.id}`, { unitId: two.id }), 200)
    await waitForChange(stream, 'calendar', one.id)
    await waitForChange(stream, 'calendar', two.id)
  })

  test('tells of payments and refunds without an event', async () => {
    await using first = await followChanges(world.url, owner)
    await begun(first)
    const intent = await askFor(owner, await addStay(owner))
    await waitForChange(first, 'payment_intent', intent.id)
    await pay(world, intent)
    await until(
      () => intentOf(owner, intent),
      ({ status }) => status === 'succeeded',
    )
    expectStatus(await owner.post(`/api/v1/payment-intents/${intent.id}/refunds`, {}), 201)
    await world.settled()
    const { refunds } = expectStatus(await owner.get(`/api/v1/refunds?payment_intent_id=${intent.id}`), 200)
    await using second = await followChanges(world.url, owner)
    await begun(second)
    const failed = { refund: refunds[0].provider_reference, status: 'failed' }
    await atProvider(world, 'POST', 'refunds/settle', failed)
    await waitForChange(second, 'refund', null)
    await waitForChange(second, 'payment_intent', intent.id)
  })

  test('goes on where it broke off, and names what was missed', async () => {
    const unit = await addUnit(owner)
    await using first = await followChanges(world.url, owner)
    await begun(first)
    expectStatus(await night(unit.id, 10_000), 201)
    await waitForChange(first, 'calendar', unit.id)
    const id = lastId(first)
    await first[Symbol.asyncDispose]()
    const booking = await book(unit.id, '2030-08-05', '2030-08-06')
    await using second = await followChanges(world.url, owner, id)
    await waitForChange(second, 'booking', booking.id)
    assert.equal(changesIn(second)['quote'], null, 'quotes are no events, so any may have changed')
    assert.ok(!second.received.some(({ event }) => event === 'reset'))
    await using third = await followChanges(world.url, owner, lastId(second))
    await waitForChange(third, 'quote', null)
    assert.ok(!third.received.some(({ event }) => event === 'reset'))
  })

  test('sends a reset when it cannot know what was missed', async () => {
    await using begin = await followChanges(world.url, owner)
    await begun(begin)
    const [serverStart, place] = lastId(begin)!.split('-')
    // Later than all, from another start of PostgreSQL, and of an earlier release.
    for (const id of [`${serverStart}-900000000000`, `1${serverStart}-${place}`, place, 'nonsense']) {
      await using stream = await followChanges(world.url, owner, id)
      const received = await until(
        async () => stream.received,
        ({ length }) => length > 1,
      )
      // The sync of an earlier test may be reported after these.
      assert.deepEqual(
        received.slice(0, 2).map(({ event }) => event),
        ['hello', 'reset'],
      )
    }
  })

  test('tells many changes in few messages', async () => {
    const unit = await addUnit(owner)
    await using stream = await followChanges(world.url, owner)
    await begun(stream)
    const startedAt = Date.now()
    await Promise.all(Array.from({ length: 40 }, (_, n) => night(unit.id, 10_000 + n)))
    const last = expectStatus(await owner.patch(`/api/v1/units/${unit.id}`, { max_guests: 9 }), 200).unit
    await waitForChange(stream, 'unit', last.id)
    const messages = stream.received.filter(({ event }) => event === 'changes')
    // The first one at once, then one in a quarter of a second.
    const most = 2 + (Date.now() - startedAt) / 250
    assert.ok(messages.length <= most, `${messages.length} messages of at most ${most}`)
  })
})

suite('event stream: security', () => {
  test('tells a caller of the records only that it may read', async () => {
    const reader = await world.home.as('service', { permissions: ['spaces:read'] })
    const stranger = await world.away.as('owner')
    await using theirs = await followChanges(world.url, stranger)
    await using stream = await followChanges(world.url, reader)
    await Promise.all([begun(stream), begun(theirs)])
    await addLinkedUnit(owner)
    const space = await addSpace(owner)
    await waitForChange(stream, 'space', space.id)
    assert.deepEqual(Object.keys(changesIn(stream)), ['space'])
    assert.ok(stream.received.every(({ event }) => event !== 'sync'))
    assert.deepEqual(changesIn(theirs), {})
  })
})
