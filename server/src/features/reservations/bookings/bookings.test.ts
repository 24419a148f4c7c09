import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addBooking, addSpace, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()
let staff: TestCaller

before(async () => (staff = await world.home.as('staff')))

const path = '/api/v1/bookings'
const stay = { guestName: 'Ada Lovelace', checkIn: '2030-07-01', checkOut: '2030-07-04' }

const run = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
  (await world.resources.database.pipelined({ orgId: world.home.id }, [statement]))[0]

suite('bookings: one stay', () => {
  test('is created, read, listed, updated, replaced and deleted', async () => {
    const unit = await addUnit(owner, { base_price_cents: 12_000 })
    const made = await staff.post(path, { unitId: unit.id, ...stay })
    const { booking } = expectStatus(made, 201)
    const { id, createdAt, updatedAt, ...rest } = booking
    assert.equal(made.headers.get('location'), `${path}/${id}`)
    assert.deepEqual(rest, {
      org_id: world.home.id,
      account_id: world.home.accountId,
      unitId: unit.id,
      spaceId: unit.space_id,
      ratePlanId: rest.ratePlanId,
      quoteId: null,
      guestName: 'Ada Lovelace',
      guestEmail: null,
      guestPhone: null,
      guests: 1,
      rooms: 1,
      // Lisbon is an hour ahead of UTC in summer.
      checkIn: '2030-07-01T14:00:00.000Z',
      checkOut: '2030-07-04T10:00:00.000Z',
      arrival: '2030-07-01',
      departure: '2030-07-04',
      nights: 3,
      totalCents: 36_000,
      currency: 'eur',
      status: 'confirmed',
      source: 'direct',
      channelTargetId: null,
      externalId: null,
      notes: null,
      pms_notes: null,
      holdExpiresAt: null,
      cancelledAt: null,
      cancellationReason: null,
    })
    const read = await staff.get(`${path}/${id}`)
    assert.deepEqual(read.body, made.body)
    assert.equal(read.headers.get('etag'), made.headers.get('etag'))
    assert.deepEqual(ids((await staff.get(`${path}?unit_id=${unit.id}`)).body.bookings), [id])

    const patched = await staff.patch(`${path}/${id}`, {
      check_out: '2030-07-05',
      guestEmail: 'ada@example.com',
    })
    assert.deepEqual(expectStatus(patched, 200).booking, {
      ...booking,
      guestEmail: 'ada@example.com',
      checkOut: '2030-07-05T10:00:00.000Z',
      departure: '2030-07-05',
      nights: 4,
      updatedAt: patched.body.booking.updatedAt,
    })
    assert.notEqual(patched.headers.get('etag'), made.headers.get('etag'))
    expectProblem(
      await staff.patch(`${path}/${id}`, { guests: 2 }, { 'if-match': made.headers.get('etag')! }),
      412,
      'precondition-failed',
    )
    const replaced = await staff.put(`${path}/${id}`, { unitId: unit.id, ...stay, guests: 2, totalCents: 1 })
    assert.deepEqual(expectStatus(replaced, 200).booking, {
      ...booking,
      guests: 2,
      totalCents: 1,
      updatedAt: replaced.body.booking.updatedAt,
    })
    const again = await staff.put(`${path}/${id}`, replaced.body.booking)
    assert.equal(again.headers.get('etag'), replaced.headers.get('etag'), 'nothing was changed')

    assert.equal((await staff.delete(`${path}/${id}`)).status, 204)
    for (const reply of [
      await staff.get(`${path}/${id}`),
      await staff.patch(`${path}/${id}`, { guests: 1 }),
      await staff.delete(`${path}/${id}`),
    ])
      expectProblem(reply, 404, 'not-found')
    assert.deepEqual((await staff.get(`${path}?unit_id=${unit.id}`)).body.bookings, [])
    await addBooking(staff, { unitId: unit.id, ...stay })
  })

  test('may be sent in snake_case, with errors in the same spelling', async () => {
    const unit = await addUnit(owner)
    const snake = {
      unit_id: unit.id,
      guest_name: 'Bo',
      check_in: '2030-01-01',
      check_out: '2030-01-02',
      total_cents: 7,
    }
    const { booking } = expectStatus(await staff.post(path, snake), 201)
    assert.deepEqual([booking.guestName, booking.totalCents, booking.nights], ['Bo', 7, 1])
    expectProblem(await staff.post(path, { ...snake, check_in: 'soon' }), 400, 'validation-error', '/checkIn')
    expectProblem(await staff.post(path, { ...snake, unitId: unit.id }), 400, 'validation-error', '/unit_id')
    expectProblem(await staff.post(path, {}), 400, 'validation-error', '/unitId', '/guestName', '/checkIn')
  })

  test('is repeated under one Idempotency-Key without a second room', async () => {
    const unit = await addUnit(owner, { quantity: 5 })
    const key = { 'idempotency-key': 'once' }
    const first = await staff.post(path, { unitId: unit.id, ...stay }, key)
    const second = await staff.post(path, { unitId: unit.id, ...stay }, key)
    assert.deepEqual(expectStatus(second, 201), first.body)
    assert.equal((await staff.get(`${path}?unit_id=${unit.id}`)).body.bookings.length, 1)
  })

  test('rejects impossible stays', async () => {
    const unit = await addUnit(owner, { max_guests: 2, quantity: 3 })
    const send = (fields: object) => staff.post(path, { unitId: unit.id, ...stay, ...fields })
    const wrong: [object, string][] = [
      [{ checkOut: '2030-07-01' }, '/checkOut'],
      [{ checkOut: '2030-06-01' }, '/checkOut'],
      [{ checkIn: '2030-07-01T20:00:00Z', checkOut: '2030-07-01T22:00:00Z' }, '/checkOut'],
      [{ checkOut: '2031-07-02' }, '/checkOut'],
      [{ guests: 3 }, '/guests'],
      [{ guests: 7, rooms: 3 }, '/guests'],
      [{ rooms: 4 }, '/rooms'],
      [{ currency: 'usd' }, '/currency'],
      [{ source: 'pms' }, '/source'],
      [{ cancellationReason: 'host' }, '/cancellationReason'],
      [{ account_id: world.away.accountId }, '/account_id'],
    ]
    for (const [fields, pointer] of wrong) expectProblem(await send(fields), 422, 'semantic-error', pointer)
    for (const [name, pointer] of [
      ['unitId', '/unitId'],
      ['ratePlanId', '/ratePlanId'],
      ['quoteId', '/quoteId'],
    ] as const)
      expectProblem(await send({ [name]: world.home.id }), 422, 'reference-not-found', pointer)
    for (const status of ['checked_in', 'cancelled', 'expired'])
      expectProblem(await send({ status }), 409, 'invalid-status-transition')
    expectStatus(await send({ checkOut: '2031-07-01', guests: 6, rooms: 3 }), 201)
    for (const status of ['inactive', 'maintenance', 'archived']) {
      const other = await addUnit(owner)
      await owner.patch(`/api/v1/units/${other.id}`, { status })
      expectProblem(await send({ unitId: other.id }), 409, 'unit-not-bookable')
    }
    expectProblem(
      await (await world.home.as('viewer')).post(path, { unitId: unit.id, ...stay }),
      403,
      'forbidden',
    )
    expectProblem(await (await world.away.as('owner')).get(`${path}/${unit.id}`), 404, 'not-found')
  })
})

