import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { inDays } from '#test/local-days.ts'
import { addPlan, addSpace, addUnit, freeOfCharge } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()
let spaceId: string

before(async () => {
  spaceId = (await addSpace(owner, { timezone: 'Europe/Lisbon', currency: 'usd' })).id
})

const path = '/api/v1/units'
const belowMinimum = 'price-below-minimum'
const decide = (unit_id: string, days: number, price_cents: number | null, more: object = {}) =>
  owner.post('/api/v1/calendar', {
    values: [{ unit_id, date_from: inDays(days), date_to: inDays(days), price_cents, ...more }],
  })

suite('units: the price', () => {
  test('is required by POST and by PUT', async () => {
    const { id } = await addUnit(owner, { space_id: spaceId })
    const body = { space_id: spaceId, name: 'n' }
    for (const reply of [await owner.post(path, body), await owner.put(`${path}/${id}`, body)])
      expectProblem(reply, 400, 'validation-error', '/base_price_cents')
  })

  test('is 0 only with free_of_charge: true', async () => {
    const body = { space_id: spaceId, name: 'n', base_price_cents: 0 }
    const { id } = await addUnit(owner, { space_id: spaceId, base_price_cents: 9_000 })
    for (const given of [{}, { free_of_charge: false }])
      for (const reply of [
        await owner.post(path, { ...body, ...given }),
        await owner.put(`${path}/${id}`, { ...body, ...given }),
        await owner.patch(`${path}/${id}`, { base_price_cents: 0, ...given }),
      ])
        expectProblem(reply, 422, 'semantic-error', '/base_price_cents')
    const free = expectStatus(await owner.post(path, { ...body, free_of_charge: true }), 201).unit
    assert.deepEqual([free.base_price_cents, free.free_of_charge], [0, true])
    const patched = await owner.patch(`${path}/${id}`, freeOfCharge)
    assert.equal(expectStatus(patched, 200).unit.free_of_charge, true)
    const priced = await owner.patch(`${path}/${id}`, { base_price_cents: 100 })
    assert.equal(expectStatus(priced, 200).unit.free_of_charge, false)
  })

  test('of a free unit is accepted as it was read, and kept by a PATCH of other fields', async () => {
    const unit = await addUnit(owner, { space_id: spaceId })
    assert.deepEqual(expectStatus(await owner.put(`${path}/${unit.id}`, unit), 200).unit, unit)
    expectStatus(await owner.patch(`${path}/${unit.id}`, { name: 'Still free' }), 200)
  })

  test('contradicts free_of_charge when it is not 0', async () => {
    const body = { space_id: spaceId, name: 'n', base_price_cents: 5, free_of_charge: true }
    expectProblem(await owner.post(path, body), 422, 'semantic-error', '/free_of_charge')
    const { id } = await addUnit(owner, { space_id: spaceId, base_price_cents: 9_000 })
    const patch = { free_of_charge: true }
    expectProblem(await owner.patch(`${path}/${id}`, patch), 422, 'semantic-error', '/free_of_charge')
  })

  test('is required again with another currency, and so is the minimum', async () => {
    const fields = { space_id: spaceId, base_price_cents: 9_000, min_price_cents: 5_000 }
    const { id } = await addUnit(owner, fields)
    const patch = (change: object) => owner.patch(`${path}/${id}`, change)
    expectProblem(await patch({ currency: 'jpy' }), 422, 'semantic-error', '/base_price_cents')
    const priced = { currency: 'jpy', base_price_cents: 14_000 }
    expectProblem(await patch(priced), 422, 'semantic-error', '/min_price_cents')
    const { unit } = expectStatus(await patch({ ...priced, min_price_cents: 8_000 }), 200)
    assert.deepEqual([unit.currency, unit.base_price_cents, unit.min_price_cents], ['jpy', 14_000, 8_000])
  })
})

