import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addBooking, addQuote, addSpace, addUnit } from '#test/records.ts'
import { addStay, askFor } from '#test/payments.ts'
import { shareWorld } from '#test/share-world.ts'

/** Hostile and concurrent requests for bookings. */

const { world, owner } = shareWorld({ workers: true })

const path = '/api/v1/bookings'
const byQuote = (quote: { id: string; unit_id: string }, fields: object = {}) => ({
  unitId: quote.unit_id,
  quoteId: quote.id,
  guestName: 'Ada',
  checkIn: '2030-07-01',
  checkOut: '2030-07-04',
  ...fields,
})

suite('bookings: extreme values', () => {
  test('the first and last possible dates are booked or rejected, never a 500', async () => {
    const edges = [
      ['0001-01-01', '0001-01-03'],
      ['0000-01-01', '0000-01-03'],
      ['9999-12-29', '9999-12-31'],
      ['9999-12-29', '9999-12-31T23:59:59Z'],
      ['9999-12-31T12:00:00-23:59', '9999-12-31T23:59:59-23:59'],
      ['2030-02-29', '2030-03-02'],
      ['2030-07-01T24:00:00Z', '2030-07-03'],
      ['2030-07-01T23:59:60Z', '2030-07-03'],
      ['2030-07-01T15:00:00.123456789Z', '2030-07-03'],
    ]
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Africa/Monrovia']) {
      const space = await addSpace(owner, { timezone: zone })
      const { id: unitId } = await addUnit(owner, { space_id: space.id, quantity: 50 })
      for (const [checkIn, checkOut] of edges) {
        const reply = await owner.post(path, { unitId, guestName: 'Ada', checkIn, checkOut })
        assert.ok([201, 400, 422].includes(reply.status), `${zone} ${checkIn} ${checkOut}: ${reply.text}`)
        if (reply.status !== 201) continue
        const { id } = reply.body.booking
        for (const fields of [{ checkOut: '9999-12-31' }, { checkIn: '0001-01-02' }, { rooms: 2 }]) {
          const { status, text } = await owner.patch(`${path}/${id}`, fields)
          assert.ok(
            [200, 400, 422].includes(status),
            `${zone} ${checkIn} then ${JSON.stringify(fields)}: ${text}`,
          )
        }
        const got = await owner.get(`${path}/${id}`)
        assert.equal(got.status, 200)
        for (const name of ['checkIn', 'checkOut'])
          assert.match(got.body.booking[name], /^\d{4}-\d\d-\d\dT/, `${zone} ${checkIn} ${checkOut}`)
      }
      await world.settled()
    }
  })

  test('rejects invalid numbers', async () => {
    const { id: unitId } = await addUnit(owner, { quantity: 5 })
    const body = { unitId, guestName: 'Ada', checkIn: '2030-07-01', checkOut: '2030-07-02' }
    for (const fields of [
      { totalCents: -1 },
      { totalCents: 9_007_199_254_740_992 },
      { totalCents: 1e300 },
      { totalCents: 1.5 },
      { totalCents: '100' },
      { totalCents: null },
      { guests: 0 },
      { guests: -1 },
      { guests: 2 ** 31 },
      { rooms: 0 },
      { rooms: 1e9 },
      { currency: 'EUR' },
      { currency: 'zzz' },
    ])
      assert.ok(
        [400, 422].includes((await owner.post(path, { ...body, ...fields })).status),
        JSON.stringify(fields),
      )
  })

  test('rejects an empty externalId, which no booking can have', async () => {
    const { id: unitId } = await addUnit(owner, { quantity: 5 })
    const { id } = await addBooking(owner, { unitId, externalId: 'A-1' })
    const stay = { unitId, guestName: 'Ada', checkIn: '2030-07-01', checkOut: '2030-07-02' }
    for (const externalId of ['', ' ']) {
      expectProblem(await owner.post(path, { ...stay, externalId }), 400, 'validation-error')
      expectProblem(await owner.patch(`${path}/${id}`, { externalId }), 400, 'validation-error')
    }
  })

  test('books a price too large for the payment provider, and rejects its payment', async () => {
    const booking = await addStay(owner, { totalCents: 9_007_199_254_740_991 })
    for (const amount of [2 ** 31, 9_007_199_254_740_991, -5, 0, 1.5, 1e300]) {
      const asked = { booking_id: booking.id, amount, currency: 'eur' }
      expectProblem(await owner.post('/api/v1/payment-intents', asked), 400, 'validation-error')
    }
  })

  test('stores any names unchanged, or rejects them', async () => {
    const { id: unitId } = await addUnit(owner, { quantity: 50 })
    for (const guestName of [
      '<script>alert(1)</script>',
      "'; drop table bookings; --",
      '\u202EadA',
      '👩‍👩‍👧‍👦'.repeat(20),
      'A\r\nBcc: x@example.com',
      '{{7*7}}${7*7}',
      '\uD800',
      '\u0000',
      ' ',
      'x'.repeat(255),
    ]) {
      const reply = await owner.post(path, {
        unitId,
        guestName,
        checkIn: '2030-07-01',
        checkOut: '2030-07-02',
      })
      assert.ok([201, 400].includes(reply.status), `${JSON.stringify(guestName)}: ${reply.text}`)
      if (reply.status === 201) assert.equal(reply.body.booking.guestName, guestName.toWellFormed())
    }
  })
})

