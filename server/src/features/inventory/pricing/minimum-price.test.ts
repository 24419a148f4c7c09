import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { inDays } from '#test/local-days.ts'
import { addBooking, addCharge, addQuote, addSpace, addUnit } from '#test/records.ts'
import { addLinkedUnit } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

// No stay is sold below the minimum price of a unit, however its price is set.

const { world, owner } = shareWorld()
let spaceId: string

before(async () => (spaceId = (await addSpace(owner, { timezone: 'Europe/Lisbon' })).id))

const belowMinimum = 'price-below-minimum'
const [arrival, departure] = [inDays(10), inDays(13)]
const addPriced = (fields: object = {}) =>
  addUnit(owner, {
    ...{ space_id: spaceId, base_price_cents: 10_000, min_price_cents: 8_000, quantity: 4, max_guests: 4 },
    ...fields,
  })
const quote = (unit_id: string, more: object = {}) =>
  owner.post('/api/v1/quotes', { unit_id, check_in: arrival, check_out: departure, guests: 2, ...more })
const book = (unitId: string, more: object = {}) =>
  owner.post('/api/v1/bookings', { unitId, guestName: 'Ada', checkIn: arrival, checkOut: departure, ...more })
const found = async (unitId: string) =>
  expectStatus(await owner.get(`/api/v1/availability?unit_id=${unitId}&from=${arrival}&to=${departure}`), 200)
    .availability.length as number

suite('the minimum price of a unit', () => {
  const discounts: [string, object, boolean][] = [
    ['20 % off is the minimum itself', { percent: 20 }, true],
    ['20.01 % off is below', { percent: 20.01 }, false],
    ['60.00 off three nights is the minimum itself', { amount_cents: 6_000 }, true],
    ['60.01 off three nights is below', { amount_cents: 6_001 }, false],
    ['30 % off stays of a week does not hold for three nights', { percent: 30, min_nights: 7 }, true],
    ['30 % off stays of three nights does', { percent: 30, min_nights: 3 }, false],
    ['a discount for each guest is below', { basis: 'guest', amount_cents: 3_001 }, false],
  ]
  for (const [what, fields, isSold] of discounts)
    test(`holds after discounts, in quotes, bookings and the search: ${what}`, async () => {
      const unit = await addPriced()
      await addCharge(owner, { unit_id: unit.id, kind: 'discount', ...fields })
      // A fee does not make up for it.
      await addCharge(owner, { unit_id: unit.id, amount_cents: 50_000 })
      const guests = 2
      if (isSold) {
        assert.equal(await found(unit.id), 1)
        expectStatus(await quote(unit.id), 201)
        expectStatus(await book(unit.id, { guests }), 201)
        return
      }
      const refused = await quote(unit.id)
      expectProblem(refused, 422, belowMinimum, '/check_in')
      assert.ok(refused.body.detail.includes(arrival), refused.body.detail)
      assert.equal(refused.body.nights.length, 3)
      expectProblem(await quote(unit.id, { hold: true }), 422, belowMinimum, '/check_in')
      expectProblem(await book(unit.id, { guests }), 422, belowMinimum, '/checkIn')
      if (!('basis' in fields)) assert.equal(await found(unit.id), 0)
    })

  test('applies to each night: an expensive night does not compensate a cheap one', async () => {
    const unit = await addPriced()
    await addCharge(owner, { unit_id: unit.id, kind: 'discount', percent: 10 })
    const value = (night: string, price_cents: number) => ({
      ...{ unit_id: unit.id, date_from: night, date_to: night, price_cents },
    })
    const values = [value(inDays(11), 8_500), value(inDays(12), 90_000)]
    expectStatus(await owner.post('/api/v1/calendar', { values }), 201)
    const refused = await quote(unit.id)
    expectProblem(refused, 422, belowMinimum, '/check_in')
    assert.deepEqual(refused.body.nights, [{ night: inDays(11), price_cents: 8_500 }])
  })

  test('applies to a total that a booking states, for all nights and rooms together', async () => {
    const unit = await addPriced()
    expectProblem(await book(unit.id, { totalCents: 23_999 }), 422, belowMinimum, '/totalCents')
    expectProblem(await book(unit.id, { totalCents: 47_999, rooms: 2 }), 422, belowMinimum, '/totalCents')
    const { id } = expectStatus(await book(unit.id, { totalCents: 24_000 }), 201).booking
    const patch = (change: object) => owner.patch(`/api/v1/bookings/${id}`, change)
    expectProblem(await patch({ totalCents: 23_999 }), 422, belowMinimum, '/totalCents')
    expectProblem(await patch({ checkOut: inDays(14) }), 422, belowMinimum, '/totalCents')
    expectProblem(await patch({ rooms: 2 }), 422, belowMinimum, '/totalCents')
    expectStatus(await patch({ checkOut: inDays(14), totalCents: 32_000 }), 200)
    expectStatus(await patch({ checkOut: inDays(12) }), 200)
  })

  test('does not affect existing bookings and quotes when it is raised', async () => {
    const unit = await addPriced({ min_price_cents: null })
    const booking = await addBooking(owner, {
      ...{ unitId: unit.id, checkIn: arrival, checkOut: departure, totalCents: 100 },
    })
    const given = await addQuote(owner, { unit_id: unit.id, check_in: arrival, check_out: departure })
    const raised = { min_price_cents: 20_000, base_price_cents: 20_000 }
    expectStatus(await owner.patch(`/api/v1/units/${unit.id}`, raised), 200)
    const patched = await owner.patch(`/api/v1/bookings/${booking.id}`, { notes: 'Paid', totalCents: 100 })
    assert.equal(expectStatus(patched, 200).booking.notes, 'Paid')
    expectStatus(await book(unit.id, { quoteId: given.id }), 201)
  })

  test('closes a night at the PMS whose price is below it', async () => {
    const { unitId, listingId } = await addLinkedUnit(owner)
    expectStatus(await owner.patch(`/api/v1/units/${unitId}`, { min_price_cents: 8_000 }), 200)
    await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`insert into calendar_nights (org_id, unit_id, rate_plan_id, night, price_cents, stop_sell)
        select org_id, unit_id, id, ${arrival}, 5000, false from rate_plans where unit_id = ${unitId}`,
    ])
    const { sync_preview, preview = sync_preview } = expectStatus(
      await owner.get(`/api/v1/sync/preview/${listingId}`),
      200,
    )
    type Run = { date_from: string; date_to: string; price_cents?: number; stop_sell?: boolean }
    const prices = (preview.calendar as Run[]).filter(({ price_cents }) => price_cents !== undefined)
    assert.deepEqual(
      prices
        .filter(({ stop_sell }) => stop_sell)
        .map(({ date_from, date_to, price_cents }) => [date_from, date_to, price_cents]),
      [[arrival, arrival, 8_000]],
    )
    assert.ok(prices.every(({ price_cents }) => price_cents! >= 8_000))
  })
})
