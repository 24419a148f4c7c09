import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { atomically, rows } from '#db/scope.ts'
import { openEgress } from '#egress/egress.ts'
import { pmsDirectory } from '#integrations/pms/directory.ts'
import { planSupport } from '#integrations/pms/pms-provider.ts'
import { channexWorld, connection, openProperty } from '#test/channex-live.ts'
import { expectStatus } from '#test/expect.ts'
import { bookingsOf, conflictsOf, readFeed, poll, roomsAtChannex, sendBooking } from '#test/pms-bookings.ts'
import { systemScope } from '#test/records.ts'
import { until } from '#test/linked-units.ts'

/** Polling finds the bookings whose notices got lost. */

const setup = channexWorld({ limited: false })

test('every provider whose bookings are polled is in targets_to_ask_for_bookings()', async () => {
  const egress = openEgress({ allowsPrivate: true, allowsHttp: true })
  const pms = pmsDirectory({ egress, defaultUrl: null })
  const names = Object.keys(planSupport)
  const unused = { baseUrl: null, property: 'main', credentials: null, timeoutMs: 1_000 }
  const scope = systemScope(setup.world, setup.world.home)
  const { orgId, accountId } = scope
  const targetIds = await atomically(scope, async (transaction) => {
    const targets = await rows(
      transaction,
      sql<{ id: string; name: string }>`
        insert into channel_targets (org_id, account_id, channel_type, name, config, status)
        select ${orgId}, ${accountId}, 'pms', provider, json_build_object('provider', provider), 'active'
        from unnest(${names}::text[]) provider
        returning id, name`,
    )
    for (const { id } of targets)
      await rows(
        transaction,
        sql`insert into target_syncs (org_id, channel_target_id, reconcile_at) values (${orgId}, ${id}, now())`,
      )
    return new Map(targets.map(({ id, name }) => [id, name]))
  })
  const asked = await rows(
    scope,
    sql<{ channel_target_id: string }>`select channel_target_id from targets_to_ask_for_bookings()`,
  )
  assert.deepEqual(
    asked.flatMap(({ channel_target_id: id }) => targetIds.get(id) ?? []).sort(),
    names.filter((name) => pms.getProvider(name).connect(unused).bookings.polling).sort(),
  )
  await egress.close()
})

