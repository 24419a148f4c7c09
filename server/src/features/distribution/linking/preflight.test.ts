import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { apiKey, openPropertyFixture, type PropertyFixture } from '#test/channex-property.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addListing, addSpace, addTarget, addUnit, freeOfCharge, unknownId } from '#test/records.ts'
import { openHostawayAccount, type HostawayAccount } from '#test/hostaway-account.ts'
import { shareWorld } from '#test/share-world.ts'
import { accountId, apiKey as hostawayKey } from '../../../../../sandbox/test/hostaway-caller.ts'

const { world, owner } = shareWorld()
let property: PropertyFixture

type Problem = { severity: string; code: string; field: string; channel_listing_id: string | null }

const get = (path: string, caller = owner) => caller.get(`/api/v1/${path}/preflight`)
const preflight = async (path: string) => expectStatus(await get(path), 200).preflight
const short = ({ problems }: { problems: Problem[] }) =>
  problems.map(({ severity, code, field }) => `${severity} ${code} ${field}`)
const ofListing = async ({ id }: { id: string }) => short(await preflight(`channel-listings/${id}`))

const configOf = ({ channex, propertyId }: PropertyFixture) => ({
  provider: 'channex',
  base_url: channex.url,
  property_ref: propertyId,
  credentials: { api_key: apiKey },
})

/** A property of its own for each test, with a listing that matches its first room. */
async function openRight(options: Parameters<typeof openPropertyFixture>[0] = {}) {
  property = await openPropertyFixture({ rooms: 2, plans: 2, timezone: 'Europe/Lisbon', ...options })
  const target = await addTarget(owner, { config: configOf(property) })
  const unit = await addUnit(owner, { name: 'Room 0', quantity: 5, base_price_cents: 9_000 })
  const listing = await link(unit, target, 0, 0)
  return { target, unit, listing, [Symbol.asyncDispose]: () => property[Symbol.asyncDispose]() }
}

const planId = (room: number, plan: number) => property.units[room]!.plans[plan]!.externalId!
const defaultPlan = async ({ id }: { id: string }): Promise<string> =>
  expectStatus(await owner.get(`/api/v1/rate-plans?unit_id=${id}`), 200).rate_plans[0].id
const link = async (unit: { id: string }, target: { id: string }, room: number, plan: number) =>
  addListing(owner, {
    unit_id: unit.id,
    channel_target_id: target.id,
    external_id: property.units[room]!.externalId,
    rate_plans: [{ rate_plan_id: await defaultPlan(unit), external_id: planId(room, plan) }],
  })
const change = async (listing: { id: string }, fields: object) =>
  expectStatus(await owner.put(`/api/v1/channel-listings/${listing.id}`, { ...listing, ...fields }), 200)
/** Maps a room that another listing maps, as listings may from before this was rejected. */
const mapAs = ({ id }: { id: string }, externalId: string, planId: string | null = null) =>
  world.resources.database.pipelined({ orgId: world.home.id }, [
    sql`
      update channel_listings
      set external_id = ${externalId},
        rate_plans = case when ${planId}::text is null then rate_plans
          else jsonb_set(rate_plans, '{0,external_id}', to_jsonb(${planId}::text)) end
      where id = ${id}`,
  ])
const changeUnit = async (unit: { id: string }, fields: object) =>
  expectStatus(await owner.patch(`/api/v1/units/${unit.id}`, fields), 200)

suite('preflight: happy', () => {
  test('reports nothing for a listing that matches its room', async () => {
    await using right = await openRight()
    const { checked_at, ...found } = await preflight(`channel-listings/${right.listing.id}`)
    assert.deepEqual(found, { ok: true, problems: [] })
    assert.ok(Math.abs(Date.parse(checked_at) - Date.now()) < 60_000)
    assert.equal((await preflight(`channel-targets/${right.target.id}`)).ok, true)
  })

  test('checks all listings of a target and reads the PMS once', async () => {
    await using right = await openRight()
    const unit = await addUnit(owner, { name: 'Room 1', space_id: right.unit.space_id })
    const other = await link(unit, right.target, 1, 1)
    await property.calls()
    const { ok, problems } = await preflight(`channel-targets/${right.target.id}`)
    assert.equal(ok, false)
    assert.deepEqual(
      problems.map(({ code, channel_listing_id }: Problem) => [code, channel_listing_id]),
      [
        ['no_base_price', other.id],
        ['quantity_differs', other.id],
      ],
    )
    const calls = await property.calls({ writes: false })
    assert.equal(new Set(calls.map(({ path }) => path)).size, calls.length, 'nothing is read twice')
    assert.ok(calls.every(({ method }) => method === 'GET'))
  })
})

