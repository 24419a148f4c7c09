import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { TestCaller } from '../../../test/caller.ts'
import { apiKey, openHouse, type House } from '../../../test/channex-house.ts'
import { expectProblem, expectStatus } from '../../../test/expect.ts'
import { addListing, addSpace, addTarget, addUnit, freeOfCharge, unknownId } from '../../../test/records.ts'
import { openWorld, type World } from '../../../test/world.ts'

let world: World
let owner: TestCaller
let house: House

before(async () => {
  world = await openWorld()
  owner = await world.home.as('owner')
})
after(() => world[Symbol.asyncDispose]())

type Found = { severity: string; code: string; field: string; channel_listing_id: string | null }

const get = (path: string, caller = owner) => caller.get(`/api/v1/${path}/preflight`)
const preflight = async (path: string) => expectStatus(await get(path), 200).preflight
const short = ({ problems }: { problems: Found[] }) =>
  problems.map(({ severity, code, field }) => `${severity} ${code} ${field}`)
const ofListing = async ({ id }: { id: string }) => short(await preflight(`channel-listings/${id}`))

/** A house of its own for each test, with a unit for the first room that is right in everything. */
async function openRight(options: Parameters<typeof openHouse>[0] = {}) {
  house = await openHouse({ rooms: 2, plans: 2, timezone: 'Europe/Lisbon', ...options })
  const target = await addTarget(owner, {
    config: {
      provider: 'channex',
      base_url: house.channex.url,
      property_ref: house.property,
      credentials: { api_key: apiKey },
    },
  })
  const unit = await addUnit(owner, { name: 'Room 0', quantity: 5, base_price_cents: 9_000 })
  const listing = await addListing(owner, {
    unit_id: unit.id,
    channel_target_id: target.id,
    external_id: house.units[0]!.externalId,
    rate_plans: [{ rate_plan_id: await defaultPlan(unit), external_id: planId(0, 0) }],
  })
  return { target, unit, listing, [Symbol.asyncDispose]: () => house[Symbol.asyncDispose]() }
}

const planId = (room: number, plan: number) => house.units[room]!.plans[plan]!.externalId!
const defaultPlan = async ({ id }: { id: string }): Promise<string> =>
  expectStatus(await owner.get(`/api/v1/rate-plans?unit_id=${id}`), 200).rate_plans[0].id
const change = async (listing: { id: string }, fields: object) =>
  expectStatus(await owner.put(`/api/v1/channel-listings/${listing.id}`, { ...listing, ...fields }), 200)
const changeUnit = async (unit: { id: string }, fields: object) =>
  expectStatus(await owner.patch(`/api/v1/units/${unit.id}`, fields), 200)

suite('preflight: happy', () => {
  test('nothing is wrong with a listing that is right', async () => {
    await using right = await openRight()
    const { checked_at, ...found } = await preflight(`channel-listings/${right.listing.id}`)
    assert.deepEqual(found, { ok: true, problems: [] })
    assert.ok(Math.abs(Date.parse(checked_at) - Date.now()) < 60_000)
    assert.equal((await preflight(`channel-targets/${right.target.id}`)).ok, true)
  })

  test('the whole target is looked at with one look at the PMS', async () => {
    await using right = await openRight()
    const unit = await addUnit(owner, { name: 'Room 1', space_id: right.unit.space_id })
    const other = await addListing(owner, {
      unit_id: unit.id,
      channel_target_id: right.target.id,
      external_id: house.units[1]!.externalId,
      rate_plans: [{ rate_plan_id: await defaultPlan(unit), external_id: planId(1, 1) }],
    })
    await house.calls()
    const { ok, problems } = await preflight(`channel-targets/${right.target.id}`)
    assert.equal(ok, false)
    assert.deepEqual(
      problems.map(({ code, channel_listing_id }: Found) => [code, channel_listing_id]),
      [
        ['no_base_price', other.id],
        ['quantity_differs', other.id],
      ],
    )
    const calls = await house.calls({ writes: false })
    assert.equal(new Set(calls.map(({ path }) => path)).size, calls.length, 'nothing is asked twice')
    assert.ok(calls.every(({ method }) => method === 'GET'))
  })

  test('a unit that is yet to be made has only faults of ours', async () => {
    await using right = await openRight()
    const unit = await addUnit(owner, { space_id: right.unit.space_id, base_price_cents: 100 })
    const listing = { unit_id: unit.id, channel_target_id: right.target.id, external_id: null, create: true }
    const made = expectStatus(await owner.post('/api/v1/channel-listings', listing), 201).channel_listing
    assert.deepEqual(await preflight(`channel-listings/${made.id}`).then(short), [])
  })
})