suite('bookings: rooms', () => {
  test('a refusal names the bookings that have the rooms, and alternatives', async () => {
    const space = await addSpace(owner)
    const unit = await addUnit(owner, { space_id: space.id, quantity: 2 })
    const near = await addUnit(owner, { space_id: space.id })
    const small = await addUnit(owner, { space_id: space.id, max_guests: 1 })
    const first = await addBooking(staff, { unitId: unit.id, checkIn: '2030-07-01', checkOut: '2030-07-03' })
    const values = [
      { unit_id: unit.id, date_from: '2030-07-02', date_to: '2030-07-02', blocked: 1, reason: 'Paint' },
    ]
    expectStatus(await owner.post('/api/v1/calendar', { values }), 201)
    await addBooking(staff, { unitId: unit.id, checkIn: '2030-07-03', checkOut: '2030-07-05' })
    const refused = await staff.post(path, { unitId: unit.id, ...stay, guests: 2 })
    expectProblem(refused, 409, 'booking-conflict')
    assert.deepEqual(refused.body.conflicts, [
      { booking_id: first.id, check_in: '2030-07-01', check_out: '2030-07-03', rooms: 1 },
      { block: { date_from: '2030-07-02', date_to: '2030-07-02', rooms: 1, reason: 'Paint' } },
    ])
    assert.deepEqual(refused.body.nights, [{ night: '2030-07-02', booked: 1, blocked: 1 }])
    assert.equal(refused.body.alternatives[0], near.id)
    assert.ok(refused.body.alternatives.length <= 5 && !refused.body.alternatives.includes(small.id))
    // Every other night has a room: those that touch it fit.
    await addBooking(staff, { unitId: unit.id, checkIn: '2030-07-01', checkOut: '2030-07-02' })
    await addBooking(staff, { unitId: unit.id, checkIn: '2030-07-03', checkOut: '2030-07-04' })
  })

  test('a stay can move to other nights and units, also overlapping its own', async () => {
    const unit = await addUnit(owner)
    const other = await addUnit(owner)
    const { id } = await addBooking(staff, { unitId: unit.id, ...stay })
    const taken = await addBooking(staff, { unitId: other.id, ...stay })
    const patch = (fields: object) => staff.patch(`${path}/${id}`, fields)
    expectStatus(await patch({ checkIn: '2030-07-02', checkOut: '2030-07-06' }), 200)
    await addBooking(staff, { unitId: unit.id, checkIn: '2030-07-01', checkOut: '2030-07-02' })
    expectProblem(await patch({ checkIn: '2030-07-01' }), 409, 'booking-conflict')
    const refused = await patch({ unitId: other.id })
    expectProblem(refused, 409, 'booking-conflict')
    assert.deepEqual(
      refused.body.conflicts.map((one: { booking_id: string }) => one.booking_id),
      [taken.id],
    )
    expectStatus(await patch({ unitId: other.id, checkIn: '2030-07-04', checkOut: '2030-07-06' }), 200)
    await addBooking(staff, { unitId: unit.id, checkIn: '2030-07-02', checkOut: '2030-07-06' })
  })

  test('the database refuses what gets past the door', async () => {
    const unit = await addUnit(owner)
    await addBooking(staff, { unitId: unit.id, ...stay })
    const by = (
      nights: string,
      status: string,
    ) => sql`insert into bookings (org_id, account_id, unit_id, guest_name,
        nights, check_in, check_out, total_cents, currency, status)
      values (${world.home.id}, ${world.home.accountId}, ${unit.id}, 'X', ${nights}, '2030-07-01T15:00Z',
        '2030-07-04T10:00Z', 1, 'eur', ${status})`
    await assert.rejects(run(by('[2030-07-03,2030-07-05)', 'confirmed')), { code: '23P01' })
    await run(by('[2030-07-04,2030-07-05)', 'confirmed'))
    await run(by('[2030-07-03,2030-07-05)', 'declined'))
    const back = sql`update bookings set status = 'confirmed' where unit_id = ${unit.id} and status = 'declined'`
    await assert.rejects(run(back), { code: '23P01' })
    const stretch = sql`update bookings set nights = '[2030-07-03,2030-07-05)' where unit_id = ${unit.id} and lower(nights) = '2030-07-04'`
    await assert.rejects(run(stretch), { code: '23P01' })
    await run(sql`delete from bookings where unit_id = ${unit.id} and lower(nights) = '2030-07-01'`)
    await run(stretch)
  })
})