suite('preflight: error', () => {
  test('reports a room and a rate plan that two targets map', async () => {
    await using right = await openRight()
    const target = await addTarget(owner, { config: configOf(property) })
    const unit = await addUnit(owner, { quantity: 5, base_price_cents: 9_000 })
    const other = await link(unit, target, 1, 0)
    await mapAs(other, property.units[0]!.externalId, planId(0, 0))
    for (const listing of [right.listing, other])
      assert.deepEqual(await ofListing(listing), [
        'error external_id_used_twice external_id',
        'error plan_used_twice rate_plans.0.external_id',
      ])
  })

  test('reports different guests, rooms and currency, and an inactive property', async () => {
    await using right = await openRight()
    await changeUnit(right.unit, { max_guests: 4, quantity: 2, currency: 'usd', base_price_cents: 9_000 })
    await property.api('PUT', `/properties/${property.propertyId}`, { property: { is_active: false } })
    assert.deepEqual(await ofListing(right.listing), [
      'error room_not_active external_id',
      'warning max_guests_differs unit.max_guests',
      'warning quantity_differs unit.quantity',
      'error currency_differs unit.currency',
      'error currency_differs rate_plans.0.external_id',
    ])
  })

  test('reports units of two spaces in one property', async () => {
    await using right = await openRight()
    const unit = await addUnit(owner, { quantity: 5, base_price_cents: 9_000 })
    await link(unit, right.target, 1, 0)
    const { ok, problems } = await preflight(`channel-targets/${right.target.id}`)
    assert.equal(ok, false)
    assert.deepEqual(short({ problems }), ['error several_spaces unit.space_id'])
    assert.equal(problems[0].channel_listing_id, null)
    assert.ok(problems[0].message.includes(unit.space.name), problems[0].message)
  })

  test('reports what is paused, inactive or without a price', async () => {
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

  test('reports a PMS that rejects the key or is unreachable, together with our own problems', async () => {
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

  test('a rate plan is reported by the preflight and the sync status until it is linked or archived', async () => {
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
})

suite('preflight: Hostaway', () => {
  let hostaway: HostawayAccount
  before(async () => (hostaway = await openHostawayAccount()))
  after(() => hostaway.close())

  const config = () => ({
    provider: 'hostaway',
    base_url: hostaway.url,
    credentials: { api_key: hostawayKey, account_id: String(accountId) },
  })

  test('reports nothing for Hostaway listings of several spaces in one account', async () => {
    const target = await addTarget(owner, { config: config() })
    for (const name of ['Villa Aurora', 'Villa Bruma']) {
      const unit = await addUnit(owner, { name, max_guests: 6, base_price_cents: 21_162 })
      const external_id = String(await hostaway.addListing({ name }))
      const listing = await addListing(owner, {
        unit_id: unit.id,
        channel_target_id: target.id,
        external_id,
      })
      assert.deepEqual(await ofListing(listing), [])
    }
  })

  test('reports a Hostaway listing that two targets of one account map', async () => {
    const id = String(await hostaway.addListing())
    const listings = []
    for (const property_ref of ['north', 'south']) {
      const target = await addTarget(owner, {
        config: { ...config(), property_ref },
      })
      const unit = await addUnit(owner, { max_guests: 6, base_price_cents: 9_000 })
      const link = { unit_id: unit.id, channel_target_id: target.id, external_id: property_ref }
      const listing = await addListing(owner, link)
      await mapAs(listing, id)
      listings.push(listing)
    }
    for (const listing of listings)
      assert.deepEqual(await ofListing(listing), ['error external_id_used_twice external_id'])
  })
})

suite('preflight: security', () => {
  test('returns 404 to another organization, and 403 without permission to read', async () => {
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