suite('preflight: error', () => {
  test('rooms and plans that the PMS does not have', async () => {
    await using right = await openRight()
    const [mapped] = right.listing.rate_plans
    await change(right.listing, {
      external_id: unknownId,
      rate_plans: [{ ...mapped, external_id: 'no-plan' }],
    })
    assert.deepEqual(await ofListing(right.listing), [
      'error external_id_unknown external_id',
      'error plan_unknown rate_plans.0.external_id',
    ])
  })

  test('a plan of another room', async () => {
    await using right = await openRight()
    const [mapped] = right.listing.rate_plans
    await change(right.listing, { rate_plans: [{ ...mapped, external_id: planId(1, 0) }] })
    assert.deepEqual(await ofListing(right.listing), ['error plan_of_another_room rate_plans.0.external_id'])
  })

  test('no plan mapped, and only another than the default', async () => {
    await using right = await openRight()
    await change(right.listing, { rate_plans: [] })
    assert.deepEqual(await ofListing(right.listing), ['error default_plan_unmapped rate_plans'])
    const { rate_plan } = expectStatus(
      await owner.post('/api/v1/rate-plans', { unit_id: right.unit.id, name: 'Breakfast' }),
      201,
    )
    await change(right.listing, {
      rate_plans: [{ rate_plan_id: rate_plan.id, external_id: planId(0, 1) }],
    })
    assert.deepEqual(await ofListing(right.listing), ['warning default_plan_unmapped rate_plans'])
  })

  test('one room and one plan for two listings, through two targets', async () => {
    await using right = await openRight()
    const { name: _, ...again } = right.target
    const config = { ...right.target.config, credentials: { api_key: apiKey } }
    const target = await addTarget(owner, {
      ...again,
      id: undefined,
      org_id: undefined,
      config,
      status: 'active',
    })
    const unit = await addUnit(owner, { quantity: 5, base_price_cents: 9_000 })
    const other = await addListing(owner, {
      unit_id: unit.id,
      channel_target_id: target.id,
      external_id: right.listing.external_id,
      rate_plans: [{ rate_plan_id: await defaultPlan(unit), external_id: planId(0, 0) }],
    })
    for (const listing of [right.listing, other])
      assert.deepEqual(await ofListing(listing), [
        'error external_id_used_twice external_id',
        'error plan_used_twice rate_plans.0.external_id',
      ])
  })

  test('guests, rooms and currency that differ, and a property that is not active', async () => {
    await using right = await openRight()
    await changeUnit(right.unit, { max_guests: 4, quantity: 2, currency: 'usd', base_price_cents: 9_000 })
    await house.api('PUT', `/properties/${house.property}`, { property: { is_active: false } })
    assert.deepEqual(await ofListing(right.listing), [
      'error room_not_active external_id',
      'warning max_guests_differs unit.max_guests',
      'warning quantity_differs unit.quantity',
      'error currency_differs unit.currency',
      'error currency_differs rate_plans.0.external_id',
    ])
  })

  test('units of two spaces behind one property', async () => {
    await using right = await openRight()
    const unit = await addUnit(owner, { quantity: 5, base_price_cents: 9_000 })
    await addListing(owner, {
      unit_id: unit.id,
      channel_target_id: right.target.id,
      external_id: house.units[1]!.externalId,
      rate_plans: [{ rate_plan_id: await defaultPlan(unit), external_id: planId(1, 0) }],
    })
    const { ok, problems } = await preflight(`channel-targets/${right.target.id}`)
    assert.equal(ok, false)
    assert.deepEqual(short({ problems }), ['error several_spaces unit.space_id'])
    assert.equal(problems[0].channel_listing_id, null)
    assert.ok(problems[0].message.includes(unit.space.name), problems[0].message)
  })

  test('what is not sold here: paused, switched off, not active, without a price', async () => {
    await using right = await openRight()
    await owner.post(`/api/v1/channel-listings/${right.listing.id}/pause`)
    await owner.post(`/api/v1/channel-targets/${right.target.id}/pause`)
    await owner.patch(`/api/v1/spaces/${right.unit.space_id}`, { status: 'inactive' })
    await changeUnit(right.unit, { status: 'maintenance', ...freeOfCharge })
    const { ok, problems } = await preflight(`channel-listings/${right.listing.id}`)
    assert.equal(ok, false)
    assert.deepEqual(short({ problems }), [
      'warning target_inactive channel_target.status',
      'warning listing_paused status',
      'warning unit_not_active unit.status',
      'warning space_not_active unit.space.status',
      'error no_base_price unit.base_price_cents',
    ])
    for (const { message, hint } of problems) assert.ok(message && hint)
  })

  test('a PMS that cannot be asked, and one that refuses the key, with what is wrong here', async () => {
    await using right = await openRight()
    await changeUnit(right.unit, freeOfCharge)
    const config = { ...right.target.config, credentials: { api_key: 'wrong' } }
    const put = (changed: object) =>
      owner.put(`/api/v1/channel-targets/${right.target.id}`, { ...right.target, config: changed })
    expectStatus(await put(config), 200)
    assert.deepEqual(await ofListing(right.listing), [
      'error auth_rejected channel_target.config.credentials',
      'error no_base_price unit.base_price_cents',
    ])
    expectStatus(await put({ ...config, base_url: 'http://127.0.0.1:9' }), 200)
    const { problems } = await preflight(`channel-targets/${right.target.id}`)
    assert.equal(short({ problems })[0], 'error network channel_target.config')
    assert.doesNotMatch(problems[0].hint, /push/)
  })

  test('a unit that the sandbox does not know is made by the first push', async () => {
    const unit = await addUnit(owner, { base_price_cents: 9_000 })
    const listing = await addListing(owner, { unit_id: unit.id })
    const { ok, problems } = await preflight(`channel-listings/${listing.id}`)
    assert.equal(ok, true)
    assert.deepEqual(short({ problems }), ['warning external_id_unknown external_id'])
  })
})

suite('preflight: security', () => {
  test('a stranger finds neither listing nor target; who may read them may ask', async () => {
    const space = await addSpace(owner)
    const unit = await addUnit(owner, { space_id: space.id })
    const listing = await addListing(owner, { unit_id: unit.id })
    for (const path of [`channel-listings/${listing.id}`, `channel-targets/${listing.channel_target_id}`]) {
      expectProblem(await get(path, await world.away.as('owner')), 404, 'not-found')
      expectProblem(await get(path, await world.home.as('service')), 403, 'forbidden')
      expectStatus(await get(path, await world.home.as('viewer')), 200)
    }
    for (const path of ['channel-listings', 'channel-targets'])
      expectProblem(await get(`${path}/${unknownId}`), 404, 'not-found')
  })
})
