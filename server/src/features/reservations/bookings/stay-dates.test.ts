import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql, type Fragment } from '#db/sql.ts'
import { dateOf, dayIn, maxNightsAhead, nightOf } from '#schema/nights.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addBooking, addSpace, addUnit } from '#test/records.ts'
import { historyOf, addLinkedUnit, statusOf, until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })
let importer: TestCaller

before(async () => {
  importer = await world.home.as('service', {
    permissions: ['bookings:import', 'bookings:write', 'bookings:read'],
  })
})

const path = '/api/v1/bookings'
// Two days apart at any moment, so that each has dates that the other has not.
const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'] as const
const dayFromToday = (zone: string, days: number) => dateOf(nightOf(dayIn(zone)) + days)
const unitIn = async (timezone: string) =>
  (await addUnit(owner, { space_id: (await addSpace(owner, { timezone })).id })).id as string
const stay = (unitId: string, checkIn: string, nights = 2) => ({
  unitId,
  guestName: 'Ana',
  guestEmail: 'ana@guest.example',
  checkIn,
  checkOut: dateOf(nightOf(checkIn) + nights),
})

suite('arrivals before today', () => {
  for (const zone of zones)
    test(`are refused by the calendar of ${zone}, and today is not`, async () => {
      const unitId = await unitIn(zone)
      const yesterday = stay(unitId, dayFromToday(zone, -1))
      expectProblem(await owner.post(path, yesterday), 422, 'stay-in-the-past', '/checkIn')
      const { booking } = expectStatus(await owner.post(path, stay(unitId, dayIn(zone))), 201)
      assert.equal(booking.arrival, dayIn(zone))
      const quote = { unit_id: unitId, check_in: yesterday.checkIn, check_out: yesterday.checkOut, guests: 1 }
      expectProblem(await owner.post('/api/v1/quotes', quote), 422, 'stay-in-the-past', '/check_in')
    })

  test('are refused when a booking moves, by PUT and by PATCH, and nothing is changed', async () => {
    const unitId = await unitIn('UTC')
    const booking = await addBooking(owner, stay(unitId, dayFromToday('UTC', 10)))
    const past = stay(unitId, dayFromToday('UTC', -3))
    const { checkIn, checkOut } = past
    const at = `${path}/${booking.id}`
    expectProblem(await owner.put(at, past), 422, 'stay-in-the-past', '/checkIn')
    expectProblem(await owner.patch(at, { checkIn, checkOut }), 422, 'stay-in-the-past', '/checkIn')
    assert.deepEqual(expectStatus(await owner.get(at), 200).booking, booking)
  })

  test('do not affect a guest who has arrived: the stay can be extended, changed and moved', async () => {
    const unitId = await unitIn('UTC')
    const here = expectStatus(
      await importer.post(path, stay(unitId, dayFromToday('UTC', -2), 4)),
      201,
    ).booking
    const at = `${path}/${here.id}`
    const checkOut = dayFromToday('UTC', 5)
    const longer = expectStatus(await owner.patch(at, { checkOut, notes: 'Stays on' }), 200).booking
    assert.deepEqual([longer.arrival, longer.departure], [here.arrival, checkOut])
    const other = await unitIn('UTC')
    const moved = expectStatus(await owner.patch(at, { unitId: other }), 200).booking
    assert.deepEqual([moved.unitId, moved.arrival], [other, here.arrival])
    const earlier = { checkIn: dayFromToday('UTC', -4) }
    expectProblem(await owner.patch(at, earlier), 422, 'stay-in-the-past', '/checkIn')
  })
})

const run = (statement: Fragment) => world.resources.database.pipelined({ orgId: world.home.id }, [statement])

/** The bookings that caused a notification. */
async function listNotified(what: 'confirmed' | 'changed'): Promise<string[]> {
  const { notifications } = expectStatus(
    await owner.get(`/api/v1/notifications?kind=booking.${what}&limit=100`),
    200,
  ) as { notifications: { event_id: string }[] }
  const type = what === 'confirmed' ? 'booking.created' : 'booking.updated'
  const { events } = expectStatus(await owner.get(`/api/v1/events?types=${type}&limit=100`), 200) as {
    events: { id: string; data: { booking: { id: string } } }[]
  }
  const notifiedIds = new Set(notifications.map(({ event_id }) => event_id))
  return events.filter(({ id }) => notifiedIds.has(id)).map(({ data }) => data.booking.id)
}
const listConfirmed = () => listNotified('confirmed')
const listChanged = () => listNotified('changed')

