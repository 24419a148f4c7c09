import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { channexWorld, openProperty } from '../../../test/channex-live.ts'
import { bookingsOf, conflictsOf, feedOf, poll, roomsShown, sell } from '../../../test/pms-bookings.ts'
import { until } from '../../../test/stock.ts'

/** What is asked for behind the notices, because they can get lost. */

const street = channexWorld()

suite('bookings of channex: the feed behind the notices', () => {
  test('35 revisions whose notices were lost come by the feed, and one that fails stops none', async () => {
    const house = await openProperty(street, { quantity: 40 })
    const sold = []
    for (let n = 0; n < 35; n++) sold.push(await sell(street, house, n === 7 ? { rooms: 'what?' } : {}))
    assert.equal((await feedOf(street, house)).length, 35)
    await poll(street.world)
    assert.equal((await feedOf(street, house)).length, 0)
    assert.equal((await bookingsOf(street.owner, house.rooms[0]!.unitId)).length, 34)
    const [conflict, ...others] = await conflictsOf(street.owner, house.targetId)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [conflict!.reason, conflict!.external_id, conflict!.booking.guestName],
      ['incomplete', sold[7]!.attributes.booking_id, 'Ada Lovelace'],
    )
    await until(
      () => roomsShown(street, house, 0, 10),
      (shown) => shown === 6,
    )
  })

  test('saved but never acknowledged: it is applied once, and acknowledged by the next look', async () => {
    const house = await openProperty(street)
    const { id, attributes } = await sell(street, house)
    await street.door('PUT', 'faults', { mode: 'down', external_id: id })
    await poll(street.world)
    assert.equal((await feedOf(street, house)).length, 1)
    const before = await bookingsOf(street.owner, house.rooms[0]!.unitId)
    assert.equal(before.length, 1)
    await street.door('DELETE', 'faults')
    await poll(street.world)
    assert.equal((await feedOf(street, house)).length, 0)
    const { id: bookingId } = before[0]!
    const audit = (await street.owner.get(`/api/v1/sync/audit?action=booking.created&limit=100`)).body
      .audit as {
      changes: { after: unknown }[]
    }[]
    assert.equal(
      audit.filter(({ changes }) => changes.some(({ after }) => after === bookingId)).length,
      1,
      attributes.booking_id,
    )
  })

  test('after an outage that outlasted the feed, the bookings themselves are asked for', async () => {
    const house = await openProperty(street)
    await poll(street.world)
    const { attributes } = await sell(street, house)
    await sell(street, house, {
      booking_id: attributes.booking_id,
      status: 'modified',
      from: 15,
      to: 17,
    })
    await street.door('PUT', 'clock', { ahead_ms: 31 * 60_000 })
    assert.equal((await feedOf(street, house)).length, 0)
    await poll(street.world, ", bookings_heard_until = now() - interval '30 minutes'")
    await street.door('PUT', 'clock', { ahead_ms: 0 })
    const bookings = await bookingsOf(street.owner, house.rooms[0]!.unitId)
    assert.deepEqual(
      bookings.map(({ arrival, status }) => [arrival, status]),
      [[house.day(15), 'confirmed']],
    )
  })

  test('what was sold before the two were connected comes in with the first look', async () => {
    const house = await openProperty(street, { live: false })
    await sell(street, house)
    await poll(street.world)
    assert.equal((await bookingsOf(street.owner, house.rooms[0]!.unitId)).length, 0)
    assert.equal((await feedOf(street, house)).length, 1)
  })
})
