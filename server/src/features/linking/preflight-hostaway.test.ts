import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { accountId, apiKey } from '../../../../sandbox/test/hostaway-caller.ts'
import type { TestCaller } from '../../../test/caller.ts'
import { expectStatus } from '../../../test/expect.ts'
import { openHostawayAccount, type HostawayAccount } from '../../../test/hostaway-account.ts'
import { addListing, addTarget, addUnit } from '../../../test/records.ts'
import { openWorld, type World } from '../../../test/world.ts'

let world: World
let owner: TestCaller
let hostaway: HostawayAccount

before(async () => {
  world = await openWorld()
  owner = await world.home.as('owner')
  hostaway = await openHostawayAccount()
})
after(async () => {
  await hostaway.close()
  await world[Symbol.asyncDispose]()
})

const config = () => ({
  provider: 'hostaway',
  base_url: hostaway.url,
  credentials: { api_key: apiKey, account_id: String(accountId) },
})

async function found(listing: { id: string }) {
  const { preflight } = expectStatus(await owner.get(`/api/v1/channel-listings/${listing.id}/preflight`), 200)
  return preflight.problems.map(
    ({ severity, code, field }: Record<string, string>) => `${severity} ${code} ${field}`,
  )
}

suite('preflight: listings of Hostaway', () => {
  test('nothing is wrong with one that is right, although units of other spaces share its account', async () => {
    const target = await addTarget(owner, { config: config() })
    for (const name of ['Villa Aurora', 'Villa Bruma']) {
      const unit = await addUnit(owner, { name, max_guests: 6, base_price_cents: 21_162 })
      const external_id = String(await hostaway.addListing({ name }))
      const listing = await addListing(owner, {
        unit_id: unit.id,
        channel_target_id: target.id,
        external_id,
      })
      assert.deepEqual(await found(listing), [])
    }
  })

  test('an archived listing of another size in another currency, and plans that it cannot have', async () => {
    const target = await addTarget(owner, { config: config() })
    const unit = await addUnit(owner, { quantity: 2, base_price_cents: 9_000 })
    const plans = expectStatus(await owner.get(`/api/v1/rate-plans?unit_id=${unit.id}`), 200).rate_plans
    const id = await hostaway.addListing({ specialStatus: 'archived', currencyCode: 'USD' })
    const listing = await addListing(owner, {
      unit_id: unit.id,
      channel_target_id: target.id,
      external_id: String(id),
      rate_plans: [{ rate_plan_id: plans[0].id, external_id: 'plan' }],
    })
    assert.deepEqual(await found(listing), [
      'error room_not_active external_id',
      'warning max_guests_differs unit.max_guests',
      'warning quantity_differs unit.quantity',
      'error currency_differs unit.currency',
      'warning plans_not_known rate_plans',
    ])
  })

  test('the same listing through two targets of one account, whatever they call it', async () => {
    const id = String(await hostaway.addListing())
    const listings = []
    for (const property_ref of ['north', 'south']) {
      const target = await addTarget(owner, { config: { ...config(), property_ref } })
      const unit = await addUnit(owner, { max_guests: 6, base_price_cents: 9_000 })
      listings.push(
        await addListing(owner, { unit_id: unit.id, channel_target_id: target.id, external_id: id }),
      )
    }
    for (const listing of listings)
      assert.deepEqual(await found(listing), ['error external_id_used_twice external_id'])
  })

  test('no such listing', async () => {
    const target = await addTarget(owner, { config: config() })
    const unit = await addUnit(owner, { base_price_cents: 9_000 })
    const listing = await addListing(owner, {
      unit_id: unit.id,
      channel_target_id: target.id,
      external_id: '404',
    })
    assert.deepEqual(await found(listing), ['error external_id_unknown external_id'])
  })
})
