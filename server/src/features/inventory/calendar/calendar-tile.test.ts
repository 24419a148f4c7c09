import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { inDays } from '#test/local-days.ts'
import { addBooking, addListing, addQuote, addSpace, addTarget, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()

const path = '/api/v1/calendar'
const dates = 'from=2030-07-01&to=2030-07-14'
const read = async (query: string, caller = owner) =>
  expectStatus(await caller.get(`${path}?${query}&${dates}`), 200)
const run = (statement: ReturnType<typeof sql>) =>
  world.resources.database.pipelined({ orgId: world.home.id }, [statement])
const addConflict = (targetId: string, unitId: string) =>
  run(sql`insert into booking_conflicts (org_id, account_id, channel_target_id, external_id, pms_booking_id, listing,
      unit_id, booking, reason, message, hint)
    values (${world.home.id}, ${world.home.accountId}, ${targetId}, 'E-1', 'P-1', 'room', ${unitId},
      '{"guestName": "Grace Hopper", "lines": [{"listing": "room", "arrival": "2030-07-02", "departure": "2030-07-05"},
        {"listing": "other", "arrival": "2030-06-01", "departure": "2030-06-02"}]}', 'no_room', 'No room.', 'Move it.')`)

const names = ({ calendar }: { calendar: { name: string }[] }) => calendar.map(({ name }) => name)

suite('calendar page: content', () => {
  test('contains bookings, holds and open conflicts, with masked names for callers who may not read bookings', async () => {
    const unit = await addUnit(owner, { quantity: 3, base_price_cents: 9_000 })
    const stay = (checkIn: string, checkOut: string, fields: object = {}) =>
      addBooking(owner, { unitId: unit.id, guestName: 'Ada Lovelace', checkIn, checkOut, ...fields })
    const leaving = await stay('2030-06-28', '2030-07-01')
    const booked = await stay('2030-07-03', '2030-07-06', { rooms: 2 })
    await stay('2030-06-28', '2030-06-30')
    await stay('2030-07-15', '2030-07-16')
    const cancelled = await stay('2030-07-10', '2030-07-12')
    expectStatus(await owner.patch(`/api/v1/bookings/${cancelled.id}`, { status: 'cancelled' }), 200)
    const quote = await addQuote(owner, {
      ...{
        unit_id: unit.id,
        check_in: '2030-07-08',
        check_out: '2030-07-09',
        hold: true,
        guest_name: 'Alan',
      },
    })
    const target = await addTarget(owner)
    await addConflict(target.id, unit.id)
    const { bookings, holds, conflicts } = (await read(`unit_id=${unit.id}`)).calendar[0]
    const bar = { status: 'confirmed', guest_name: 'Ada Lovelace', source: 'api', channel_target_id: null }
    const source = booked.source as string
    assert.deepEqual(bookings, [
      { ...bar, id: leaving.id, arrival: '2030-06-28', departure: '2030-07-01', rooms: 1, source },
      { ...bar, id: booked.id, arrival: '2030-07-03', departure: '2030-07-06', rooms: 2, source },
    ])
    assert.deepEqual(holds, [
      {
        booking_id: quote.hold.booking_id,
        quote_id: quote.id,
        guest_name: 'Alan',
        arrival: '2030-07-08',
        departure: '2030-07-09',
        rooms: 1,
        expires_at: quote.expires_at,
      },
    ])
    const [conflict, ...more] = conflicts
    assert.deepEqual(more, [])
    assert.deepEqual(
      [
        conflict.reason,
        conflict.guest_name,
        conflict.arrival,
        conflict.departure,
        conflict.channel_target_id,
      ],
      ['no_room', 'Grace Hopper', '2030-07-02', '2030-07-05', target.id],
    )
    const narrow = await world.home.as('service', { permissions: ['units:read'] })
    const [masked] = (await read(`unit_id=${unit.id}`, narrow)).calendar
    const guests = [...masked.bookings, ...masked.holds, ...masked.conflicts] as { guest_name: string }[]
    assert.deepEqual(
      guests.map(({ guest_name }) => guest_name),
      ['A…', 'A…', 'A…', 'G…'],
    )
    assert.equal(masked.listings, null)
    expectProblem(await narrow.get(`${path}?${dates}&sync_state=failing`), 403, 'forbidden')
    await run(
      sql`update booking_conflicts set status = 'dismissed', closed_at = now() where unit_id = ${unit.id}`,
    )
    assert.deepEqual((await read(`unit_id=${unit.id}`)).calendar[0].conflicts, [])
  })

  test('contains the reasons of blocks for callers who may see contact data', async () => {
    const unit = await addUnit(owner)
    const block = { unit_id: unit.id, date_from: '2030-07-02', date_to: '2030-07-02', blocked: 1 }
    const values = [{ ...block, reason: 'Mrs Lovelace, +351 912 345 678' }]
    expectStatus(await owner.post(path, { values }), 201)
    const seenBy = async (caller: TestCaller) => {
      const [{ availability }] = (await read(`unit_id=${unit.id}`, caller)).calendar
      return availability.map(({ blocked, reason }: Record<string, unknown>) => [blocked, reason])
    }
    const free = [0, null]
    assert.deepEqual(await seenBy(await world.home.as('staff')), [free, [1, values[0]!.reason], free])
    assert.deepEqual(await seenBy(await world.home.as('viewer')), [free, [1, null], free])
  })

  test('contains the sync state of the nights of each listing', async () => {
    const unit = await addUnit(owner)
    const { id, channel_target_id } = await addListing(owner, { unit_id: unit.id })
    const [today, last] = [inDays(0), inDays(240)]
    const of = async () => {
      const query = `unit_id=${unit.id}&from=2020-01-01&to=${today}`
      const year = await owner.get(`${path}?unit_id=${unit.id}&from=${today}&to=${last}`)
      expectStatus(await owner.get(`${path}?${query}`), 422)
      return expectStatus(year, 200).calendar[0].listings[0]
    }
    const fresh = await of()
    assert.deepEqual(
      [fresh.channel_listing_id, fresh.channel_target_id, fresh.status, fresh.paused, fresh.stale],
      [id, channel_target_id, 'pending', false, false],
    )
    assert.deepEqual(
      fresh.ranges.map(({ state }: { state: string }) => state),
      ['pending'],
    )
    await run(sql`update listing_syncs set status = 'failed', wanted_version = 5, synced_version = 4, mode = 'delta',
      accepted = '{}', changed_from = ${inDays(93)}, changed_to = ${inDays(94)}, sending_from = ${inDays(96)},
      sending_to = ${inDays(97)}, error_code = 'rejected' where channel_listing_id = ${id}`)
    assert.deepEqual((await of()).ranges.slice(1), [
      { date_from: inDays(93), date_to: inDays(97), state: 'failed' },
      { date_from: inDays(98), date_to: last, state: 'synced' },
    ])
  })
})

suite('calendar page: paging and filters', () => {
  test('pages through all units by name and by space, in both orders, with each filter', async () => {
    const [b, a] = [await addSpace(owner, { name: 'Bay' }), await addSpace(owner, { name: 'Alley' })]
    const inSpace = (space_id: string, name: string) => addUnit(owner, { space_id, name })
    const units = [await inSpace(b.id, '1'), await inSpace(a.id, '2'), await inSpace(b.id, '3')]
    units.push(await inSpace(a.id, '4'))
    const all = `space_id=${a.id}&space_id=${b.id}`
    const walk = async (query: string) => {
      const found: string[] = []
      for (let cursor = ''; ;) {
        const page = await read(`${all}&limit=1&${query}${cursor}`)
        assert.equal(page.has_more, page.next_cursor !== null)
        found.push(...names(page))
        if (!page.has_more) return found.join('')
        cursor = `&cursor=${page.next_cursor}`
      }
    }
    assert.equal(await walk(''), '1234')
    assert.equal(await walk('sort=-name'), '4321')
    assert.equal(await walk('sort=space'), '2413')
    assert.equal(await walk('sort=-space'), '3142')
    assert.equal(await walk('q=bay'), '13')
    assert.equal(await walk('q=4'), '4')
    await owner.patch(`/api/v1/units/${units[0]!.id}`, { status: 'maintenance' })
    assert.equal(await walk('status=maintenance&status=inactive'), '1')
    const listing = await addListing(owner, { unit_id: units[1]!.id })
    const other = await addListing(owner, { unit_id: units[3]!.id })
    const target = `channel_target_id=${listing.channel_target_id}`
    assert.equal(await walk(target), '2')
    assert.equal(await walk(`${target}&sync_state=unlinked`), '134')
    assert.equal(await walk('sync_state=unlinked'), '13')
    const set = (id: string, column: string, value: unknown) =>
      run(sql`update listing_syncs set synced_version = wanted_version, ${sql.ref(column)} = ${value}
        where channel_listing_id = ${id}`)
    assert.equal(await walk('sync_state=behind'), '24')
    await set(listing.id, 'error_code', 'rejected')
    await set(other.id, 'error_code', null)
    assert.equal(await walk('sync_state=failing'), '2')
    assert.equal(await walk('sync_state=synced'), '4')
    await set(other.id, 'stale_since', '2026-01-01T00:00Z')
    assert.equal(await walk('sync_state=stale&sync_state=failing'), '24')
    await set(other.id, 'unverified_since', '2026-01-01T00:00Z')
    assert.equal(await walk(`sync_state=unverified&channel_target_id=${other.channel_target_id}`), '4')
    const first = await owner.get(`${path}?${all}&limit=1&${dates}`)
    assert.match(first.headers.get('link') ?? '', /rel="next"/)
    const { next_cursor } = first.body
    expectProblem(await owner.get(`${path}?limit=1&${dates}&cursor=${next_cursor}`), 400, 'invalid-cursor')
    const everything = names(await read(`limit=100`))
    assert.ok(everything.length >= 4)
  })

  test('a search accepts 300 units in its body, and continues by cursor', async () => {
    const space = await addSpace(owner)
    const ids: string[] = []
    for (const name of ['x', 'y', 'z']) ids.push((await addUnit(owner, { space_id: space.id, name })).id)
    const many = Array.from({ length: 300 }, (_, at) => ids[at % 3]!)
    const search = { from: '2030-07-01', to: '2030-07-14', unit_id: many, limit: 2 }
    const post = (more: object) => owner.post(`${path}/search`, { ...search, ...more })
    const page = expectStatus(await post({}), 200)
    assert.deepEqual([names(page), page.has_more], [['x', 'y'], true])
    assert.deepEqual(names(expectStatus(await post({ cursor: page.next_cursor }), 200)), ['z'])
    expectProblem(await post({ unit_id: [unknownId] }), 404, 'not-found')
    expectProblem(await post({ unit_id: ['x'] }), 400, 'validation-error', '/unit_id/0')
    const stranger = await world.away.as('owner')
    expectProblem(await stranger.post(`${path}/search`, search), 404, 'not-found')
  })

  test('its ETag changes with everything in the response, and with nothing else', async () => {
    const unit = await addUnit(owner)
    const listing = await addListing(owner, { unit_id: unit.id })
    const query = `${path}?unit_id=${unit.id}&${dates}`
    const tag = async () => (await owner.get(query)).headers.get('etag')!
    let known = await tag()
    const changed = async () => {
      const before = known
      known = await tag()
      return before !== known
    }
    for (const sent of [known, `W/${known}`, `"x", ${known}`]) {
      const reply = await owner.get(query, { 'if-none-match': sent })
      assert.deepEqual([reply.status, reply.headers.get('etag')], [304, known])
    }
    await addUnit(owner)
    await addBooking(owner, { unitId: unit.id, checkIn: '2030-08-01', checkOut: '2030-08-03' })
    assert.equal(await changed(), false)
    const booking = await addBooking(owner, {
      unitId: unit.id,
      checkIn: '2030-07-02',
      checkOut: '2030-07-03',
    })
    assert.equal(await changed(), true, 'a booking')
    await owner.patch(`/api/v1/bookings/${booking.id}`, { status: 'cancelled' })
    assert.equal(await changed(), true, 'a booking that is cancelled')
    await addQuote(owner, { unit_id: unit.id, check_in: '2030-07-05', check_out: '2030-07-06', hold: true })
    assert.equal(await changed(), true, 'a hold')
    await addConflict(listing.channel_target_id, unit.id)
    assert.equal(await changed(), true, 'a conflict')
    await run(sql`update listing_syncs set stale_since = now() where channel_listing_id = ${listing.id}`)
    assert.equal(await changed(), true, 'a sync mark')
    const value = { unit_id: unit.id, date_from: '2030-07-01', date_to: '2030-07-01', price_cents: 1 }
    expectStatus(await owner.post(path, { values: [value] }), 201)
    assert.equal(await changed(), true, 'a price')
  })
})
