import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expireHold } from '#features/reservations/bookings/change-booking.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { deleteExpired } from '#features/operations/retention/delete-expired.ts'
import { eventsOf } from '#test/events.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addCharge, addPlan, addQuote, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()

const dates = { check_in: '2030-07-01', check_out: '2030-07-04' }
const ask = (unit_id: string, fields: object = {}) =>
  owner.post('/api/v1/quotes', { unit_id, ...dates, guests: 1, ...fields })
const book = (quote: { id: string; unit_id: string }, fields: object = {}) =>
  owner.post('/api/v1/bookings', {
    unitId: quote.unit_id,
    quoteId: quote.id,
    guestName: 'Ada Lovelace',
    checkIn: dates.check_in,
    checkOut: dates.check_out,
    ...fields,
  })
const expire = (id: string, ago = '1 second') =>
  world.resources.database.pipelined({ orgId: world.home.id }, [
    sql`update quotes set expires_at = now() - ${ago}::interval where id = ${id}`,
  ])

suite('holds of quotes', () => {
  test('a pending booking holds the rooms until the quote expires', async () => {
    const unit = await addUnit(owner, { base_price_cents: 10_000 })
    const quote = await addQuote(owner, { unit_id: unit.id, hold: true, guest_name: 'Ada' })
    assert.equal(quote.hold.expires_at, quote.expires_at)
    const held = expectStatus(await owner.get(`/api/v1/bookings/${quote.hold.booking_id}`), 200).booking
    assert.deepEqual(
      [held.status, held.quoteId, held.guestName, held.totalCents, held.holdExpiresAt],
      ['pending', quote.id, 'Ada', quote.total_cents, quote.expires_at],
    )
    const again = await ask(unit.id)
    expectProblem(again, 409, 'dates-unavailable')
    assert.deepEqual(
      again.body.reasons.map(({ date, term }: { date: string; term: string }) => `${date} ${term}`),
      ['2030-07-01 no_room', '2030-07-02 no_room', '2030-07-03 no_room'],
    )
  })

  test('booking with the quote converts the hold, at its price', async () => {
    const unit = await addUnit(owner, { base_price_cents: 10_000 })
    const quote = await addQuote(owner, { unit_id: unit.id, hold: true })
    expectStatus(await owner.patch(`/api/v1/units/${unit.id}`, { base_price_cents: 99_999 }), 200)
    const { booking } = expectStatus(await book(quote), 201)
    assert.deepEqual(
      [booking.id, booking.status, booking.totalCents, booking.quoteId],
      [quote.hold.booking_id, 'confirmed', 30_000, quote.id],
    )
    const taken = (await owner.get(`/api/v1/quotes/${quote.id}`)).body.quote
    assert.deepEqual(taken, { ...quote, booking_id: booking.id })
    const found = await owner.get(`/api/v1/quotes?booking_id=${booking.id}`)
    assert.deepEqual(expectStatus(found, 200).quotes, [taken])
    expectStatus(await owner.delete(`/api/v1/units/${(await addUnit(owner)).id}`), 204)
  })

  test('invalid hold times are 30 minutes', async () => {
    const unit = await addUnit(owner, { quantity: 9 })
    const database = openOwner(world.databaseUrl)
    for (const minutes of ['soon', -5, 1.5, 1e12, null]) {
      const booking = JSON.stringify({ booking: { hold_minutes: minutes } })
      await database.pipelined({ orgId: null }, [
        sql`update organizations set settings = settings || ${booking}::jsonb where id = ${world.home.id}`,
      ])
      const { expires_at } = await addQuote(owner, { unit_id: unit.id, hold: true })
      const left = (Date.parse(expires_at) - Date.now()) / 60_000
      assert.ok(left > 29 && left <= 30, `${minutes}: ${left} min`)
    }
    await database.close()
  })

  test('concurrent holds get exactly the available rooms', async () => {
    const unit = await addUnit(owner, { quantity: 3 })
    const replies = await Promise.all(Array.from({ length: 12 }, () => ask(unit.id, { hold: true })))
    const refused = replies.filter(({ status }) => status !== 201)
    assert.equal(refused.length, 9)
    for (const reply of refused) expectProblem(reply, 409, 'dates-unavailable')
    const { quotes } = (await owner.get(`/api/v1/quotes?unit_id=${unit.id}`)).body
    assert.equal(quotes.length, 3, 'a quote whose hold was refused is not there')
  })

  test('a stay that was quoted without a hold may be unavailable', async () => {
    const unit = await addUnit(owner)
    const [first, second] = await Promise.all([1, 2].map(() => addQuote(owner, { unit_id: unit.id })))
    expectStatus(await book(first), 201)
    expectProblem(await book(second), 409, 'booking-conflict')
    expectProblem(await book(first), 409, 'quote-used')
  })
})

