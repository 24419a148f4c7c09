import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addListing, addPlan, addSpace, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()

const path = '/api/v1/calendar'
const [from, to] = ['2030-07-01', '2030-07-14']
const change = async (...values: object[]) =>
  expectStatus(await owner.post(path, { values }), 201).calendar_change
const tile = async (unitId: string, first = from, last = to) =>
  expectStatus(await owner.get(`${path}?unit_id=${unitId}&from=${first}&to=${last}`), 200).calendar[0]
const whole = { date_from: from, date_to: to }
const open = {
  min_stay_arrival: 1,
  min_stay_through: 1,
  max_stay: null,
  closed_to_arrival: false,
  closed_to_departure: false,
  stop_sell: false,
}

suite('calendar: values', () => {
  test('without values every night has the price of the unit and all of its rooms', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000, quantity: 3 })
    const { plans, ...rest } = await tile(unit.id)
    assert.deepEqual(rest, {
      unit_id: unit.id,
      name: unit.name,
      status: 'active',
      space_id: unit.space_id,
      space_name: expectStatus(await owner.get(`/api/v1/spaces/${unit.space_id}`), 200).space.name,
      currency: unit.currency,
      quantity: 3,
      stopped: false,
      listings: [],
      bookings: [],
      holds: [],
      conflicts: [],
      availability: [{ ...whole, available: 3, booked: 0, blocked: 0, reason: null }],
    })
    assert.deepEqual(plans.length, 1)
    assert.deepEqual(plans[0].days, [{ ...whole, price_cents: 9_000, ...open }])
  })

  test('one change covers many units, plans and weekdays, and returns what it changed', async () => {
    const space = await addSpace(owner)
    const unit = await addUnit(owner, { space_id: space.id, base_price_cents: 9_000, name: 'A' })
    const other = await addUnit(owner, {
      space_id: space.id,
      base_price_cents: 5_000,
      quantity: 2,
      name: 'B',
    })
    const plan = await addPlan(owner, { unit_id: other.id })
    await addListing(owner, { unit_id: unit.id })
    await addListing(owner, { unit_id: other.id })
    await addListing(owner, { unit_id: other.id })
    const made = await change(
      { unit_id: unit.id, ...whole, weekdays: ['fri', 'sat'], price_cents: 12_000 },
      {
        unit_id: other.id,
        rate_plan_id: plan.id,
        date_from: '2030-07-03',
        date_to: '2030-07-04',
        min_stay_arrival: 2,
        stop_sell: true,
      },
      { unit_id: other.id, date_from: '2030-07-14', date_to: '2030-07-15', blocked: 1, reason: 'Paint' },
    )
    assert.deepEqual([made.values, made.nights, made.listings], [3, 4 + 2 + 2, 3])
    const read = await owner.get(`${path}?space_id=${space.id}&from=${from}&to=${to}`)
    const [first, second, ...more] = expectStatus(read, 200).calendar
    assert.deepEqual([first.unit_id, second.unit_id, more], [unit.id, other.id, []])
    assert.deepEqual(
      first.plans[0].days.map((day: { date_from: string; date_to: string; price_cents: number }) => [
        day.date_from,
        day.date_to,
        day.price_cents,
      ]),
      [
        ['2030-07-01', '2030-07-04', 9_000],
        ['2030-07-05', '2030-07-06', 12_000],
        ['2030-07-07', '2030-07-11', 9_000],
        ['2030-07-12', '2030-07-13', 12_000],
        ['2030-07-14', '2030-07-14', 9_000],
      ],
    )
    assert.deepEqual(second.availability, [
      { date_from: from, date_to: '2030-07-13', available: 2, booked: 0, blocked: 0, reason: null },
      { date_from: to, date_to: to, available: 1, booked: 0, blocked: 1, reason: 'Paint' },
    ])
    const [standard, extra] = second.plans
    assert.deepEqual(standard.days, [{ ...whole, price_cents: 5_000, ...open }])
    assert.equal(extra.rate_plan_id, plan.id)
    assert.deepEqual(extra.days[1], {
      date_from: '2030-07-03',
      date_to: '2030-07-04',
      price_cents: 5_000,
      ...open,
      min_stay_arrival: 2,
      stop_sell: true,
    })
  })

  test('omitted members stay; null returns to the default; later values apply', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000 })
    const day = { date_from: from, date_to: from }
    const of = (terms: object) => ({ unit_id: unit.id, ...day, ...terms })
    const now = async () => (await tile(unit.id, from, from)).plans[0].days[0]
    await change(of({ price_cents: 1, max_stay: 7, closed_to_arrival: true }))
    await change(of({ price_cents: 2 }), of({ min_stay_through: 3 }), of({ price_cents: 4 }))
    const later = { price_cents: 4, min_stay_through: 3, max_stay: 7, closed_to_arrival: true }
    assert.deepEqual(await now(), { ...day, ...open, ...later })
    await change(of({ price_cents: null, max_stay: 9 }), of({ max_stay: null, closed_to_arrival: null }))
    assert.deepEqual(await now(), { ...day, ...open, price_cents: 9_000, min_stay_through: 3 })
    await change(of({ min_stay_through: null }))
    assert.deepEqual(await now(), { ...day, ...open, price_cents: 9_000 })
    assert.equal(await nightsKept(unit.id), 0)
  })

  test('a block is removed by 0 or null', async () => {
    const unit = await addUnit(owner, { quantity: 5 })
    const of = (terms: object) => ({ unit_id: unit.id, ...whole, ...terms })
    const blocked = async () =>
      (await tile(unit.id)).availability.map((one: { blocked: number }) => one.blocked)
    await change(of({ blocked: 5 }), of({ blocked: 2, weekdays: ['mon'] }))
    assert.deepEqual(await blocked(), [2, 5, 2, 5])
    await change(of({ blocked: 0, weekdays: ['mon'] }))
    assert.deepEqual(await blocked(), [0, 5, 0, 5])
    await change(of({ blocked: null }))
    assert.deepEqual(await blocked(), [0])
  })

  test('a repeated change changes nothing, with the same response', async () => {
    const unit = await addUnit(owner)
    const value = { unit_id: unit.id, ...whole, price_cents: 7, blocked: 1 }
    const key = { 'idempotency-key': 'again' }
    const first = await owner.post(path, { values: [value] }, key)
    const again = await owner.post(path, { values: [value] }, key)
    assert.deepEqual(
      [expectStatus(again, 201), again.headers.get('idempotent-replayed')],
      [first.body, 'true'],
    )
    const written = await rowsWritten(unit.id)
    const { nights } = await change(value)
    assert.deepEqual([nights, await rowsWritten(unit.id)], [28, written])
  })

  test('bookings occupy rooms, cancelled ones do not', async () => {
    const unit = await addUnit(owner, { quantity: 4 })
    const stay = (nights: string, rooms: number, status = 'confirmed') =>
      sql`insert into bookings (org_id, account_id, unit_id, guest_name, rooms, nights, check_in, check_out, total_cents,
          currency, status) values (${world.home.id}, ${world.home.accountId}, ${unit.id}, 'Ada', ${rooms}, ${nights},
          '2030-06-20T15:00Z', '2030-07-03T10:00Z', 100, 'eur', ${status})`
    await world.resources.database.pipelined({ orgId: world.home.id }, [
      stay('[2030-06-20,2030-07-03)', 1),
      stay('[2030-07-02,2030-07-04)', 2),
      stay('[2030-07-01,2030-07-14)', 4, 'cancelled'),
      stay('[2030-07-14,2030-08-14)', 1, 'pending'),
    ])
    await change({ unit_id: unit.id, date_from: '2030-07-02', date_to: '2030-07-02', blocked: 4 })
    const { availability } = await tile(unit.id)
    assert.deepEqual(
      availability.map((one: Record<string, unknown>) => Object.values(one).slice(0, 5)),
      [
        ['2030-07-01', '2030-07-01', 3, 1, 0],
        ['2030-07-02', '2030-07-02', 0, 3, 4],
        ['2030-07-03', '2030-07-03', 2, 2, 0],
        ['2030-07-04', '2030-07-13', 4, 0, 0],
        ['2030-07-14', '2030-07-14', 3, 1, 0],
      ],
    )
  })

  test('inactive units have no available rooms; an archived plan is omitted', async () => {
    const unit = await addUnit(owner)
    const plan = await addPlan(owner, { unit_id: unit.id, status: 'inactive' })
    const stops = async () =>
      (await tile(unit.id)).plans.map(({ days }: { days: { stop_sell: boolean }[] }) => days[0]!.stop_sell)
    assert.deepEqual(await stops(), [false, true])
    await owner.patch(`/api/v1/rate-plans/${plan.id}`, { status: 'archived' })
    assert.deepEqual(await stops(), [false])
    await owner.patch(`/api/v1/units/${unit.id}`, { status: 'maintenance' })
    assert.deepEqual(await stops(), [true])
    await owner.patch(`/api/v1/units/${unit.id}`, { status: 'active' })
    await owner.patch(`/api/v1/spaces/${unit.space_id}`, { status: 'inactive' })
    assert.deepEqual(await stops(), [true])
  })
})

