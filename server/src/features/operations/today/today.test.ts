import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addLinkedUnit, addPmsFault, setPrice, statusOf, until } from '#test/linked-units.ts'
import { localDay } from '#test/local-days.ts'
import { askFor, pay } from '#test/payments.ts'
import { addConflict } from '#test/pms-bookings.ts'
import { addAlert, addBooking, addSpace, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

/** Two time zones 25 hours apart, whose dates always differ. */
const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'] as const

const { world, owner } = shareWorld({ workers: true })
let importer: TestCaller
before(async () => {
  const permissions = ['bookings:read', 'bookings:write', 'bookings:import']
  importer = await world.home.as('service', { permissions })
})

const read = async (query = '', caller = owner) =>
  expectStatus(await caller.get(`/api/v1/today${query}`), 200).today

async function addPlace(timezone: string) {
  const space = await addSpace(owner, { timezone })
  const unit = await addUnit(owner, { space_id: space.id, quantity: 20, base_price_cents: 10_000 })
  const day = (days: number) => localDay(timezone, days)
  const addStay = async (from: number, to: number, fields: object = {}) => {
    const { status, ...rest } = fields as { status?: string }
    const nights = { unitId: unit.id, checkIn: day(from), checkOut: day(to), ...rest }
    const booking = await addBooking(importer, nights)
    const steps = { checked_in: ['checked_in'], checked_out: ['checked_in', 'checked_out'] }[status ?? '']
    for (const step of steps ?? (status ? [status] : []))
      expectStatus(await owner.patch(`/api/v1/bookings/${booking.id}`, { status: step }), 200)
    return booking.id as string
  }
  return { spaceId: space.id as string, unit, addStay }
}

/** The counts equal the filtered list of bookings. */
const listed = async (set: string, spaceId: string) => {
  const { bookings } = expectStatus(
    await owner.get(`/api/v1/bookings?today=${set}&space_id=${spaceId}&sort=check_in`),
    200,
  )
  return idsOf({ bookings }).sort()
}

const idsOf = ({ bookings }: { bookings: { id: string }[] }) => bookings.map(({ id }) => id)

suite('today: stays', () => {
  test('counts by the local date of each space', async () => {
    for (const zone of zones) {
      const { spaceId, unit, addStay } = await addPlace(zone)
      const expected = await addStay(0, 3, { guests: 2 })
      const arrived = await addStay(0, 2, { status: 'checked_in' })
      const inHouse = await addStay(-2, 2, { status: 'checked_in' })
      const notCheckedIn = await addStay(-40, 40)
      const leaves = await addStay(-3, 0, { status: 'checked_in' })
      await addStay(0, 2, { status: 'cancelled' })
      await addStay(1, 3)
      await addStay(-3, -1)
      const { arrivals, departures, in_house } = await read(`?space_id=${spaceId}`)
      assert.deepEqual([arrivals.count, arrivals.done], [2, 1])
      assert.deepEqual(idsOf(arrivals).sort(), [expected, arrived].sort())
      assert.deepEqual([departures.count, departures.done, idsOf(departures)], [1, 0, [leaves]])
      assert.deepEqual(in_house.count, 4)
      assert.equal(idsOf(in_house)[0], leaves)
      assert.deepEqual(idsOf(in_house).slice(1).sort(), [arrived, inHouse, notCheckedIn].sort())
      for (const [set, section] of Object.entries({ arrivals, departures, in_house }))
        assert.deepEqual(await listed(set, spaceId), idsOf(section as never).sort(), set)
      const [first] = arrivals.bookings.filter(({ id }: { id: string }) => id === expected)
      assert.deepEqual(
        [first.unit_name, first.space_id, first.timezone, first.guests, first.arrival],
        [unit.name, spaceId, zone, 2, localDay(zone, 0)],
      )
    }
    const { arrivals } = await read()
    assert.equal(arrivals.count, 4)
  })

  test('shows guests who have not checked out as in house after their departure', async () => {
    const { spaceId, addStay } = await addPlace('Pacific/Kiritimati')
    const overdue = await addStay(-5, -1, { status: 'checked_in', guests: 2 })
    const longOverdue = await addStay(-90, -40, { status: 'checked_in', guests: 2 })
    const leaves = await addStay(-3, 0, { status: 'checked_in', guests: 1 })
    await addStay(-4, -1, { status: 'checked_out' })
    await addStay(-4, -1)
    const expected = [longOverdue, overdue, leaves]
    const { in_house, departures } = await read(`?space_id=${spaceId}`)
    assert.deepEqual([in_house.count, in_house.guests, idsOf(in_house)], [3, 5, expected])
    assert.deepEqual(idsOf(departures), [leaves])
    assert.deepEqual(await listed('in_house', spaceId), [...expected].sort())
    const { in_house: everywhere } = await read()
    assert.ok(idsOf(everywhere).includes(longOverdue))
    for (const id of expected)
      expectStatus(await owner.patch(`/api/v1/bookings/${id}`, { status: 'checked_out' }), 200)
    assert.equal((await read(`?space_id=${spaceId}`)).in_house.count, 0)
  })

  test('shows the first ten by arrival', async () => {
    const { spaceId, addStay } = await addPlace('Europe/Lisbon')
    for (let number = 0; number < 12; number++) await addStay(0, 1)
    const { arrivals } = await read(`?space_id=${spaceId}`)
    assert.deepEqual([arrivals.count, arrivals.bookings.length], [12, 10])
  })
})

suite('today: unpaid', () => {
  test('shows the outstanding amounts of stays that arrive soon or arrived unpaid', async () => {
    const { spaceId, addStay } = await addPlace('Europe/Lisbon')
    const overdue = await addStay(-5, -3, { totalCents: 20_000 })
    const soon = await addStay(7, 9, { totalCents: 30_000 })
    await addStay(8, 10, { totalCents: 30_000 })
    await addStay(-31, -29, { totalCents: 30_000 })
    await addStay(3, 5, { totalCents: 0 })
    const paid = await addStay(2, 4, { totalCents: 10_000 })
    const partly = await addStay(1, 3, { totalCents: 50_000 })
    await pay(world, await askFor(owner, { id: paid }, { amount: 10_000 }))
    await pay(world, await askFor(owner, { id: partly }, { amount: 20_000 }))
    const query = `?space_id=${spaceId}`
    const { unpaid } = await until(
      () => read(query),
      // The provider tells of the two payments one after the other.
      ({ unpaid }) => unpaid.count === 3 && unpaid.bookings[1].due_cents === 30_000,
    )
    assert.equal(unpaid.overdue, 1)
    const shown = unpaid.bookings.map((one: Record<string, unknown>) => [one['id'], one['due_cents']])
    assert.deepEqual(shown, [
      [overdue, 20_000],
      [partly, 30_000],
      [soon, 30_000],
    ])
    assert.deepEqual(await listed('unpaid', spaceId), [overdue, partly, soon].sort())
    const staff = await world.home.as('staff')
    expectProblem(await staff.get('/api/v1/bookings?today=unpaid'), 403, 'forbidden')
    const desk = await read(query, staff)
    assert.equal(desk.unpaid, null)
    assert.deepEqual(desk.arrivals, (await read(query)).arrivals)
  })

  test('shows what is due again after a refund', async () => {
    const { spaceId, addStay } = await addPlace('Europe/Lisbon')
    const intent = await askFor(owner, { id: await addStay(1, 3, { totalCents: 20_000 }) })
    const unpaidWith = (count: number) =>
      until(
        async () => (await read(`?space_id=${spaceId}`)).unpaid,
        ({ count: found }) => found === count,
      )
    await pay(world, intent)
    await unpaidWith(0)
    expectStatus(await owner.post(`/api/v1/payment-intents/${intent.id}/refunds`, { amount: 5_000 }), 201)
    const [{ paid_cents, due_cents }] = (await unpaidWith(1)).bookings
    assert.deepEqual([paid_cents, due_cents], [15_000, 5_000])
  })

  test('lists the stays of a set page after page, in each order', async () => {
    const { addStay } = await addPlace('Europe/Lisbon')
    for (let number = 0; number < 5; number++) await addStay(0, 1 + number)
    const pageOf = async (query: string) =>
      expectStatus(await owner.get(`/api/v1/bookings?${query}`), 200) as {
        bookings: { id: string }[]
        next_cursor: string | null
      }
    for (const set of ['arrivals', 'in_house', 'unpaid'])
      for (const sort of ['created_at', '-check_in']) {
        // Another filter, which all match, has the list sort every stay of the set.
        const all = await pageOf(`today=${set}&sort=${sort}&limit=100&check_in_from=2020-01-01`)
        const ids: string[] = []
        let cursor = ''
        for (;;) {
          const page = await pageOf(`today=${set}&sort=${sort}&limit=2${cursor}`)
          ids.push(...idsOf(page))
          if (page.next_cursor === null) break
          cursor = `&cursor=${page.next_cursor}`
        }
        assert.ok(ids.length > 2, set)
        assert.deepEqual(ids, idsOf(all), `${set} by ${sort}`)
      }
  })
})

suite('today: problems', () => {
  test('shows open conflicts, alerts and failures of the requested spaces', async () => {
    const [linked, quiet] = [await addLinkedUnit(owner), await addLinkedUnit(owner)]
    await world.settled()
    await addAlert(world, world.home, linked, { kind: 'drift.found' })
    await addConflict(world, world.home, linked.targetId)
    await addPmsFault(world, linked, { mode: 'refuse', status: 422, calendar: true })
    await setPrice(owner, linked, 25_000)
    await until(
      () => statusOf(owner, linked),
      ({ status }) => status === 'failed',
    )
    const { conflicts, alerts, sync_failures } = await read()
    assert.deepEqual([conflicts.count, conflicts.booking_conflicts.length], [1, 1])
    assert.equal(conflicts.booking_conflicts[0].reason, 'unlinked_room')
    // Those of the conflict and of the failing listing are counted there.
    assert.deepEqual([alerts.count, alerts.alerts.length], [1, 1])
    assert.deepEqual([sync_failures.causes, sync_failures.listings], [1, 1])
    const here = await read(`?space_id=${linked.spaceId}`)
    assert.deepEqual([here.conflicts.count, here.alerts.count, here.sync_failures.listings], [0, 1, 1])
    const there = await read(`?space_id=${quiet.spaceId}`)
    assert.deepEqual([there.conflicts.count, there.alerts.count, there.sync_failures.listings], [0, 0, 0])
  })

  test('shows none of them without sync:read', async () => {
    const { alerts, sync_failures, arrivals } = await read('', importer)
    assert.deepEqual([alerts, sync_failures], [null, null])
    assert.ok(arrivals.count > 0)
  })

  test('shows alerts about members only to admins', async () => {
    const about = {
      kind: 'member.identity_conflict',
      channel_listing_id: null,
      channel_target_id: null,
    } as const
    const linked = await addLinkedUnit(owner)
    await addAlert(world, world.home, linked, { ...about, unit_id: null })
    const kindsSeen = async (caller: TestCaller) =>
      (await read('', caller)).alerts.alerts.map(({ kind }: { kind: string }) => kind) as string[]
    assert.ok((await kindsSeen(owner)).includes('member.identity_conflict'))
    assert.ok(!(await kindsSeen(await world.home.as('manager'))).includes('member.identity_conflict'))
  })
})

suite('today: tenancy and bad input', () => {
  test('shows nothing of another organization', async () => {
    const { generated_at: _, setup, sales_stops, ...today } = await read('', await world.away.as('owner'))
    assert.equal(sales_stops, 0)
    assert.deepEqual(new Set(Object.values(setup)), new Set([false]))
    const counts = Object.values(today as Record<string, { count?: number; listings?: number }>)
    assert.deepEqual(
      counts.map(({ count, listings }) => count ?? listings),
      [0, 0, 0, 0, 0, 0, 0],
    )
    const [{ id }] = expectStatus(await owner.get('/api/v1/spaces'), 200).spaces
    const stranger = await world.away.as('owner')
    expectProblem(await stranger.get(`/api/v1/today?space_id=${id}`), 404, 'not-found')
  })

  test('rejects unknown parameters', async () => {
    expectProblem(await owner.get('/api/v1/today?space_id=1'), 400, 'validation-error', '/space_id')
    expectProblem(await owner.get('/api/v1/today?date=2026-01-01'), 400, 'validation-error', '/date')
    const service = await world.home.as('service', { permissions: ['units:read'] })
    expectProblem(await service.get('/api/v1/today'), 403, 'forbidden')
  })
})
