import assert from 'node:assert/strict'
import { afterEach, suite, test } from 'node:test'
import { arriving, channexWorld, decide, openProperty, shownBy, type Property } from './channex-live.ts'
import { expectStatus } from './expect.ts'
import { historyOf, until } from './linked-units.ts'

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
const decidePrice = (house: Property, price_cents: number) =>
  decide(setup, {
    unit_id: house.rooms[0]!.unitId,
    date_from: house.day(7),
    date_to: house.day(7),
    price_cents,
  })

const rateOf = async (house: Property) => {
  const { plans } = await shownBy(setup, house, house.day(7))
  return plans[house.rooms[0]!.plans[0]!.externalId]![house.day(7)]!['rate']
}

suite('tasks of Channex', () => {
  test('a push is verified when its task is done, without reading the property back', async () => {
    const house = await openProperty(setup)
    await tasks({ hold: true })
    const { reads, restrictions } = await arriving(
      setup,
      async () => {
        await decidePrice(house, 12_300)
        const waiting = await until(
          () => statusOf(house),
          ({ status, verification }) => status === 'completed' && verification === 'pending',
        )
        assert.deepEqual([waiting.in_sync, waiting.pending_changes], [false, 0])
        assert.equal(await rateOf(house), '100.00', 'accepted is not applied')
        await tasks({ hold: false })
        await until(
          () => statusOf(house),
          ({ in_sync, verification }) => in_sync && verification === 'verified',
        )
      },
      false,
    )
    assert.equal(await rateOf(house), '123.00')
    assert.equal(restrictions.length, 1)
    const ours = reads.filter(({ path }) => path.startsWith('/api/v1/tasks/'))
    assert.ok(ours.length >= 1)
    assert.deepEqual(
      reads.filter(({ path }) => path.includes('/room_types') || path.includes('/rate_plans')),
      [],
    )
  })

  test('a task that fails is the failure of its listing, and a sync that works ends it', async () => {
    const house = await openProperty(setup)
    await tasks({ fail: 'rate is below the lowest rate of the property' })
    await decidePrice(house, 100)
    const failed = await until(
      () => statusOf(house),
      ({ status }) => status === 'failed',
    )
    assert.deepEqual([failed.error_code, failed.in_sync], ['partial_rejection', false])
    assert.match(failed.error_message, /below the lowest rate/)
    const [alert] = await alertsOf(house)
    assert.equal(alert?.kind, 'sync.failed')
    assert.match(alert.message, /below the lowest rate/)
    const last = (await historyOf(setup.owner, house.rooms[0]!)).at(-1)!
    assert.deepEqual([last.action, last.error?.code], ['sync.failed', 'partial_rejection'])
    assert.match(last.request!.path, /\/tasks\//)

    await tasks({ fail: null })
    expectStatus(
      await setup.owner.post('/api/v1/sync/trigger', { channel_listing_id: house.rooms[0]!.listingId }),
      201,
    )
    await until(
      () => statusOf(house),
      ({ in_sync }) => in_sync,
    )
    assert.equal(await rateOf(house), '1.00', 'what the task did not apply is sent again')
    assert.deepEqual(await alertsOf(house), [])
  })

  test('unknown tasks cause a read-back of the property', async () => {
    const house = await openProperty(setup)
    const { reads } = await arriving(setup, async () => {
      await tasks({ forget: true })
      await decidePrice(house, 14_400)
      await until(
        () => statusOf(house),
        ({ in_sync }) => in_sync,
      )
    })
    assert.ok(reads.some(({ path }) => path.startsWith('/api/v1/restrictions')))
  })
})