suite('calendar: records of a change', () => {
  test('has one audit entry with its id, values and actor', async () => {
    const unit = await addUnit(owner)
    const other = await addUnit(owner)
    const values = [unit, other].map(({ id }) => ({ unit_id: id, ...whole, price_cents: 7 }))
    const before = (await owner.get('/api/v1/sync/audit?limit=100&action=calendar.changed')).body.audit
    const made = await change(...values)
    const { audit } = (await owner.get('/api/v1/sync/audit?limit=100&action=calendar.changed')).body
    assert.equal(audit.length, before.length + 1)
    const entry = audit.find(({ id }: { id: string }) => id === made.id)
    assert.deepEqual(
      entry.changes.map(({ after }: { after: unknown }) => after),
      values,
    )
    assert.deepEqual(
      [entry.actor.name, entry.unit_id, entry.created_at],
      ['Home owner', null, made.created_at],
    )
  })

  test('a rejected change leaves nothing', async () => {
    const unit = await addUnit(owner)
    const good = { unit_id: unit.id, ...whole, price_cents: 7 }
    const body = { values: [good, { ...good, blocked: 2 }] }
    expectProblem(await owner.post(path, body), 422, 'semantic-error', '/values/1/blocked')
    assert.equal(await nightsKept(unit.id), 0)
  })

  test('pushes the listings', async () => {
    const unit = await addUnit(owner)
    const { id } = await addListing(owner, { unit_id: unit.id })
    const pending = async () => (await owner.get(`/api/v1/sync/status/${id}`)).body.pending_changes
    const before = await pending()
    await change({ unit_id: unit.id, ...whole, price_cents: 7 })
    assert.equal(await pending(), before + 1)
  })
})

const kept = async (unitId: string) =>
  (
    await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`select count(*)::int as rows, coalesce(max(xmin::text::bigint), 0)::int as newest from calendar_nights
        where unit_id = ${unitId}`,
    ])
  )[0][0] as { rows: number; newest: number }
const nightsKept = async (unitId: string) => (await kept(unitId)).rows
const rowsWritten = async (unitId: string) => (await kept(unitId)).newest
