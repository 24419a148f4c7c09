import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { atomically } from '#db/scope.ts'
import { parseBooking } from '#integrations/pms/hostaway/parse-booking.ts'
import { getTargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { hostawayWorld, openAccount, type Account } from '#test/hostaway-live.ts'
import { accountId } from '../../../../../sandbox/test/hostaway-caller.ts'
import { bookingsOf, conflictsOf, poll, type TestBooking } from '#test/pms-bookings.ts'
import { expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { systemScope } from '#test/records.ts'
import { applyPmsBooking } from './apply-pms-booking.ts'

/** Reservations of Hostaway. Its webhooks arrive in any order and repeatedly, so each reservation is fetched. */

const setup = hostawayWorld({ limited: false })

async function listen({ hostaway, targetId }: Account): Promise<void> {
  const body = { url: `${setup.world.url}/webhooks/pms/${targetId}`, isEnabled: 1 }
  const { status } = await hostaway.call('POST', '/webhooks/unifiedWebhooks', body)
  assert.equal(status, 200)
}
const reserve = async (account: Account, from: number, to: number, more: object = {}): Promise<number> => {
  const { status, body } = await account.hostaway.control('POST', 'reservations', {
    account_id: accountId,
    listingMapId: account.rooms[0]!.id,
    channelId: 2018,
    arrivalDate: account.day(from),
    departureDate: account.day(to),
    guestName: 'Grace Hopper',
    numberOfGuests: 2,
    totalPrice: 310.5,
    currency: 'EUR',
    ...more,
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body.reservation.id as number
}
const change = async ({ hostaway }: Account, id: number, fields: object) =>
  assert.equal((await hostaway.control('PATCH', `reservations/${id}`, fields)).status, 200)
const bookings = (account: Account) => bookingsOf(setup.owner, account.rooms[0]!.unitId)
const seen = (account: Account, holds: (all: TestBooking[]) => boolean) =>
  until(() => bookings(account), holds)

suite('reservations of hostaway: happy', () => {
  test('applies a new, modified and cancelled reservation within seconds, and pushes its nights', async () => {
    await using account = await openAccount(setup)
    await listen(account)
    const arrived = await account.arriving(async () => {
      const id = await reserve(account, 10, 12)
      const [booking] = await seen(account, (all) => all.length === 1)
      assert.deepEqual(
        [booking!.externalId, booking!.status, booking!.guestName, booking!.totalCents, booking!.source],
        [String(id), 'confirmed', 'Grace Hopper', 31_050, 'pms'],
      )
    })
    const pushed = arrived.calendars.flatMap(({ body }) => body)
    assert.ok(
      pushed.some(({ startDate, isAvailable }) => startDate === account.day(10) && isAvailable === 0),
      JSON.stringify(pushed),
    )
    const [{ externalId }] = (await bookings(account)) as [TestBooking]
    await change(account, Number(externalId), { departureDate: account.day(14) })
    await seen(account, ([one]) => one!.departure === account.day(14))
    const opened = await account.arriving(async () => {
      await change(account, Number(externalId), { status: 'cancelled' })
      await seen(account, ([one]) => one!.status === 'cancelled')
    })
    assert.ok(
      opened.calendars
        .flatMap(({ body }) => body)
        .some(({ startDate, isAvailable }) => startDate === account.day(10) && isAvailable === 1),
    )
  })

  test('blocks no room for an inquiry, one for an owner stay, and marks unpaid reservations as pending', async () => {
    await using account = await openAccount(setup)
    await listen(account)
    const inquiry = await reserve(account, 20, 22, { status: 'inquiry' })
    const stay = await reserve(account, 30, 32, { status: 'ownerStay', totalPrice: 0 })
    const unpaid = await reserve(account, 40, 42, { status: 'awaitingPayment' })
    await seen(account, (all) => all.length === 2)
    await setup.world.settled()
    const reported = (await bookings(account)).map(({ externalId, status }) => [Number(externalId), status])
    assert.deepEqual(reported, [
      [stay, 'confirmed'],
      [unpaid, 'pending'],
    ])
    await change(account, unpaid, { status: 'expired' })
    await seen(account, (all) => all.some(({ status }) => status === 'expired'))
    await change(account, inquiry, { status: 'new' })
    await seen(account, (all) => all.some(({ externalId }) => Number(externalId) === inquiry))
  })

  test('without a number of guests or a currency, counts adults and children, and takes that of the unit', async () => {
    await using account = await openAccount(setup)
    const left = { numberOfGuests: null, adults: 2, children: 1, infants: 1, currency: null }
    await reserve(account, 10, 12, left)
    await poll(setup.world)
    const [{ guests, totalCents, currency }] = (await bookings(account)) as [TestBooking]
    assert.deepEqual([guests, totalCents, currency], [3, 31_050, 'eur'])
  })

  test('moves the booking to the other unit when its listing changes', async () => {
    await using account = await openAccount(setup, { rooms: 2 })
    await listen(account)
    const id = await reserve(account, 10, 12)
    const [before] = (await seen(account, (all) => all.length === 1)) as [TestBooking]
    await change(account, id, { listingMapId: account.rooms[1]!.id })
    const [after] = (await until(
      () => bookingsOf(setup.owner, account.rooms[1]!.unitId),
      ({ length }) => length === 1,
    )) as [TestBooking]
    assert.deepEqual([after.id, after.status, after.arrival], [before.id, 'confirmed', before.arrival])
    assert.deepEqual(await bookings(account), [])
    // Both units are pushed before this Hostaway server closes.
    await setup.world.settled()
  })

  test('reaches the same booking with five copies in the wrong order', async () => {
    await using account = await openAccount(setup)
    await listen(account)
    await account.hostaway.control('PUT', 'deliveries', { hold: 1, copies: 5 })
    const id = await reserve(account, 10, 12)
    await change(account, id, { arrivalDate: account.day(20), departureDate: account.day(22) })
    const gone = await reserve(account, 30, 32)
    await change(account, gone, { status: 'cancelled' })
    const released = await account.hostaway.control('POST', 'deliveries/release', { order: 'reversed' })
    assert.equal(released.status, 200)
    assert.deepEqual(
      new Set(released.body.deliveries.map(({ state }: { state: string }) => state)),
      new Set(['delivered']),
    )
    await setup.world.settled()
    await seen(account, (all) => all.length === 2)
    assert.deepEqual(
      (await bookings(account)).map(({ arrival, status }) => [arrival, status]),
      [
        [account.day(20), 'confirmed'],
        [account.day(30), 'cancelled'],
      ],
    )
  })

  test('applies a change of the same second with the next poll', async () => {
    await using account = await openAccount(setup)
    const id = await reserve(account, 10, 12)
    const { result } = (await account.hostaway.call('GET', `/reservations/${id}`)).body
    // The reservation as it was read a moment earlier in that second.
    const [targetId, departureDate] = [account.targetId, account.day(11)]
    const read = parseBooking({ ...result, departureDate })!
    await atomically(systemScope(setup.world, setup.world.home), async (transaction) => {
      const target = (await getTargetConnection(transaction, targetId))!
      await applyPmsBooking(transaction, read, { target, needsPlan: false, requestedAt: null })
    })
    assert.deepEqual(
      (await bookings(account)).map(({ departure }) => departure),
      [departureDate],
    )
    await poll(setup.world)
    assert.deepEqual(
      (await bookings(account)).map(({ departure }) => departure),
      [account.day(12)],
    )
  })

  test('does not bring a booking back that a user deleted', async () => {
    await using account = await openAccount(setup)
    await reserve(account, 10, 12)
    await poll(setup.world)
    const [booking] = (await bookings(account)) as [TestBooking]
    expectStatus(await setup.owner.delete(`/api/v1/bookings/${booking.id}`), 204)
    await poll(setup.world)
    assert.deepEqual(await bookings(account), [])
  })

  test('applies the change of a lost webhook with the next poll', async () => {
    await using account = await openAccount(setup)
    const id = await reserve(account, 10, 12)
    await poll(setup.world)
    assert.deepEqual(
      (await bookings(account)).map(({ status }) => status),
      ['confirmed'],
    )
    await account.hostaway.setClockAhead(60_000)
    await change(account, id, { status: 'cancelled' })
    await poll(setup.world)
    assert.deepEqual(
      (await bookings(account)).map(({ status }) => status),
      ['cancelled'],
    )
  })
})

suite('reservations of hostaway: error', () => {
  test('records a conflict for a reservation of a listing that is not linked', async () => {
    await using account = await openAccount(setup)
    await listen(account)
    const stranger = await account.hostaway.addListing()
    const id = await reserve(account, 10, 12, { listingMapId: stranger })
    const [conflict] = await until(
      () => conflictsOf(setup.owner, account.targetId),
      ({ length }) => length === 1,
    )
    assert.deepEqual([conflict!.reason, conflict!.external_id], ['unlinked_room', String(id)])
  })

  test('completes the messages that failed while the key was refused, with the next poll', async () => {
    await using account = await openAccount(setup)
    await listen(account)
    const failures = async () => {
      const query = `?channel_target_id=${account.targetId}&status=`
      const [messages, alerts] = await Promise.all([
        setup.owner.get(`/api/v1/webhook-messages${query}failed`),
        setup.owner.get(`/api/v1/alerts${query}open&kind=sync.failed`),
      ])
      return [messages.body.webhook_messages.length, alerts.body.alerts.length]
    }
    await account.hostaway.control('PUT', 'faults', { mode: 'refuse', status: 403, method: 'GET' })
    const id = await reserve(account, 10, 12)
    await change(account, id, { departureDate: account.day(13) })
    await until(failures, ([messages]) => messages === 2)
    assert.deepEqual(await failures(), [2, 1])
    await account.hostaway.control('DELETE', 'faults')
    await poll(setup.world)
    assert.equal((await bookings(account))[0]!.departure, account.day(13))
    assert.deepEqual(await failures(), [0, 0])
  })

  test('ignores invalid and unknown reservations', async () => {
    await using account = await openAccount(setup)
    await listen(account)
    for (const [object, event, data] of [
      ['conversationMessage', 'message.received', { id: 1, body: 'Hi' }],
      ['reservation', 'reservation.created', { id: 99_999_999 }],
      ['reservation', 'reservation.updated', {}],
      ['reservation', 'reservation.moved', { id: 1 }],
    ] as const)
      await account.hostaway.control('POST', 'events', { account_id: accountId, object, event, data })
    await until(
      async () =>
        (await account.hostaway.control('GET', 'deliveries')).body.deliveries as { state: string }[],
      (all) => all.length === 4 && all.every(({ state }) => state === 'delivered'),
    )
    await setup.world.settled()
    assert.deepEqual(await bookings(account), [])
    assert.deepEqual(await conflictsOf(setup.owner, account.targetId), [])
  })
})
