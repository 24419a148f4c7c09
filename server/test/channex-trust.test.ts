import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { reconcileTargets, reconcileSample } from '#features/distribution/sync/engine/schedule.ts'
import {
  arriving,
  channexWorld,
  decide,
  goLive,
  openProperty,
  shownBy,
  valuesOfOne,
  type Property,
} from './channex-live.ts'
import { expectStatus } from './expect.ts'
import { historyOf } from './linked-units.ts'

const setup = channexWorld({ env: { SYNC_SAMPLE_SHARE: '1' } })

const proofOf = async (property: Property, room = 0, query = '') =>
  expectStatus(await setup.owner.get(`/api/v1/sync/proof/${property.rooms[room]!.listingId}${query}`), 200)
    .proof

const nights = (property: Property, from: number, to = from) => ({
  date_from: property.day(from),
  date_to: property.day(to),
})

/** What somebody changes over there by hand, past us. */
async function meddle(property: Property, { rate, rooms }: { rate?: number; rooms?: number }, night = 7) {
  const [room] = property.rooms
  const where = { property_id: property.propertyId, ...nights(property, night) }
  const values = [
    rate !== undefined && { kind: 'restrictions', rate_plan_id: room!.plans[0]!.externalId, rate },
    rooms !== undefined && { kind: 'availability', room_type_id: room!.roomTypeId, availability: rooms },
  ]
  for (const value of values)
    if (value) {
      const { kind, ...rest } = value
      const { body } = await setup.control('POST', 'values', { kind, values: [{ ...where, ...rest }] })
      assert.equal(body.data.length, 1, JSON.stringify(body))
    }
}

const shownAt = async (property: Property, night: number) => {
  const { rooms, plans } = await shownBy(setup, property, property.day(night))
  const [room] = property.rooms
  return [
    rooms[room!.roomTypeId]![property.day(night)],
    plans[room!.plans[0]!.externalId]![property.day(night)]!['rate'],
  ]
}

async function upkeep(change: ReturnType<typeof sql>, work: typeof reconcileTargets) {
  const owner = openOwner(setup.world.databaseUrl)
  await owner.pipelined({ orgId: setup.world.home.id }, [change])
  await owner.close()
  const { database } = setup.world.resources
  assert.ok((await work({ database })) >= 1)
}

