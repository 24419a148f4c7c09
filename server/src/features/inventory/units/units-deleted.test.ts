import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { inDays } from '#test/local-days.ts'
import {
  addBooking,
  addCharge,
  addFeed,
  addListing,
  addQuote,
  addSpace,
  addStop,
  addUnit,
} from '#test/records.ts'
import { addMedia } from '#test/uploads.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()
let importer: TestCaller

before(async () => {
  importer = await world.home.as('service', { permissions: ['bookings:import', 'bookings:write'] })
})

const [units, spaces, bookings] = ['/api/v1/units', '/api/v1/spaces', '/api/v1/bookings']
const timezone = 'Europe/Lisbon'
const unitThere = async () => {
  const space = await addSpace(owner, { timezone })
  const unit = await addUnit(owner, { space_id: space.id })
  return { spaceId: space.id as string, unitId: unit.id as string }
}
const book = (unitId: string, from: number, to: number) =>
  addBooking(importer, { unitId, checkIn: inDays(from), checkOut: inDays(to) })

suite('deleting a unit', () => {
  test('is possible with past, cancelled and deleted bookings, which stay readable', async () => {
    const { spaceId, unitId } = await unitThere()
    const past = await book(unitId, -9, -1)
    const cancelled = await book(unitId, 5, 9)
    expectStatus(await owner.patch(`${bookings}/${cancelled.id}`, { status: 'cancelled' }), 200)
    const deleted = await book(unitId, 15, 19)
    expectStatus(await owner.delete(`${bookings}/${deleted.id}`), 204)
    const quote = await addQuote(owner, { unit_id: unitId })
    expectStatus(await owner.delete(`${units}/${unitId}`), 204)

    expectProblem(await owner.get(`${units}/${unitId}`), 404, 'not-found')
    expectProblem(await owner.delete(`${units}/${unitId}`), 404, 'not-found')
    expectProblem(await owner.patch(`${units}/${unitId}`, { status: 'inactive' }), 404, 'not-found')
    assert.deepEqual((await owner.get(`${units}?space_id=${spaceId}`)).body.units, [])
    for (const booking of [past, cancelled]) {
      const read = expectStatus(await owner.get(`${bookings}/${booking.id}`), 200).booking
      assert.deepEqual([read.unitId, read.spaceId], [unitId, spaceId])
    }
    assert.deepEqual(ids((await owner.get(`${bookings}?unit_id=${unitId}&sort=check_in`)).body.bookings), [
      past.id,
      cancelled.id,
    ])
    expectStatus(await owner.patch(`${bookings}/${past.id}`, { notes: 'Left an umbrella' }), 200)
    expectStatus(await owner.get(`/api/v1/quotes/${quote.id}`), 200)
    // The feed holds back what a transaction that began earlier, in any database of the cluster, could still precede.
    await until(
      async () => expectStatus(await owner.get('/api/v1/events?types=unit.deleted&limit=100'), 200).events,
      (events) => events.some(({ data }: { data: { unit: { id: string } } }) => data.unit.id === unitId),
    )
  })

  test('leaves no records of the unit, and none can be added', async () => {
    const { spaceId, unitId } = await unitThere()
    const past = await book(unitId, -9, -1)
    const of = { unit_id: unitId }
    const plan = (await owner.get(`/api/v1/rate-plans?unit_id=${unitId}`)).body.rate_plans[0]
    const charge = await addCharge(owner, of)
    const feed = await addFeed(owner, of)
    const media = await addMedia(owner, spaceId, of)
    await addStop(owner, of)
    expectStatus(await owner.delete(`${units}/${unitId}`), 204)

    for (const path of [
      `/api/v1/rate-plans/${plan.id}`,
      `/api/v1/charges/${charge.id}`,
      `/api/v1/calendar-feeds/${feed.id}`,
      `/api/v1/media/${media.id}`,
      `/api/v1/calendar?unit_id=${unitId}&from=2030-07-01&to=2030-07-03`,
    ])
      expectProblem(await owner.get(path), 404, 'not-found')
    for (const [list, name] of [
      ['rate-plans', 'rate_plans'],
      ['charges', 'charges'],
      ['calendar-feeds', 'calendar_feeds'],
      ['sales-stops', 'sales_stops'],
    ] as const)
      assert.deepEqual((await owner.get(`/api/v1/${list}?unit_id=${unitId}`)).body[name], [], list)
    const tile = await owner.get(`/api/v1/calendar?space_id=${spaceId}&from=2030-07-01&to=2030-07-03`)
    assert.deepEqual(expectStatus(tile, 200).calendar, [])
    const target = (await addListing(owner)).channel_target_id
    const nights = { date_from: '2030-07-01', date_to: '2030-07-02', price_cents: 1 }
    for (const [path, body] of [
      [bookings, { unitId, guestName: 'X', checkIn: '2030-07-01', checkOut: '2030-07-02' }],
      ['/api/v1/rate-plans', { ...of, name: 'X' }],
      ['/api/v1/calendar', { values: [{ ...of, ...nights }] }],
      ['/api/v1/calendar-feeds', { ...of, direction: 'export', name: 'X' }],
      ['/api/v1/channel-listings', { ...of, channel_target_id: target, external_id: 'X' }],
      ['/api/v1/sales-stops', of],
      ['/api/v1/charges', { ...of, name: 'X', kind: 'fee', basis: 'stay', amount_cents: 1 }],
    ] as const)
      expectProblem(await owner.post(path, body), 422, 'reference-not-found')
    const quote = { ...of, check_in: '2030-07-01', check_out: '2030-07-02', guests: 1 }
    expectProblem(await owner.post('/api/v1/quotes', quote), 404, 'not-found')

    expectStatus(await owner.delete(`${spaces}/${spaceId}`), 204)
    expectProblem(await owner.get(`${spaces}/${spaceId}`), 404, 'not-found')
    assert.equal(expectStatus(await owner.get(`${bookings}/${past.id}`), 200).booking.spaceId, spaceId)
  })

  test('is rejected with current and future bookings and listings, which the error lists', async () => {
    const { spaceId, unitId } = await unitThere()
    const here = await book(unitId, -2, 1)
    const coming = await book(unitId, 40, 42)
    const listing = await addListing(owner, { unit_id: unitId })
    const refused = await owner.delete(`${units}/${unitId}`)
    expectProblem(refused, 409, 'resource-in-use')
    const held = {
      listings: [listing.id],
      bookings: [here.id, coming.id],
      listing_count: 1,
      booking_count: 2,
    }
    assert.deepEqual(refused.body.held_by, held)

    expectStatus(await owner.patch(`${units}/${unitId}`, { status: 'archived' }), 200)
    const kept = await owner.delete(`${spaces}/${spaceId}`)
    expectProblem(kept, 409, 'resource-in-use')
    assert.deepEqual(kept.body.held_by, held)
    const search = `/api/v1/availability?unit_id=${unitId}&from=2030-07-01&to=2030-07-03`
    assert.deepEqual(expectStatus(await owner.get(search), 200).availability, [])
    const other = { unitId, guestName: 'X', checkIn: '2030-07-01', checkOut: '2030-07-02' }
    expectProblem(await owner.post(bookings, other), 409, 'unit-not-bookable')
    assert.equal((await owner.get(`${bookings}/${coming.id}`)).body.booking.status, 'confirmed')

    expectStatus(await owner.delete(`/api/v1/channel-listings/${listing.id}`), 204)
    expectProblem(await owner.delete(`${units}/${unitId}`), 409, 'resource-in-use')
  })

  test('a concurrent booking and deletion: one of the two is rejected', async () => {
    for (let round = 0; round < 12; round++) {
      const { unitId } = await unitThere()
      const stay = { unitId, guestName: 'Ana', checkIn: '2030-07-01', checkOut: '2030-07-04' }
      const remove = () => owner.delete(`${units}/${unitId}`)
      const book = () => owner.post(bookings, stay)
      // Each goes first in every other round, by so much that both orders come to pass.
      const [removed, booked] = await (round % 2 === 0
        ? Promise.all([remove(), sleep(round).then(book)])
        : Promise.all([sleep(round).then(remove), book()]))
      if (removed.status === 204) {
        expectProblem(booked, 422, 'reference-not-found', '/unitId')
      } else {
        expectProblem(removed, 409, 'resource-in-use')
        expectStatus(booked, 201)
      }
    }
  })
})

suite('deleting a space', () => {
  test('is rejected until its units are archived, and deletes them', async () => {
    const { spaceId, unitId } = await unitThere()
    const refused = await owner.delete(`${spaces}/${spaceId}`)
    expectProblem(refused, 409, 'resource-in-use')
    assert.deepEqual(refused.body.held_by, { units: [unitId], unit_count: 1 })
    expectStatus(await owner.patch(`${units}/${unitId}`, { status: 'archived' }), 200)
    expectStatus(await owner.delete(`${spaces}/${spaceId}`), 204)
    expectProblem(await owner.get(`${units}/${unitId}`), 404, 'not-found')
    expectProblem(await owner.get(`/api/v1/properties/${spaceId}`), 404, 'not-found')
    for (const list of ['spaces', 'properties'])
      assert.ok(!(await owner.get(`/api/v1/${list}?limit=100`)).text.includes(spaceId), list)
  })
})
