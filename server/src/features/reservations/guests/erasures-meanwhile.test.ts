import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { atomically, rows } from '#db/scope.ts'
import { sql } from '#db/sql.ts'
import { hasLaterNotification } from '#features/messaging/notifications/queries.ts'
import { expectStatus } from '#test/expect.ts'
import { ada, findGuest, tablesWithGuest, untilErased } from '#test/guest-stays.ts'
import { until } from '#test/linked-units.ts'
import { addBooking, addUnit, systemScope } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import { addEndpoint, deliveryOf, openReceiver, type Receiver } from '#test/webhook-receiver.ts'

const { world, owner } = shareWorld({ workers: true })
let receiver: Receiver

before(async () => {
  receiver = await openReceiver()
  world.defer(() => receiver.close())
})

const path = '/api/v1/guest-erasures'

suite('work that is under way during a guest erasure', () => {
  test('a webhook that is open during the erasure stores no response about the guest', async () => {
    const erasure = Promise.withResolvers<void>()
    receiver.answer('/open', (nth) =>
      nth === 0 ? { status: 200, body: JSON.stringify(ada), after: erasure.promise } : { status: 200 },
    )
    const endpoint = await addEndpoint(owner, `${receiver.url}/open`, { event_types: ['booking.created'] })
    const unitId = (await addUnit(owner)).id
    const { id } = await addBooking(owner, { unitId, guestName: ada.name, guestEmail: ada.email })
    const called = (count: number) =>
      until(
        async () => receiver.at('/open'),
        ({ length }) => length === count,
      )
    await called(1)
    await untilErased(owner, expectStatus(await owner.post(path, { booking_id: id }), 201).guest_erasure.id)
    erasure.resolve()
    const delivery = await deliveryOf(owner, endpoint, ({ status }) => status === 'delivered')
    assert.equal(findGuest(JSON.stringify(delivery)), null)
    const [, repeated] = await called(2)
    assert.equal(findGuest(repeated!.body), null)
  })

  test('a notification that is planned during the erasure is erased too', async () => {
    const preferences = '/api/v1/notification-preferences'
    expectStatus(await owner.put(preferences, { emails: ['office@casa.example'] }), 200)
    const unitId = (await addUnit(owner)).id
    const { id } = await addBooking(owner, { unitId, guestName: ada.name, status: 'pending' })
    await world.settled()
    const waiting = (kinds: readonly string[]) => sql`
      select 1 from pg_locks where not granted and locktype = any(${[...kinds]}::text[])`
    const erasure = await atomically(systemScope(world, world.home), async (transaction) => {
      // The planning waits for this lock after it has read the event.
      await hasLaterNotification(transaction, id, '0')
      expectStatus(await owner.patch(`/api/v1/bookings/${id}`, { status: 'confirmed' }), 200)
      await until(
        () => rows(transaction, waiting(['advisory'])),
        ({ length }) => length > 0,
      )
      const asked = expectStatus(await owner.post(path, { booking_id: id }), 201).guest_erasure
      await until(
        async () => [
          expectStatus(await owner.get(`${path}/${asked.id}`), 200).guest_erasure.status,
          await rows(transaction, waiting(['transactionid', 'tuple'])),
        ],
        ([status, { length }]) => status === 'completed' || length > 0,
      )
      return asked as { id: string }
    })
    await untilErased(owner, erasure.id)
    await world.settled()
    assert.ok(!(await tablesWithGuest(world)).includes('notifications'))
    expectStatus(await owner.put(preferences, {}), 200)
  })
})