suite('units: the minimum', () => {
  test('the base price must reach it, whichever of the two changes', async () => {
    const fields = { space_id: spaceId, name: 'n', base_price_cents: 9_000, min_price_cents: 5_000 }
    const { id } = await addUnit(owner, fields)
    for (const reply of [
      await owner.post(path, { ...fields, base_price_cents: 4_999 }),
      await owner.post(path, { ...fields, ...freeOfCharge }),
      await owner.put(`${path}/${id}`, { ...fields, base_price_cents: 4_999 }),
      await owner.patch(`${path}/${id}`, { base_price_cents: 4_999 }),
      await owner.patch(`${path}/${id}`, freeOfCharge),
      await owner.patch(`${path}/${id}`, { min_price_cents: 9_001 }),
    ])
      expectProblem(reply, 422, belowMinimum, '/base_price_cents')
    expectStatus(await owner.patch(`${path}/${id}`, { base_price_cents: 5_000 }), 200)
    const removed = await owner.patch(`${path}/${id}`, { min_price_cents: null, base_price_cents: 1 })
    assert.equal(expectStatus(removed, 200).unit.min_price_cents, null)
  })

  test('applies to all prices of the calendar, and the error names the night', async () => {
    const unit = await addUnit(owner, { space_id: spaceId, base_price_cents: 9_000, min_price_cents: 5_000 })
    const plan = await addPlan(owner, { unit_id: unit.id })
    for (const more of [{}, { rate_plan_id: plan.id }]) {
      const refused = await decide(unit.id, 3, 4_999, more)
      expectProblem(refused, 422, belowMinimum, '/values/0/price_cents')
      assert.ok(refused.body.detail.includes(inDays(3)), refused.body.detail)
      expectStatus(await decide(unit.id, 3, 5_000, more), 201)
    }
  })

  test('cannot be raised above the prices of future nights, which the error lists', async () => {
    const unit = await addUnit(owner, { space_id: spaceId, base_price_cents: 9_000, min_price_cents: 1_000 })
    const plan = await addPlan(owner, { unit_id: unit.id })
    expectStatus(await decide(unit.id, 5, 3_000), 201)
    expectStatus(await decide(unit.id, 4, 2_000, { rate_plan_id: plan.id }), 201)
    const refused = await owner.patch(`${path}/${unit.id}`, { min_price_cents: 3_001 })
    expectProblem(refused, 422, belowMinimum, '/min_price_cents')
    assert.ok(refused.body.detail.includes(inDays(4)), refused.body.detail)
    assert.deepEqual(
      refused.body.nights.map(({ night, price_cents }: Record<string, unknown>) => [night, price_cents]),
      [
        [inDays(4), 2_000],
        [inDays(5), 3_000],
      ],
    )
    expectStatus(await owner.patch(`${path}/${unit.id}`, { min_price_cents: 2_000 }), 200)
    await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`update calendar_nights set night = night - 30 where unit_id = ${unit.id}`,
    ])
    expectStatus(await owner.patch(`${path}/${unit.id}`, { min_price_cents: 9_000 }), 200)
  })

  test('names an archived plan with lower prices, which has to become inactive before they are changed', async () => {
    const unit = await addUnit(owner, { space_id: spaceId, base_price_cents: 9_000, currency: 'usd' })
    const plan = await addPlan(owner, { unit_id: unit.id, name: 'Old plan' })
    expectStatus(await decide(unit.id, 4, 2_000, { rate_plan_id: plan.id }), 201)
    const setStatus = (status: string) => owner.patch(`/api/v1/rate-plans/${plan.id}`, { status })
    expectStatus(await setStatus('archived'), 200)
    const raised = await owner.patch(`${path}/${unit.id}`, { min_price_cents: 8_000 })
    expectProblem(raised, 422, 'price-below-minimum')
    assert.match(JSON.stringify(raised.body.errors), /Old plan/)
    const change = { currency: 'jpy', base_price_cents: 14_000, min_price_cents: 8_000 }
    const rejected = await owner.patch(`${path}/${unit.id}`, change)
    expectProblem(rejected, 409, 'resource-in-use')
    assert.match(rejected.body.detail, /Old plan/)
    expectStatus(await setStatus('inactive'), 200)
    expectStatus(await decide(unit.id, 4, null, { rate_plan_id: plan.id }), 201)
    expectStatus(await owner.patch(`${path}/${unit.id}`, change), 200)
  })

  test('raised concurrently with price changes leaves no night below it', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await addUnit(owner, { space_id: spaceId, base_price_cents: 9_000 })
      const [decided, raised] = await Promise.all([
        decide(id, 2, 4_000),
        owner.patch(`${path}/${id}`, { min_price_cents: 5_000 }),
      ])
      assert.deepEqual(
        [decided.status, raised.status].sort(),
        decided.status === 201 ? [201, 422] : [200, 422],
      )
    }
  })
})
