import assert from 'node:assert/strict'
import { afterEach, suite, test } from 'node:test'
import { arriving, channexWorld, decide, openProperty, shownBy, type Property } from './channex-live.ts'
import { expectStatus } from './expect.ts'
import { historyOf, until } from './linked-units.ts'
import { addStop } from './records.ts'

const setup = channexWorld()
afterEach(() => setup.control('PUT', 'tasks', { hold: false, fail: null, forget: false }))

const tasks = async (settings: object) =>
  assert.equal((await setup.control('PUT', 'tasks', settings)).status, 200)
const statusOf = async ({ rooms: [room] }: Property) =>
  expectStatus(await setup.owner.get(`/api/v1/sync/status/${room!.listingId}`), 200)
const alertsOf = async ({ rooms: [room] }: Property) =>
  expectStatus(await setup.owner.get(`/api/v1/alerts?channel_listing_id=${room!.listingId}&status=open`), 200)
    .alerts as { kind: string; message: string }[]

/** One price for one night, which is one message and one task. */
const decidePrice = (property: Property, price_cents: number) =>
  decide(setup, {
    unit_id: property.rooms[0]!.unitId,
    date_from: property.day(7),
    date_to: property.day(7),
    price_cents,
  })

const rateOf = async (property: Property) => {
  const { plans } = await shownBy(setup, property, property.day(7))
  return plans[property.rooms[0]!.plans[0]!.externalId]![property.day(7)]!['rate']
}

suite('tasks of Channex', () => {
  test('a push is verified when its task is done, without reading the property back', async () => {
    const property = await openProperty(setup)
    await tasks({ hold: true })
    const { reads, restrictions } = await arriving(
      setup,
      async () => {
        await decidePrice(property, 12_300)
        const waiting = await until(
          () => statusOf(property),
          ({ status, verification }) => status === 'completed' && verification === 'pending',
        )
        assert.deepEqual([waiting.in_sync, waiting.pending_changes], [false, 0])
        assert.equal(await rateOf(property), '100.00', 'accepted is not applied')
        await tasks({ hold: false })
        await until(
          () => statusOf(property),
          ({ in_sync, verification }) => in_sync && verification === 'verified',
        )
      },
      false,
    )
    assert.equal(await rateOf(property), '123.00')
    assert.equal(restrictions.length, 1)
    const ours = reads.filter(({ path }) => path.startsWith('/api/v1/tasks/'))
    assert.ok(ours.length >= 1)
    assert.deepEqual(
      reads.filter(({ path }) => path.includes('/room_types') || path.includes('/rate_plans')),
      [],
    )
  })

  test('a task that fails is the failure of its listing, and a sync that works ends it', async () => {
    const property = await openProperty(setup)
    await tasks({ fail: 'rate is below the lowest rate of the property' })
    await decidePrice(property, 100)
    const failed = await until(
      () => statusOf(property),
      ({ status }) => status === 'failed',
    )
    assert.deepEqual([failed.error_code, failed.in_sync], ['partial_rejection', false])
    assert.match(failed.error_message, /below the lowest rate/)
    const [alert] = await alertsOf(property)
    assert.equal(alert?.kind, 'sync.failed')
    assert.match(alert.message, /below the lowest rate/)
    const last = (await historyOf(setup.owner, property.rooms[0]!)).at(-1)!
    assert.deepEqual([last.action, last.error?.code], ['sync.failed', 'partial_rejection'])
    assert.match(last.request!.path, /\/tasks\//)

    await tasks({ fail: null })
    expectStatus(
      await setup.owner.post('/api/v1/sync/trigger', { channel_listing_id: property.rooms[0]!.listingId }),
      201,
    )
    await until(
      () => statusOf(property),
      ({ in_sync }) => in_sync,
    )
    assert.equal(await rateOf(property), '1.00', 'what the task did not apply is sent again')
    assert.deepEqual(await alertsOf(property), [])
  })

  test('a stop of sales that Channex could not apply has not reached the channel', async () => {
    const property = await openProperty(setup)
    await tasks({ fail: 'the property is locked' })
    const stop = await addStop(setup.owner, { channel_target_id: property.targetId })
    await until(
      () => statusOf(property),
      ({ status }) => status === 'failed',
    )
    const { reach } = expectStatus(await setup.owner.get(`/api/v1/sales-stops/${stop.id}/reach`), 200)
    assert.deepEqual([reach.listings, reach.reached, reach.failing], [1, 0, 1])
    expectStatus(await setup.owner.delete(`/api/v1/sales-stops/${stop.id}`), 204)
  })

  test('unknown tasks cause a read-back of the property', async () => {
    const property = await openProperty(setup)
    const { reads } = await arriving(setup, async () => {
      await tasks({ forget: true })
      await decidePrice(property, 14_400)
      await until(
        () => statusOf(property),
        ({ in_sync }) => in_sync,
      )
    })
    assert.ok(reads.some(({ path }) => path.startsWith('/api/v1/restrictions')))
  })
})
