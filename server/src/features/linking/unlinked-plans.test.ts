import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestCaller } from '../../../test/caller.ts'
import { apiKey, openHouse, type House } from '../../../test/channex-house.ts'
import { expectStatus } from '../../../test/expect.ts'
import { addListing, addTarget, addUnit } from '../../../test/records.ts'
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

/** A house with a unit for the first room that is right in everything. */
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
test('a plan that is not linked: pre-flight and the status of the listing say so until it is', async () => {
  await using right = await openRight()
  const { id } = expectStatus(
    await owner.post('/api/v1/rate-plans', { unit_id: right.unit.id, name: 'Breakfast' }),
    201,
  ).rate_plan
  const warnings = async () =>
    expectStatus(await owner.get(`/api/v1/sync/status/${right.listing.id}`), 200).warnings.map(
      ({ code, rate_plan_id }: { code: string; rate_plan_id: string }) => [code, rate_plan_id],
    )
  assert.deepEqual(await ofListing(right.listing), ['warning plan_not_linked rate_plans'])
  assert.deepEqual(await warnings(), [['plan_not_linked', id]])
  const listed = expectStatus(await owner.get('/api/v1/sync/status'), 200).sync_statuses.find(
    (one: { channel_listing_id: string }) => one.channel_listing_id === right.listing.id,
  )
  assert.deepEqual(listed.warnings.length, 1)

  const link = { rate_plan_id: id, external_id: planId(0, 1) }
  await change(right.listing, { rate_plans: [...right.listing.rate_plans, link] })
  assert.deepEqual([await ofListing(right.listing), await warnings()], [[], []])
  await change(right.listing, { rate_plans: [link] })
  assert.deepEqual(await warnings(), [['plan_not_linked', await defaultPlan(right.unit)]])
  await change(right.listing, { rate_plans: right.listing.rate_plans })
  expectStatus(await owner.patch(`/api/v1/rate-plans/${id}`, { status: 'archived' }), 200)
  assert.deepEqual([await ofListing(right.listing), await warnings()], [[], []])
})
