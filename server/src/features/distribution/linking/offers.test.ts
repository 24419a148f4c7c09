import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import { apiKey, openPropertyFixture, type PropertyFixture } from '#test/channex-property.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { openHostawayAccount, type HostawayAccount } from '#test/hostaway-account.ts'
import { addAccount, addListing, addSpace, addTarget, addUnit, unknownId } from '#test/records.ts'
import { openWorld, type World } from '#test/world.ts'
import { accountId, apiKey as hostawayKey } from '../../../../../sandbox/test/hostaway-caller.ts'
import { loft } from '../../../../../sandbox/test/pms-caller.ts'

let world: World
let owner: TestCaller
let property: PropertyFixture
let hostaway: HostawayAccount

before(async () => {
  world = await openWorld()
  owner = await world.home.as('owner')
  property = await openPropertyFixture({ rooms: 3, plans: 2 })
  hostaway = await openHostawayAccount()
})
after(async () => {
  await property[Symbol.asyncDispose]()
  await hostaway.close()
  await world[Symbol.asyncDispose]()
})

const path = '/api/v1/channel-targets'
const get = (id: string, caller = owner) => caller.get(`${path}/${id}/offers`)
const offersOf = async (id: string) => expectStatus(await get(id), 200).offers

const channexTarget = (config: object = {}) =>
  addTarget(owner, {
    config: {
      provider: 'channex',
      base_url: property.channex.url,
      property_ref: property.propertyId,
      credentials: { api_key: apiKey },
      ...config,
    },
  })

suite('offers: happy', () => {
  test('lists the rooms of a property with their rate plans and matching units', async () => {
    const space = await addSpace(owner, { name: 'Harbour House' })
    const [unit, other] = [
      await addUnit(owner, { space_id: space.id, name: 'ROOM 1', max_guests: 2 }),
      await addUnit(owner, { space_id: space.id, name: 'Room 10', max_guests: 2 }),
    ]
    const target = await channexTarget()
    const offers = await offersOf(target.id)
    assert.deepEqual(
      offers.map(({ name }: { name: string }) => name),
      ['Room 0', 'Room 1', 'Room 2'],
    )
    const { matches, ...room } = offers[1]
    assert.deepEqual(room, {
      external_id: property.units[1]!.externalId,
      name: 'Room 1',
      max_guests: 2,
      quantity: 5,
      currency: 'eur',
      active: true,
      rate_plans: property.units[1]!.plans.map(({ externalId }, n) => ({
        external_id: externalId,
        name: `Plan 1.${n}`,
        currency: 'eur',
      })),
      channel_listing_id: null,
    })
    assert.deepEqual(matches[0], { unit_id: unit.id, name: 'ROOM 1', score: 1 })
    assert.ok(matches.length <= 3)
    for (const { unit_id, score } of matches.slice(1)) assert.ok(unit_id !== unit.id && score < 0.6, unit_id)
    for (const one of [unit, other]) expectStatus(await owner.delete(`/api/v1/units/${one.id}`), 204)
  })

  test('scores a unit with another number of guests lower', async () => {
    const space = await addSpace(owner)
    const [large, small] = [
      await addUnit(owner, { space_id: space.id, name: 'Room 2', max_guests: 6 }),
      await addUnit(owner, { space_id: space.id, name: 'Room 2', max_guests: 2 }),
    ]
    const offers = await offersOf((await channexTarget()).id)
    assert.deepEqual(
      offers[2].matches.slice(0, 2).map(({ unit_id, score }: Record<string, unknown>) => [unit_id, score]),
      [
        [small.id, 1],
        [large.id, 0.85],
      ],
    )
    for (const one of [large, small]) expectStatus(await owner.delete(`/api/v1/units/${one.id}`), 204)
  })

  test('returns the listing of a linked room, also of another target, and no matches', async () => {
    const [first, second] = [await channexTarget(), await channexTarget()]
    const unit = await addUnit(owner, { name: 'Room 0' })
    const listing = await addListing(owner, {
      unit_id: unit.id,
      channel_target_id: first.id,
      external_id: property.units[0]!.externalId,
    })
    const [here] = await offersOf(first.id)
    assert.deepEqual([here.channel_listing_id, here.matches], [listing.id, []])
    const [elsewhere] = await offersOf(second.id)
    assert.deepEqual([elsewhere.channel_listing_id, elsewhere.matches], [listing.id, []])
    await owner.delete(`/api/v1/channel-listings/${listing.id}`)
    const [free] = await offersOf(first.id)
    assert.deepEqual([free.channel_listing_id, free.matches[0].unit_id], [null, unit.id])
    expectStatus(await owner.delete(`/api/v1/units/${unit.id}`), 204)
  })

  test('matches only units of the account that are neither linked nor archived', async () => {
    const second = await addAccount(world, world.home.id, 'Second')
    const target = await channexTarget()
    const taken = await addUnit(owner, { name: 'Room 2' })
    await addListing(owner, { unit_id: taken.id, channel_target_id: target.id, external_id: 'elsewhere' })
    const archived = await addUnit(owner, { name: 'Room 2' })
    expectStatus(await owner.patch(`/api/v1/units/${archived.id}`, { status: 'archived' }), 200)
    const space = await addSpace(owner, { account_id: second })
    const foreign = await addUnit(owner, { space_id: space.id, account_id: second, name: 'Room 2' })
    const found = (await offersOf(target.id))[2].matches.map(({ unit_id }: { unit_id: string }) => unit_id)
    for (const { id } of [taken, archived, foreign]) assert.ok(!found.includes(id))
  })

  test('lists Hostaway listings with their number of units', async () => {
    const id = await hostaway.addListing({ name: 'Villa Aurora', units: 3 })
    const archived = await hostaway.addListing({ name: 'Gone', specialStatus: 'archived' })
    const unit = await addUnit(owner, { name: 'villa aurora', max_guests: 6 })
    const config = {
      provider: 'hostaway',
      base_url: hostaway.url,
      credentials: { api_key: hostawayKey, account_id: String(accountId) },
    }
    const offers = await offersOf((await addTarget(owner, { config })).id)
    const known = new Map(offers.map((offer: { external_id: string }) => [offer.external_id, offer]))
    assert.deepEqual(known.get(String(id)), {
      external_id: String(id),
      name: 'Villa Aurora',
      max_guests: 6,
      quantity: 3,
      currency: 'eur',
      active: true,
      rate_plans: [],
      channel_listing_id: null,
      matches: [{ unit_id: unit.id, name: 'villa aurora', score: 1 }],
    })
    assert.equal((known.get(String(archived)) as { active: boolean }).active, false)
  })

  test('lists units of the sandbox for a paused target', async () => {
    const target = await addTarget(owner, { status: 'inactive' })
    assert.deepEqual(await offersOf(target.id), [])
    const answer = await fetch(`${world.pms.url}/properties/${target.id}/units/RT-1`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(loft),
    })
    assert.equal(answer.status, 200)
    const [offer] = await offersOf(target.id)
    assert.deepEqual([offer.external_id, offer.name, offer.max_guests], ['RT-1', loft.name, loft.max_guests])
  })
})