suite('Channex certification: drift', () => {
  test('values changed at Channex are found, repaired and recorded by a manual sync', async () => {
    const property = await openProperty(setup)
    await meddle(property, { rate: 5_500, rooms: 1 })
    const proof = await proofOf(property)
    assert.equal(proof.in_sync, false)
    assert.deepEqual(
      proof.differences.map(({ field, date_from, date_to, desired, read_back }: Record<string, unknown>) => [
        field,
        date_from,
        date_to,
        desired,
        read_back,
      ]),
      [
        ['available', property.day(7), property.day(7), 3, 1],
        ['price_cents', property.day(7), property.day(7), 10_000, 5_500],
      ],
    )
    const { availability, restrictions } = await arriving(setup, () =>
      setup.owner.post('/api/v1/sync/trigger', { channel_listing_id: property.rooms[0]!.listingId }),
    )
    assert.deepEqual([valuesOfOne(availability).length, valuesOfOne(restrictions).length], [1, 1])
    assert.deepEqual(await shownAt(property, 7), [3, '100.00'])
    assert.equal((await proofOf(property)).in_sync, true)
    const last = (await historyOf(setup.owner, property.rooms[0]!)).at(-1)!
    assert.deepEqual([last.action, last.trigger], ['sync.repaired', 'manual'])
  })

  test('the daily read-back finds and repairs only the drift, and runs once a day', async () => {
    const property = await openProperty(setup, { rooms: 2 })
    await meddle(property, { rate: 6_600 })
    const { targetId } = property
    const due = sql`update target_syncs set reconcile_at = now() - interval '1 second'
      where channel_target_id = ${targetId}::uuid`
    const { availability, restrictions } = await arriving(setup, () => upkeep(due, reconcileTargets))
    assert.equal(availability.length, 0)
    assert.deepEqual(
      valuesOfOne(restrictions).map(({ rate_plan_id, date_from, date_to, rate }) => [
        rate_plan_id,
        date_from,
        date_to,
        rate,
      ]),
      [[property.rooms[0]!.plans[0]!.externalId, property.day(7), property.day(7), 10_000]],
    )
    const actions = await Promise.all(
      property.rooms.map(async (room) => {
        const { action, trigger } = (await historyOf(setup.owner, room)).at(-1)!
        return [action, trigger]
      }),
    )
    assert.deepEqual(actions, [
      ['sync.repaired', 'schedule'],
      ['sync.verified', 'schedule'],
    ])
    const { sync_target } = (await setup.owner.get(`/api/v1/sync/targets/${targetId}`)).body
    assert.ok(Date.parse(sync_target.reconcile_at) > Date.now() + 60_000)
  })

  test('a sampled push is read back later, and repaired', async () => {
    const property = await openProperty(setup)
    await decide(setup, { unit_id: property.rooms[0]!.unitId, ...nights(property, 7), price_cents: 18_000 })
    await setup.world.settled()
    await meddle(property, { rate: 7_700 })
    const due = sql`update listing_syncs set verify_at = now()
      where channel_listing_id = ${property.rooms[0]!.listingId}::uuid and verify_at is not null`
    await arriving(setup, () => upkeep(due, reconcileSample))
    assert.deepEqual(await shownAt(property, 7), [3, '180.00'])
    assert.equal((await historyOf(setup.owner, property.rooms[0]!)).at(-1)!.action, 'sync.repaired')
  })

  test('a renamed room type gets its name back under the same id', async () => {
    const property = await openProperty(setup)
    const path = `/room_types/${property.rooms[0]!.roomTypeId}`
    const { title } = (await setup.api('GET', path)).body.data.attributes
    await setup.api('PUT', path, { room_type: { title: 'Broom cupboard' } })
    assert.deepEqual(
      (await proofOf(property)).differences.map(({ field }: { field: string }) => field),
      ['name'],
    )
    await setup.owner.post('/api/v1/sync/trigger', { channel_listing_id: property.rooms[0]!.listingId })
    await setup.world.settled()
    assert.equal((await setup.api('GET', path)).body.data.attributes.title, title)
  })

  test('nights after the end of the calendar of the property are no drift until it keeps them', async () => {
    const property = await openProperty(setup, { live: false })
    const path = `/properties/${property.propertyId}`
    const keep = async (state_length: number) =>
      assert.equal((await setup.api('PUT', path, { property: { settings: { state_length } } })).status, 200)
    const channel_listing_id = property.rooms[0]!.listingId
    const trigger = () => setup.owner.post('/api/v1/sync/trigger', { channel_listing_id })
    await keep(365)
    await goLive(setup, property)
    await setup.world.settled()
    const { availability, restrictions } = await arriving(setup, trigger)
    assert.deepEqual([availability, restrictions], [[], []])
    assert.equal((await historyOf(setup.owner, property.rooms[0]!)).at(-1)!.action, 'sync.verified')
    const proof = await proofOf(property)
    assert.deepEqual([proof.in_sync, proof.differences], [true, []])
    assert.equal(proof.read_back.at(-1).date_to, property.day(364))

    await keep(500)
    assert.equal((await proofOf(property)).in_sync, false)
    await arriving(setup, trigger)
    assert.deepEqual(await shownAt(property, 364), [3, '100.00'])
    assert.deepEqual(await shownAt(property, 499), [3, '100.00'])
  })
})

suite('Channex certification: proof and dry run', () => {
  test('the proof has the desired, accepted and shown values of the requested nights', async () => {
    const property = await openProperty(setup)
    await decide(setup, { unit_id: property.rooms[0]!.unitId, ...nights(property, 4), price_cents: 18_000 })
    await setup.world.settled()
    const proof = await proofOf(property, 0, `?from=${property.day(3)}&to=${property.day(5)}`)
    assert.deepEqual([proof.in_sync, proof.age_seconds, proof.differences], [true, 0, []])
    for (const side of ['desired', 'accepted', 'read_back'])
      assert.deepEqual(
        proof[side].map(({ date_from, available, price_cents }: Record<string, unknown>) => [
          date_from,
          available ?? price_cents,
        ]),
        [
          [property.day(3), 3],
          [property.day(3), 10_000],
          [property.day(4), 18_000],
          [property.day(5), 10_000],
        ],
        side,
      )
  })

  test('a preview returns what would be sent, and sends nothing', async () => {
    const property = await openProperty(setup, { live: false })
    const path = `/api/v1/sync/preview/${property.rooms[0]!.listingId}`
    const messages = await arriving(setup, async () => {
      const { preview } = expectStatus(await setup.owner.get(path), 200)
      assert.deepEqual([preview.mode, preview.would_push], ['full', true])
      assert.deepEqual(
        preview.calendar.map(({ date_from, date_to }: Record<string, unknown>) => [date_from, date_to]),
        Array(2).fill([property.day(0), property.day(499)]),
      )
    })
    assert.deepEqual([messages.availability, messages.restrictions, messages.content], [[], [], []])
    await goLive(setup, property)
    await setup.world.settled()
    const { preview } = expectStatus(await setup.owner.get(path), 200)
    assert.deepEqual([preview.would_push, preview.calendar, preview.content], [false, [], []])
  })
})