suite('bookings: a hold of a quote', () => {
  test('keeps the quoted stay, so that no other stay is sold at its price', async () => {
    const [quoted, other] = [await addUnit(owner, { quantity: 2 }), await addUnit(owner)]
    const quote = await addQuote(owner, { unit_id: quoted.id, hold: true })
    const hold = `${path}/${quote.hold.booking_id}`
    for (const [member, value] of Object.entries({
      unitId: other.id,
      checkIn: '2030-06-30',
      checkOut: '2030-07-20',
      rooms: 2,
      guests: 2,
    })) {
      const reply = await owner.patch(hold, { [member]: value, status: 'confirmed' })
      expectProblem(reply, 422, 'semantic-error', `/${member}`)
    }
    const fields = { guestName: 'Ada', checkIn: '2030-07-01T20:00:00Z', status: 'confirmed' }
    const { booking } = expectStatus(await owner.patch(hold, fields), 200)
    assert.deepEqual([booking.totalCents, booking.quoteId], [quote.total_cents, quote.id])
    expectStatus(await owner.patch(hold, { checkOut: '2030-07-05' }), 200)
  })

  test('confirmed concurrently by the quote and the hold is one booking', async () => {
    for (let round = 0; round < 5; round++) {
      const unit = await addUnit(owner, { base_price_cents: 10_000, quantity: 3 })
      const quote = await addQuote(owner, { unit_id: unit.id, hold: true })
      const replies = await Promise.all([
        owner.post(path, byQuote(quote)),
        owner.patch(`${path}/${quote.hold.booking_id}`, { status: 'confirmed' }),
        owner.post(path, byQuote(quote)),
        owner.delete(`${path}/${quote.hold.booking_id}`, { 'if-match': '"1"' }),
      ])
      for (const { status, text } of replies) assert.ok([200, 201, 204, 409, 412].includes(status), text)
      const { bookings } = expectStatus(await owner.get(`${path}?unit_id=${unit.id}`), 200)
      assert.ok(bookings.length <= 1)
    }
  })
})

suite('bookings: amounts and currency', () => {
  test('a paid booking cannot change its currency', async () => {
    const booking = await addStay(owner)
    await askFor(owner, booking)
    const space = await addSpace(owner, { currency: 'jpy' })
    const unit = await addUnit(owner, { space_id: space.id, currency: 'jpy' })
    const reply = await owner.patch(`${path}/${booking.id}`, { unitId: unit.id, currency: 'jpy' })
    expectProblem(reply, 409, 'resource-in-use')
  })

  test('an unpaid booking needs a new price in another currency', async () => {
    const booking = await addStay(owner)
    const space = await addSpace(owner, { currency: 'jpy' })
    const unit = await addUnit(owner, { space_id: space.id, currency: 'jpy' })
    const move = { unitId: unit.id, currency: 'jpy' }
    expectProblem(await owner.patch(`${path}/${booking.id}`, move), 422, 'semantic-error')
    const reply = await owner.patch(`${path}/${booking.id}`, { ...move, totalCents: 30_000 })
    assert.deepEqual([reply.body.booking.currency, reply.body.booking.totalCents], ['jpy', 30_000])
  })

  test('a preview in a unit of another currency has a price in that currency', async () => {
    const booking = await addStay(owner)
    const space = await addSpace(owner, { currency: 'jpy' })
    const unit = await addUnit(owner, { space_id: space.id, currency: 'jpy' })
    const preview = async () => await owner.post(`${path}/${booking.id}/preview`, { unitId: unit.id })
    const { currency, currentCurrency } = expectStatus(await preview(), 200).preview
    assert.deepEqual([currency, currentCurrency], ['jpy', 'eur'])
    await askFor(owner, booking)
    expectProblem(await preview(), 409, 'resource-in-use')
  })
})

suite('bookings: late requests', () => {
  test('a PUT of the status with an old If-Match changes nothing', async () => {
    const booking = await addStay(owner)
    const old = (await owner.get(`${path}/${booking.id}`)).headers.get('etag')!
    expectStatus(await owner.patch(`${path}/${booking.id}`, { notes: 'Late.' }), 200)
    const stale = await owner.put(
      `${path}/${booking.id}`,
      { ...booking, status: 'cancelled' },
      { 'if-match': old },
    )
    expectProblem(stale, 412, 'precondition-failed')
    assert.equal((await owner.get(`${path}/${booking.id}`)).body.booking.status, 'confirmed')
  })

  test('one key used ten times concurrently makes one booking', async () => {
    const unit = await addUnit(owner, { quantity: 20 })
    const body = { unitId: unit.id, guestName: 'Ada', checkIn: '2030-07-01', checkOut: '2030-07-04' }
    const headers = { 'idempotency-key': 'ten-at-once' }
    const replies = await Promise.all(Array.from({ length: 10 }, () => owner.post(path, body, headers)))
    for (const reply of replies)
      if (reply.status !== 201) expectProblem(reply, 409, 'idempotency-in-progress')
    const again = expectStatus(await owner.post(path, body, headers), 201)
    const ids = new Set(replies.filter(({ status }) => status === 201).map((reply) => reply.body.booking.id))
    assert.deepEqual([...ids], [again.booking.id])
  })

  test('a rejection is not stored: the same key can book later', async () => {
    const unit = await addUnit(owner)
    const other = await addBooking(owner, { unitId: unit.id })
    const body = { unitId: unit.id, guestName: 'Ada', checkIn: '2030-07-01', checkOut: '2030-07-04' }
    const headers = { 'idempotency-key': 'room-later' }
    expectProblem(await owner.post(path, body, headers), 409, 'booking-conflict')
    expectStatus(await owner.delete(`${path}/${other.id}`), 204)
    expectStatus(await owner.post(path, body, headers), 201)
  })
})