suite('bookings of channex: the feed behind the notices', () => {
  test('applies 35 revisions from the feed, although one of them fails', async () => {
    const property = await openProperty(setup, { quantity: 40 })
    const sold = []
    for (let n = 0; n < 35; n++)
      sold.push(await sendBooking(setup, property, n === 7 ? { rooms: 'what?' } : {}))
    assert.equal((await readFeed(setup, property)).length, 35)
    await poll(setup.world)
    assert.equal((await readFeed(setup, property)).length, 0)
    assert.equal((await bookingsOf(setup.owner, property.rooms[0]!.unitId)).length, 34)
    const [conflict, ...others] = await conflictsOf(setup.owner, property.targetId)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [conflict!.reason, conflict!.external_id, conflict!.booking.guestName],
      ['incomplete', sold[7]!.attributes.booking_id, 'Ada Lovelace'],
    )
    await until(
      () => roomsAtChannex(setup, property, 0, 10),
      (shown) => shown === 6,
    )
  })

  test('applies a saved but unacknowledged revision once, and acknowledges it with the next poll', async () => {
    const property = await openProperty(setup)
    const { id, attributes } = await sendBooking(setup, property)
    await setup.control('PUT', 'faults', { mode: 'down', external_id: id })
    await poll(setup.world)
    assert.equal((await readFeed(setup, property)).length, 1)
    const before = await bookingsOf(setup.owner, property.rooms[0]!.unitId)
    assert.equal(before.length, 1)
    // It does not keep later ones from being applied.
    await sendBooking(setup, property, { from: 20, to: 22 })
    await poll(setup.world)
    assert.equal((await readFeed(setup, property)).length, 1)
    assert.equal((await bookingsOf(setup.owner, property.rooms[0]!.unitId)).length, 2)
    await setup.control('DELETE', 'faults')
    await poll(setup.world)
    assert.equal((await readFeed(setup, property)).length, 0)
    const { id: bookingId } = before[0]!
    const audit = (await setup.owner.get(`/api/v1/sync/audit?action=booking.created&limit=100`)).body
      .audit as {
      changes: { after: unknown }[]
    }[]
    assert.equal(
      audit.filter(({ changes }) => changes.some(({ after }) => after === bookingId)).length,
      1,
      attributes.booking_id,
    )
  })

  test('reads the bookings after an outage longer than the feed lasts', async () => {
    const property = await openProperty(setup)
    await poll(setup.world)
    const { attributes } = await sendBooking(setup, property)
    await sendBooking(setup, property, {
      booking_id: attributes.booking_id,
      status: 'modified',
      from: 15,
      to: 17,
    })
    await setup.control('PUT', 'clock', { ahead_ms: 31 * 60_000 })
    assert.equal((await readFeed(setup, property)).length, 0)
    await poll(setup.world, ", bookings_heard_until = now() - interval '30 minutes'")
    await setup.control('PUT', 'clock', { ahead_ms: 0 })
    const bookings = await bookingsOf(setup.owner, property.rooms[0]!.unitId)
    assert.deepEqual(
      bookings.map(({ arrival, status }) => [arrival, status]),
      [[property.day(15), 'confirmed']],
    )
  })

  test('finds the bookings that were acknowledged in the minutes that a restored database lacks', async () => {
    const property = await openProperty(setup)
    await poll(setup.world)
    const { id } = await sendBooking(setup, property)
    // Here and not by a poll, so that the database has not heard of it, as after a restore.
    assert.equal((await setup.api('POST', `/booking_revisions/${id}/ack`)).status, 200)
    await poll(setup.world, ", bookings_heard_until = now() - interval '10 minutes'")
    const bookings = await bookingsOf(setup.owner, property.rooms[0]!.unitId)
    assert.deepEqual(
      bookings.map(({ arrival, status }) => [arrival, status]),
      [[property.day(10), 'confirmed']],
    )
  })

  test('raises an alert while the bookings cannot be read for half an hour', async () => {
    const property = await openProperty(setup)
    await poll(setup.world)
    const alertsOf = async () => {
      const query = `channel_target_id=${property.targetId}&kind=target.error&status=open`
      return expectStatus(await setup.owner.get(`/api/v1/alerts?${query}`), 200).alerts as {
        message: string
      }[]
    }
    await setup.control('PUT', 'faults', { mode: 'refuse', status: 403, method: 'GET' })
    await poll(setup.world)
    assert.deepEqual(await alertsOf(), [])
    const late = ", bookings_heard_until = now() - interval '31 minutes'"
    await poll(setup.world, late)
    assert.match((await alertsOf())[0]!.message, /its bookings cannot be read/)
    await setup.control('DELETE', 'faults')
    await poll(setup.world, late)
    assert.deepEqual(await alertsOf(), [])
  })

  test('imports earlier bookings with the first poll', async () => {
    const property = await openProperty(setup, { live: false })
    await sendBooking(setup, property)
    await poll(setup.world)
    assert.equal((await bookingsOf(setup.owner, property.rooms[0]!.unitId)).length, 0)
    assert.equal((await readFeed(setup, property)).length, 1)
  })
  test('imports the earlier bookings of another property that its target is given', async () => {
    const property = await openProperty(setup)
    await poll(setup.world)
    const other = await openProperty(setup, { live: false })
    const { id } = await sendBooking(setup, other)
    assert.equal((await setup.api('POST', `/booking_revisions/${id}/ack`)).status, 200)
    expectStatus(await setup.owner.delete(`/api/v1/channel-listings/${other.rooms[0]!.listingId}`), 204)
    const { unitId, listingId } = property.rooms[0]!
    const path = `/api/v1/channel-targets/${property.targetId}`
    const target = {
      channel_type: 'pms',
      name: 'Moved',
      config: connection(setup.url, other.propertyId),
      status: 'active',
    }
    expectStatus(await setup.owner.put(path, target), 200)
    const listing = {
      unit_id: unitId,
      channel_target_id: property.targetId,
      external_id: other.rooms[0]!.roomTypeId,
    }
    expectStatus(await setup.owner.put(`/api/v1/channel-listings/${listingId}`, listing), 200)
    await setup.world.settled()
    await poll(setup.world)
    const arrivals = (await bookingsOf(setup.owner, unitId)).map(({ arrival }) => arrival)
    assert.deepEqual(arrivals, [other.day(10)])
  })
})
