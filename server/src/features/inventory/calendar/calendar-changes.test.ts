import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import type { Role } from '#http/permissions.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { deleteExpired } from '#features/operations/retention/delete-expired.ts'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()

const path = '/api/v1/calendar-changes'
const [from, to] = ['2030-07-01', '2030-07-14']
const whole = { date_from: from, date_to: to }
const change = async (...values: object[]) =>
  expectStatus(await owner.post('/api/v1/calendar', { values }), 201).calendar_change
const detail = async (id: string) => expectStatus(await owner.get(`${path}/${id}`), 200).calendar_change
const tile = async (unitId: string) =>
  expectStatus(await owner.get(`/api/v1/calendar?unit_id=${unitId}&from=${from}&to=${to}`), 200).calendar[0]

async function asOwner(statement: Statement) {
  const database = openOwner(world.config.database.ownerUrl)
  try {
    return await database.pipelined({ orgId: null }, [statement])
  } finally {
    await database.close()
  }
}

suite('calendar changes: history', () => {
  test('a change has actor, time, values and replaced values, with equal nights as one entry', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000, quantity: 3 })
    const plan = unit.default_rate_plan_id ?? (await tile(unit.id)).plans[0].rate_plan_id
    await change({ unit_id: unit.id, date_from: '2030-07-08', date_to: to, price_cents: 10_000 })
    const made = await change(
      { unit_id: unit.id, ...whole, weekdays: ['fri', 'sat'], price_cents: 12_000, max_stay: 7 },
      { unit_id: unit.id, date_from: to, date_to: to, blocked: 2, reason: 'Paint' },
    )
    const { ranges, has_more_ranges, left, ...record } = await detail(made.id)
    assert.deepEqual(record, made)
    assert.deepEqual([has_more_ranges, left], [false, []])
    assert.deepEqual(
      [made.nights, made.nights_changed, made.units, made.unit_id, made.actor.name, made.members],
      [5, 5, 1, unit.id, 'Home owner', ['price_cents', 'max_stay', 'blocked', 'reason']],
    )
    const of = { unit_id: unit.id, rate_plan_id: plan }
    const after = { price_cents: 12_000, max_stay: 7 }
    const byNight = (a: { nights: { date_from: string }[] }, b: typeof a) =>
      a.nights[0]!.date_from.localeCompare(b.nights[0]!.date_from)
    assert.deepEqual(ranges.sort(byNight), [
      {
        ...of,
        nights: [{ date_from: '2030-07-05', date_to: '2030-07-06' }],
        before: { price_cents: null, max_stay: null },
        after,
        price_before_cents: 9_000,
        price_after_cents: 12_000,
      },
      {
        ...of,
        nights: [{ date_from: '2030-07-12', date_to: '2030-07-13' }],
        before: { price_cents: 10_000, max_stay: null },
        after,
        price_before_cents: 10_000,
        price_after_cents: 12_000,
      },
      {
        unit_id: unit.id,
        rate_plan_id: null,
        nights: [{ date_from: to, date_to: to }],
        before: { blocked: 0, reason: null },
        after: { blocked: 2, reason: 'Paint' },
        price_before_cents: null,
        price_after_cents: null,
      },
    ])
  })

  test('a change has an ETag, which changes with what is shown of it', async () => {
    const unit = await addUnit(owner)
    const { id } = await change({ unit_id: unit.id, ...whole, price_cents: 12_000 })
    const url = `${path}/${id}`
    const etag = (await owner.get(url)).headers.get('etag')!
    const known = await owner.get(url, { 'if-none-match': etag })
    assert.deepEqual([known.status, known.text], [304, ''])
    expectStatus(await owner.post(`${url}/revert`), 201)
    const reverted = await owner.get(url, { 'if-none-match': etag })
    assert.ok(expectStatus(reverted, 200).calendar_change.reverted_by_id)
    assert.notEqual(reverted.headers.get('etag'), etag)
  })

  test('its entry in the history has the reason of a block for callers who may see contact data', async () => {
    const unit = await addUnit(owner)
    const value = { unit_id: unit.id, ...whole, blocked: 1 }
    const reason = 'Mrs Lovelace, +351 912 345 678'
    const { id } = await change({ ...value, reason })
    const seenAs = async (role: Role) => {
      const caller = await world.home.as(role)
      const { audit } = expectStatus(await caller.get('/api/v1/sync/audit?action=calendar.changed'), 200)
      return audit.find((entry: { id: string }) => entry.id === id).changes[0].after
    }
    assert.deepEqual(await seenAs('staff'), { ...value, reason })
    assert.deepEqual(await seenAs('viewer'), value)
  })

  test('equal weekend nights of a year are one entry; unchanged nights have none', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000 })
    const year = { unit_id: unit.id, date_from: '2030-01-01', date_to: '2030-12-31', price_cents: 12_000 }
    const first = await change({ ...year, weekdays: ['sat'] })
    const { ranges } = await detail(first.id)
    assert.deepEqual([ranges.length, ranges[0].nights.length], [1, 52])
    const again = await change({ ...year, weekdays: ['sat'] })
    assert.deepEqual([again.nights, again.nights_changed], [52, 0])
    assert.deepEqual((await detail(again.id)).ranges, [])
  })

  test('unequal nights of a plan are stored in one row', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000 })
    const nights = Array.from({ length: 9 }, (_, at) => `2030-03-0${at + 1}`)
    await change(
      ...nights.map((day, at) => ({
        ...{ unit_id: unit.id, date_from: day, date_to: day },
        price_cents: 9_000 + at,
      })),
    )
    const moved = { unit_id: unit.id, date_from: nights[0], date_to: nights.at(-1) }
    const made = await change({ ...moved, price_delta_cents: 100, min_stay_arrival: 2 })
    const [stored] = await asOwner(
      sql`select cardinality(nights) as nights from calendar_change_parts where change_id = ${made.id}`,
    )
    assert.deepEqual(stored, [{ nights: 9 }])
    const { ranges } = await detail(made.id)
    assert.deepEqual(
      ranges.map((one: { before: object; after: object }) => [one.before, one.after]),
      nights.map((_, at) => [
        { price_cents: 9_000 + at, min_stay_arrival: null },
        { price_cents: 9_100 + at, min_stay_arrival: 2 },
      ]),
    )
  })

  test('the list is sorted from the newest, and filtered by unit, nights, time and actor', async () => {
    const [unit, other] = [await addUnit(owner), await addUnit(owner)]
    const july = await change({ unit_id: unit.id, ...whole, price_cents: 1 })
    const both = await change(
      { unit_id: unit.id, date_from: '2030-08-01', date_to: '2030-08-02', price_cents: 2 },
      { unit_id: other.id, ...whole, price_cents: 2 },
    )
    const last = await change({ unit_id: other.id, ...whole, stop_sell: true })
    const found = async (query: string) =>
      ids(expectStatus(await owner.get(`${path}?${query}`), 200).calendar_changes)
    assert.deepEqual(await found(`unit_id=${unit.id}`), [both.id, july.id])
    assert.deepEqual(await found(`unit_id=${unit.id}&unit_id=${other.id}&limit=2`), [last.id, both.id])
    assert.deepEqual(await found(`unit_id=${unit.id}&to=2030-07-31`), [july.id])
    assert.deepEqual(await found(`unit_id=${unit.id}&from=2030-07-14&to=2030-07-20`), [july.id])
    assert.deepEqual(await found(`unit_id=${unit.id}&from=2030-07-15&to=2030-07-20`), [])
    const since = `unit_id=${unit.id}&created_since=${both.created_at}`
    assert.deepEqual(await found(since), [both.id])
    assert.deepEqual(await found(`unit_id=${unit.id}&created_before=${both.created_at}`), [july.id])
    assert.deepEqual(await found(`unit_id=${unit.id}&actor_id=${july.actor.id}&sort=created_at`), [
      july.id,
      both.id,
    ])
    assert.deepEqual(await found(`unit_id=${unit.id}&actor_id=nobody`), [])
    const page = await owner.get(`${path}?unit_id=${other.id}&limit=1`)
    assert.deepEqual(ids(page.body.calendar_changes), [last.id])
    assert.deepEqual(await found(`unit_id=${other.id}&limit=1&cursor=${page.body.next_cursor}`), [both.id])
    const { ranges } = expectStatus(
      await owner.get(`${path}/${both.id}?unit_id=${other.id}`),
      200,
    ).calendar_change
    assert.deepEqual([ranges.length, ranges[0].unit_id], [1, other.id])
  })

  test('after 90 days it is deleted, and its entry in the audit stays', async () => {
    const unit = await addUnit(owner)
    const [old, young] = [
      await change({ unit_id: unit.id, ...whole, price_cents: 1 }),
      await change({ unit_id: unit.id, ...whole, price_cents: 2 }),
    ]
    const age = (id: string, days: number) =>
      asOwner(
        sql`update calendar_changes set created_at = now() - make_interval(days => ${days}::int) where id = ${id}`,
      )
    await age(old.id, 91)
    await age(young.id, 89)
    const deleted = await deleteExpired(world.resources.database, { notificationDays: 90 })
    const [parts] = await asOwner(sql`select change_id from calendar_change_parts where unit_id = ${unit.id}`)
    assert.equal(deleted['calendar_changes'], 1)
    assert.deepEqual(parts, [{ change_id: young.id }])
    expectProblem(await owner.get(`${path}/${old.id}`), 404, 'not-found')
    const { audit } = (await owner.get('/api/v1/sync/audit?limit=100&action=calendar.changed')).body
    assert.ok(ids(audit).includes(old.id))
  })
})