suite('at the end of a hold', () => {
  test('concurrent booking, confirmation and expiry have one result, and at most one booking', async () => {
    const { id: orgId, accountId } = world.home
    const { database } = world.resources
    const actor = { type: 'system', id: 'test', name: 'Test' } as const
    const scope = { orgId, accountId, actor, traceparent: null, database }
    for (let round = 0; round < 6; round++) {
      const unit = await addUnit(owner, { base_price_cents: 10_000 })
      const quote = await addQuote(owner, { unit_id: unit.id, hold: true })
      const hold = quote.hold.booking_id
      const soon = sql`now() + interval '150 milliseconds'`
      await database.pipelined({ orgId }, [
        sql`update bookings set hold_expires_at = ${soon} where id = ${hold}`,
        sql`update quotes set expires_at = ${soon} where id = ${quote.id}`,
      ])
      await new Promise((resolve) => setTimeout(resolve, 100 + round * 20))
      const [booked, confirmed] = await Promise.all([
        book(quote),
        owner.patch(`/api/v1/bookings/${hold}`, { status: 'confirmed' }),
        expireHold(scope, hold),
        expireHold(scope, hold),
      ])
      await expireHold(scope, hold)
      await expireHold(scope, hold)
      const { bookings } = expectStatus(await owner.get(`/api/v1/bookings?unit_id=${unit.id}`), 200)
      const alive = bookings.filter(({ status }: { status: string }) => status === 'confirmed')
      const isAcknowledged = booked.status === 201 || confirmed.status === 200
      assert.equal(alive.length, isAcknowledged ? 1 : 0, `${booked.text} ${confirmed.text}`)
      const ended = (await eventsOf(world, owner, { id: hold })).filter(
        ({ data }: { data: { booking?: { status: string } } }) => data.booking?.status === 'expired',
      )
      assert.ok(ended.length <= 1, 'expired once')
    }
  })
})

suite('booking by quote', () => {
  test('has the quoted price with every charge, whatever has changed since', async () => {
    const unit = await addUnit(owner, { base_price_cents: 10_000, quantity: 2, max_guests: 2 })
    const charge = await addCharge(owner, { unit_id: unit.id, kind: 'tax', percent: 7.25 })
    const quote = await addQuote(owner, { unit_id: unit.id, rooms: 2, guests: 3 })
    assert.equal(quote.total_cents, 64_350)
    expectStatus(await owner.delete(`/api/v1/charges/${charge.id}`), 204)
    const { booking } = expectStatus(await book(quote), 201)
    assert.deepEqual(
      [booking.totalCents, booking.rooms, booking.guests, booking.ratePlanId],
      [64_350, 2, 3, quote.rate_plan_id],
    )
  })

  test('calculates the same price without a quote', async () => {
    const unit = await addUnit(owner, { base_price_cents: 10_000 })
    await addCharge(owner, { unit_id: unit.id, kind: 'tax', percent: 7.25 })
    const { total_cents } = await addQuote(owner, { unit_id: unit.id })
    const { booking } = expectStatus(await book({ id: '', unit_id: unit.id }, { quoteId: null }), 201)
    assert.deepEqual([booking.totalCents, total_cents], [32_175, 32_175])
  })

  test('rejects an expired quote, another plan, and another stay', async () => {
    const unit = await addUnit(owner, { max_guests: 2 })
    const plan = await addPlan(owner, { unit_id: unit.id })
    const quote = await addQuote(owner, { unit_id: unit.id, rate_plan_id: plan.id })
    for (const [fields, pointer] of [
      [{ checkOut: '2030-07-05' }, '/checkOut'],
      [{ guests: 2 }, '/guests'],
      [{ totalCents: 1 }, '/totalCents'],
      [{ unitId: (await addUnit(owner)).id }, '/unitId'],
    ] as const)
      expectProblem(await book(quote, fields), 422, 'semantic-error', pointer)
    expectStatus(await owner.delete(`/api/v1/rate-plans/${plan.id}`), 204)
    expectProblem(await book(quote), 409, 'quote-expired')
    const late = await addQuote(owner, { unit_id: unit.id })
    await expire(late.id)
    expectProblem(await book(late), 409, 'quote-expired')
  })
})

test('deletes unused quotes after a month', async () => {
  const unit = await addUnit(owner, { quantity: 4 })
  const [old, young, held, booked] = [
    await addQuote(owner, { unit_id: unit.id }),
    await addQuote(owner, { unit_id: unit.id }),
    await addQuote(owner, { unit_id: unit.id, hold: true }),
    await addQuote(owner, { unit_id: unit.id }),
  ]
  expectStatus(await book(booked), 201)
  for (const { id } of [old, held, booked]) await expire(id, '30 days 1 minute')
  await expire(young.id, '29 days')
  await deleteExpired(world.resources.database, { notificationDays: 90 })
  expectProblem(await owner.get(`/api/v1/quotes/${old.id}`), 404, 'not-found')
  for (const { id } of [young, held, booked]) expectStatus(await owner.get(`/api/v1/quotes/${id}`), 200)
})