suite('offers: error', () => {
  test('returns 409 when the PMS rejects the call', async () => {
    const wrongKey = await get((await channexTarget({ credentials: { api_key: 'wrong' } })).id)
    expectProblem(wrongKey, 409, 'pms-refused')
    assert.equal(wrongKey.body.error_code, 'auth_rejected')
    assert.ok(wrongKey.body.hint)
    assert.ok(!wrongKey.text.includes('wrong'))
    const wrongProperty = await get((await channexTarget({ property_ref: unknownId })).id)
    expectProblem(wrongProperty, 409, 'pms-refused')
    assert.equal(wrongProperty.body.error_code, 'mapping_not_found')
  })

  test('returns 503 when the PMS is unreachable, failing or rate limited', async () => {
    const refused = await get((await channexTarget({ base_url: 'http://127.0.0.1:9' })).id)
    expectProblem(refused, 503, 'pms-unavailable')
    assert.equal(refused.body.error_code, 'network')
    assert.doesNotMatch(refused.body.hint, /push/)
    for (const [fault, code, retryAfter] of [
      [{ mode: 'refuse', status: 500 }, 'pms_unavailable', '2'],
      [{ mode: 'rate_limit', limit: 0, window_ms: 60_000, retry_after: 17 }, 'rate_limited', '17'],
    ] as const) {
      const target = await addTarget(owner)
      const set = await fetch(`${world.pms.url}/_control/faults`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ property: target.id, ...fault }),
      })
      assert.ok(set.ok, await set.text())
      const reply = await get(target.id)
      expectProblem(reply, 503, 'pms-unavailable')
      assert.deepEqual([reply.body.error_code, reply.headers.get('retry-after')], [code, retryAfter])
    }
  })

  test('returns 503 when the call budget of the target is exhausted', async () => {
    const target = await addTarget(owner, {
      config: { rate_limit: { requests: 1, window_seconds: 60 } },
    })
    await offersOf(target.id)
    const reply = await get(target.id)
    expectProblem(reply, 503, 'pms-unavailable')
    assert.equal(reply.body.error_code, 'rate_limited')
    assert.ok(Number(reply.headers.get('retry-after')) > 2)
  })
})

suite('offers: security', () => {
  test('returns 404 to another organization, and 403 without permission to read', async () => {
    const target = await addTarget(owner)
    expectProblem(await get(target.id, await world.away.as('owner')), 404, 'not-found')
    expectProblem(await get(unknownId), 404, 'not-found')
    expectProblem(await get(target.id, await world.home.as('service')), 403, 'forbidden')
    expectStatus(await get(target.id, await world.home.as('viewer')), 200)
  })
})

suite('the check of a connection', () => {
  const check = (config: object, caller = owner) => caller.post(`${path}/checks`, { config })
  const result = async (config: object) => expectStatus(await check(config), 200).connection_check

  test('counts the rooms of a PMS that works, and says what is wrong with one that does not', async () => {
    const config = { provider: 'channex', base_url: property.channex.url, property_ref: property.propertyId }
    const works = { ok: true, rooms: 3, error_code: null, message: null, hint: null }
    assert.deepEqual(await result({ ...config, credentials: { api_key: apiKey } }), works)
    const refused = await result({ ...config, credentials: { api_key: 'wrong' } })
    assert.deepEqual([refused.ok, refused.rooms, refused.error_code], [false, null, 'auth_rejected'])
    const away = await result({ base_url: 'http://127.0.0.1:9' })
    assert.deepEqual([away.ok, away.error_code], [false, 'network'])
  })

  test('refuses what could not be saved, and callers without the permission', async () => {
    expectProblem(await check({ provider: 'hostaway' }), 422, 'semantic-error')
    expectProblem(await check({ credentials: { api_key: '********' } }), 422, 'semantic-error')
    expectProblem(await check({}, await world.home.as('viewer')), 403, 'forbidden')
  })
})
