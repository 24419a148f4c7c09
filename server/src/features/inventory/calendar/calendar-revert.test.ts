import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addListing, addPlan, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld({ env: { DATABASE_POOL_SIZE: '30' } })

const path = '/api/v1/calendar-changes'
const [from, to] = ['2030-07-01', '2030-07-14']
const whole = { date_from: from, date_to: to }
const change = async (...values: object[]) =>
  expectStatus(await owner.post('/api/v1/calendar', { values }), 201).calendar_change
const detail = async (id: string) => expectStatus(await owner.get(`${path}/${id}`), 200).calendar_change
const revert = (id: string) => owner.post(`${path}/${id}/revert`, undefined)
const reverted = async (id: string) => expectStatus(await revert(id), 201)
const tile = async (unitId: string) =>
  expectStatus(await owner.get(`/api/v1/calendar?unit_id=${unitId}&from=${from}&to=${to}`), 200).calendar[0]
const pricesOf = async (unitId: string) =>
  (await tile(unitId)).plans[0].days.map((day: { date_from: string; price_cents: number }) => [
    day.date_from.slice(-2),
    day.price_cents,
  ])

suite('calendar changes: revert', () => {
  test('restores prices, restrictions and blocks, and pushes them', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000, quantity: 3 })
    const plan = await addPlan(owner, { unit_id: unit.id })
    const listing = await addListing(owner, { unit_id: unit.id })
    await change(
      {
        unit_id: unit.id,
        date_from: '2030-07-03',
        date_to: '2030-07-09',
        price_cents: 10_000,
        min_stay_arrival: 2,
      },
      { unit_id: unit.id, date_from: '2030-07-05', date_to: '2030-07-06', blocked: 1, reason: 'Paint' },
    )
    const before = await tile(unit.id)
    const made = await change(
      {
        unit_id: unit.id,
        ...whole,
        price_cents: 12_000,
        min_stay_arrival: null,
        stop_sell: true,
        blocked: 0,
      },
      { unit_id: unit.id, rate_plan_id: plan.id, ...whole, closed_to_arrival: true, price_cents: 1 },
      { unit_id: unit.id, date_from: to, date_to: to, blocked: 3 },
    )
    assert.notDeepEqual(await tile(unit.id), before)
    const pending = async () => (await owner.get(`/api/v1/sync/status/${listing.id}`)).body.pending_changes
    const pendingBefore = await pending()
    const { calendar_change: back, left } = await reverted(made.id)
    assert.deepEqual(await tile(unit.id), before)
    assert.equal(await pending(), pendingBefore + 1)
    assert.deepEqual([left, back.reverts_id, back.nights_changed], [[], made.id, made.nights_changed])
    assert.equal((await detail(made.id)).reverted_by_id, back.id)
    // Reverted itself, it is done again.
    const changed = await reverted(back.id)
    assert.equal(changed.calendar_change.nights_changed, made.nights_changed)
    assert.equal((await pricesOf(unit.id))[0][1], 12_000)
  })

  test('does not restore a price of another currency', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000, currency: 'eur' })
    await change({ unit_id: unit.id, ...whole, price_cents: 12_000, min_stay_arrival: 2 })
    const made = await change({ unit_id: unit.id, ...whole, price_cents: null, min_stay_arrival: null })
    const inYen = { currency: 'jpy', base_price_cents: 14_000 }
    expectStatus(await owner.patch(`/api/v1/units/${unit.id}`, inYen), 200)
    const { left } = await reverted(made.id)
    const [{ price_cents, min_stay_arrival }] = (await tile(unit.id)).plans[0].days
    assert.deepEqual([price_cents, min_stay_arrival], [14_000, 2])
    assert.deepEqual(
      left.map(({ members, reason }: { members: string[]; reason: string }) => [members, reason]),
      [[['price_cents'], 'changed_since']],
    )
  })

  test('nights that were changed since are skipped and listed, value by value', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000 })
    const made = await change({ unit_id: unit.id, ...whole, price_cents: 10_000, max_stay: 7 })
    await change(
      { unit_id: unit.id, date_from: '2030-07-03', date_to: '2030-07-04', price_cents: 11_000 },
      { unit_id: unit.id, date_from: '2030-07-09', date_to: '2030-07-09', price_cents: 11_000 },
    )
    const { calendar_change: back, left } = await reverted(made.id)
    const { rate_plan_id } = (await tile(unit.id)).plans[0]
    const expected = [
      {
        unit_id: unit.id,
        rate_plan_id,
        members: ['price_cents'],
        reason: 'changed_since',
        nights: [
          { date_from: '2030-07-03', date_to: '2030-07-04' },
          { date_from: '2030-07-09', date_to: '2030-07-09' },
        ],
      },
    ]
    assert.deepEqual(left, expected)
    assert.deepEqual((await detail(back.id)).left, expected)
    assert.deepEqual(await pricesOf(unit.id), [
      ['01', 9_000],
      ['03', 11_000],
      ['05', 9_000],
      ['09', 11_000],
      ['10', 9_000],
    ])
    const days = (await tile(unit.id)).plans[0].days as { max_stay: number | null }[]
    assert.ok(
      days.every(({ max_stay }) => max_stay === null),
      'the other value is restored',
    )
  })

  test('a change is reverted once, however often it is requested', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000 })
    const made = await change({ unit_id: unit.id, ...whole, price_cents: 10_000 })
    const replies = await Promise.all(Array.from({ length: 8 }, () => revert(made.id)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201])
    assert.equal(new Set(replies.map(({ body }) => body.calendar_change.id)).size, 1)
    await change({ unit_id: unit.id, ...whole, price_cents: 10_000 })
    const again = expectStatus(await revert(made.id), 200)
    assert.equal(again.calendar_change.reverts_id, made.id)
    assert.deepEqual(await pricesOf(unit.id), [['01', 10_000]])
  })

  test('changes nothing when every night was changed since, and can be repeated', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000 })
    const made = await change({ unit_id: unit.id, ...whole, price_cents: 10_000 })
    const later = await change({ unit_id: unit.id, ...whole, price_cents: 11_000 })
    const nothing = await reverted(made.id)
    assert.deepEqual([nothing.calendar_change.nights_changed, nothing.left.length], [0, 1])
    await reverted(later.id)
    await reverted(made.id)
    assert.deepEqual(await pricesOf(unit.id), [['01', 9_000]])
  })

  test('skips what is no longer allowed: a price below the minimum, missing rooms, a plan, a unit', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000, quantity: 3 })
    const plan = await addPlan(owner, { unit_id: unit.id })
    const gone = await addUnit(owner)
    await change(
      { unit_id: unit.id, ...whole, price_cents: 5_000, blocked: 3 },
      { unit_id: unit.id, rate_plan_id: plan.id, ...whole, price_cents: 5_000 },
      { unit_id: gone.id, ...whole, price_cents: 5_000 },
    )
    const made = await change(
      { unit_id: unit.id, ...whole, price_cents: 8_000, blocked: 0 },
      { unit_id: unit.id, rate_plan_id: plan.id, ...whole, price_cents: 8_000 },
      { unit_id: gone.id, ...whole, price_cents: 8_000 },
    )
    expectStatus(await owner.patch(`/api/v1/units/${unit.id}`, { min_price_cents: 6_000, quantity: 2 }), 200)
    expectStatus(await owner.patch(`/api/v1/rate-plans/${plan.id}`, { status: 'archived' }), 200)
    expectStatus(await owner.delete(`/api/v1/units/${gone.id}`), 204)
    const { left } = await reverted(made.id)
    assert.deepEqual(left.map(({ reason }: { reason: string }) => reason).sort(), [
      'below_minimum',
      'rate_plan_archived',
      'too_many_rooms',
      'unit_deleted',
    ])
    assert.deepEqual(await pricesOf(unit.id), [['01', 8_000]])
  })

  test('past nights are skipped', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000 })
    const made = await change({ unit_id: unit.id, ...whole, price_cents: 10_000 })
    const { rate_plan_id } = (await tile(unit.id)).plans[0]
    const database = openOwner(world.config.database.ownerUrl)
    const past = ['2020-01-01', '2020-01-02']
    await database.pipelined({ orgId: null }, [
      sql`update calendar_change_parts
        set nights = ${past}::date[] || nights, old_price_cents = array[null, null]::bigint[] || old_price_cents,
          price_cents = array[10000, 10000]::bigint[] || price_cents
        where change_id = ${made.id}`,
      sql`insert into calendar_nights (org_id, unit_id, rate_plan_id, night, price_cents)
        values (${world.home.id}, ${unit.id}, ${rate_plan_id}, '2020-01-01', 10000)`,
    ])
    await database.close()
    const { left } = await reverted(made.id)
    assert.deepEqual(
      left.map(({ reason, nights }: { reason: string; nights: object[] }) => [reason, nights]),
      [['past', [{ date_from: '2020-01-01', date_to: '2020-01-02' }]]],
    )
    assert.deepEqual(await pricesOf(unit.id), [['01', 9_000]])
  })

  test('with concurrent changes each night is either restored or skipped', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000 })
    const day = { unit_id: unit.id, date_from: from, date_to: from }
    for (let round = 0; round < 10; round++) {
      await change({ unit_id: unit.id, ...whole, price_cents: null })
      const made = await change({ unit_id: unit.id, ...whole, price_cents: 10_000 })
      const [{ calendar_change: back, left }, other] = await Promise.all([
        reverted(made.id),
        change({ ...day, price_cents: 11_000 }),
      ])
      // Whichever was first, the price that was decided stands.
      assert.deepEqual(await pricesOf(unit.id), [
        ['01', 11_000],
        ['02', 9_000],
      ])
      const [was] = (await detail(other.id)).ranges
      const isFirst = was.before.price_cents === 10_000
      assert.deepEqual([left.length, back.nights_changed], isFirst ? [1, 13] : [0, 14])
    }
  })

  test('the audit records who reverted which change', async () => {
    const unit = await addUnit(owner)
    const admin = await world.home.as('admin')
    const made = await change({ unit_id: unit.id, ...whole, price_cents: 10_000 })
    const reply = expectStatus(await admin.post(`${path}/${made.id}/revert`, undefined), 201)
    const { audit } = (await owner.get(`/api/v1/sync/audit?unit_id=${unit.id}&action=calendar.reverted`)).body
    assert.deepEqual(ids(audit), [reply.calendar_change.id])
    assert.deepEqual(
      [audit[0].actor.name, audit[0].changes[0].before.id, audit[0].changes[0].before.actor.name],
      ['Home admin', made.id, 'Home owner'],
    )
  })

  test('other organizations and readers cannot', async () => {
    const unit = await addUnit(owner)
    const made = await change({ unit_id: unit.id, ...whole, price_cents: 10_000 })
    const viewer = await world.home.as('viewer')
    expectProblem(await stranger.post(`${path}/${made.id}/revert`, undefined), 404, 'not-found')
    expectProblem(await stranger.get(`${path}/${made.id}`), 404, 'not-found')
    assert.deepEqual(expectStatus(await stranger.get(`${path}?unit_id=${unit.id}`), 200).calendar_changes, [])
    expectStatus(await viewer.get(`${path}/${made.id}`), 200)
    expectProblem(await viewer.post(`${path}/${made.id}/revert`, undefined), 403, 'forbidden')
    expectProblem(await revert(unknownId), 404, 'not-found')
  })
})