suite('imported bookings', () => {
  test('may be past, are pushed to no PMS and cause no notification', async () => {
    const linked = await addLinkedUnit(owner)
    await until(
      () => statusOf(owner, linked),
      ({ verification }) => verification === 'verified',
    )
    await world.settled()
    const pushes = async () => (await historyOf(owner, linked)).filter(({ trigger }) => trigger === 'change')
    const before = await pushes()
    const past = expectStatus(await importer.post(path, stay(linked.unitId, '2020-07-01')), 201).booking
    assert.deepEqual([past.arrival, past.status], ['2020-07-01', 'confirmed'])
    await world.settled()
    assert.deepEqual(await pushes(), before)
    const soon = expectStatus(await importer.post(path, stay(linked.unitId, dayFromToday('UTC', 30))), 201)
    await until(listConfirmed, (ids) => ids.includes(soon.booking.id))
    await world.settled()
    assert.ok(!(await listConfirmed()).includes(past.id))
  })

  test('cause no notification when they are moved into the past', async () => {
    const unitId = await unitIn('UTC')
    const moved = await addBooking(owner, stay(unitId, dayFromToday('UTC', 30)))
    const prolonged = await addBooking(owner, stay(unitId, dayFromToday('UTC', 40)))
    await run(sql`update bookings set created_at = now() - interval '20 days' where id = ${moved.id}`)
    const { guestName: _, unitId: __, ...past } = stay(unitId, dayFromToday('UTC', -9))
    expectStatus(await importer.patch(`${path}/${moved.id}`, past), 200)
    const checkOut = dayFromToday('UTC', 45)
    expectStatus(await owner.patch(`${path}/${prolonged.id}`, { checkOut }), 200)
    await until(listChanged, (ids) => ids.includes(prolonged.id as string))
    await world.settled()
    assert.ok(!(await listChanged()).includes(moved.id as string))
  })

  test('do not include a stay that was quoted before midnight: its guest is notified', async () => {
    const unitId = await unitIn('UTC')
    const ahead = stay(unitId, dayFromToday('UTC', 1))
    const dates = { check_in: ahead.checkIn, check_out: ahead.checkOut }
    const asked = await owner.post('/api/v1/quotes', { unit_id: unitId, guests: 1, ...dates })
    const { quote } = expectStatus(asked, 201)
    // As if two days had gone by since.
    await run(
      sql`update quotes set check_in = check_in - 2, check_out = check_out - 2 where id = ${quote.id}`,
    )
    const quoted = { ...stay(unitId, dateOf(nightOf(ahead.checkIn) - 2)), quoteId: quote.id }
    const { booking } = expectStatus(await owner.post(path, quoted), 201)
    await until(listConfirmed, (ids) => ids.includes(booking.id))
  })

  test('no role includes the permission, and the permission alone allows no booking', async () => {
    const unitId = await unitIn('UTC')
    for (const role of ['owner', 'admin', 'manager', 'staff'] as const) {
      const caller = await world.home.as(role)
      expectProblem(await caller.post(path, stay(unitId, '2020-07-01')), 422, 'stay-in-the-past', '/checkIn')
    }
    const alone = await world.home.as('service', { permissions: ['bookings:import'] })
    expectProblem(await alone.post(path, stay(unitId, '2020-07-01')), 403, 'forbidden')
  })
})

suite('arrivals far ahead', () => {
  test('are accepted up to the last searchable day', async () => {
    const unitId = await unitIn('UTC')
    // The last day is left out: it may become the last but one while this runs.
    const [within, beyond] = [
      dayFromToday('UTC', maxNightsAhead - 1),
      dayFromToday('UTC', maxNightsAhead + 2),
    ]
    expectStatus(await owner.post(path, stay(unitId, within)), 201)
    expectProblem(await owner.post(path, stay(unitId, beyond)), 422, 'semantic-error', '/checkIn')
    expectProblem(await importer.post(path, stay(unitId, beyond)), 422, 'semantic-error', '/checkIn')
    const to = dateOf(nightOf(beyond) + 2)
    const quote = { unit_id: unitId, check_in: beyond, check_out: to, guests: 1 }
    expectProblem(await owner.post('/api/v1/quotes', quote), 422, 'semantic-error', '/check_in')
    const search = (from: string, until: string) => owner.get(`/api/v1/availability?from=${from}&to=${until}`)
    expectStatus(await search(within, dateOf(nightOf(within) + 2)), 200)
    expectProblem(await search(beyond, to), 422, 'semantic-error', '/from')
  })
})
