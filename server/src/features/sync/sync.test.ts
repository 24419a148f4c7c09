import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { TestCaller } from '../../../test/caller.ts'
import { openWorld, type World } from '../../../test/world.ts'

let world: World
let owner: TestCaller

before(async () => {
  world = await openWorld({ workers: true })
  owner = await world.home.as('owner')
})
after(() => world[Symbol.asyncDispose]())

/** A space with one unit, linked to a target of its own. */
async function linked(externalId: string, config: object = {}) {
  const { space } = (await owner.post('/api/v1/spaces', { name: `Space of ${externalId}` })).body
  const { unit } = (
    await owner.post('/api/v1/units', { space_id: space.id, name: externalId, base_price_cents: 10_000 })
  ).body
  const { channel_target } = (
    await owner.post('/api/v1/channel-targets', { channel_type: 'pms', name: externalId, config })
  ).body
  const made = await owner.post('/api/v1/channel-listings', {
    unit_id: unit.id,
    channel_target_id: channel_target.id,
    external_id: externalId,
  })
  assert.equal(made.status, 201, made.text)
  return { space, unit, target: channel_target, listing: made.body.channel_listing }
}

const atPms = async (property: string, externalId: string) =>
  (await fetch(`${world.pms.url}/properties/${property}/units/${externalId}`)).json() as Promise<{
    unit: Record<string, unknown>
  }>

suite('sync: happy', () => {
  test('a linked unit reaches the PMS, and so does each change of its price', async () => {
    const { unit, target, listing } = await linked('RT-1')
    await world.settled()
    const { unit: first } = await atPms(target.id, 'RT-1')
    assert.equal(first['base_price_cents'], 10_000)
    assert.equal(first['open'], true)
    const changed = await owner.patch(`/api/v1/units/${unit.id}`, { base_price_cents: 12_345 })
    assert.equal(changed.status, 200, changed.text)
    await world.settled()
    const status = await owner.get(`/api/v1/sync/status/${listing.id}`)
    assert.deepEqual(
      { ...status.body, last_synced_at: null },
      {
        channel_listing_id: listing.id,
        status: 'completed',
        last_synced_at: null,
        error_message: null,
        attempts: 1,
        next_attempt_at: null,
        in_sync: true,
        pending_changes: 0,
      },
    )
    assert.equal((await atPms(target.id, 'RT-1')).unit['base_price_cents'], 12_345)
    const { audit } = (await owner.get(`/api/v1/sync/audit?channel_listing_id=${listing.id}`)).body
    console.log(
      audit.map((entry: any) => [
        entry.action,
        entry.duration_ms,
        JSON.stringify(entry.changes).slice(0, 100),
      ]),
    )
  })
})
