import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addListing, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'
import type { World } from '#test/world.ts'

// The quantity of a unit and its booked and blocked rooms.

const { world, owner } = shareWorld()

const path = '/api/v1/units'
const nights = { date_from: '2030-07-01', date_to: '2030-07-31' }
const inOrganization = (...statements: Parameters<World['resources']['database']['pipelined']>[1]) =>
  world.resources.database.pipelined({ orgId: world.home.id }, statements)

const book = (unitId: string, range: string, rooms: number) =>
  inOrganization(sql`insert into bookings (org_id, account_id, unit_id, guest_name, rooms, nights, check_in, check_out,
      total_cents, currency) values (${world.home.id}, ${world.home.accountId}, ${unitId}, 'Ada', ${rooms}, ${range},
      '2030-07-01T15:00Z', '2030-07-03T10:00Z', 100, 'eur')`)
const block = (unitId: string, blocked: number) =>
  owner.post('/api/v1/calendar', { values: [{ unit_id: unitId, ...nights, blocked }] })
const roomsOf = async (unitId: string) => {
  const query = `unit_id=${unitId}&from=${nights.date_from}&to=${nights.date_to}`
  const [tile] = expectStatus(await owner.get(`/api/v1/calendar?${query}`), 200).calendar
  return tile.availability.map((one: { available: number; blocked: number }) => [one.available, one.blocked])
}

suite('units: rooms', () => {
  test('cannot be reduced below future bookings, whose nights the error lists', async () => {
    const unit = await addUnit(owner, { quantity: 5 })
    await book(unit.id, '[2030-07-01,2030-07-03)', 2)
    await book(unit.id, '[2030-07-02,2030-07-03)', 1)
    await book(unit.id, '[2020-07-02,2020-07-03)', 5)
    const refused = await owner.patch(`${path}/${unit.id}`, { quantity: 1 })
    expectProblem(refused, 409, 'resource-in-use')
    assert.deepEqual(refused.body.nights, [
      { night: '2030-07-01', booked: 2 },
      { night: '2030-07-02', booked: 3 },
    ])
    expectProblem(await owner.patch(`${path}/${unit.id}`, { quantity: 2 }), 409, 'resource-in-use')
    assert.equal(expectStatus(await owner.get(`${path}/${unit.id}`), 200).unit.quantity, 5)
    expectStatus(await owner.patch(`${path}/${unit.id}`, { quantity: 3 }), 200)
  })

  test('reduces blocked rooms', async () => {
    const unit = await addUnit(owner, { quantity: 5 })
    expectStatus(await block(unit.id, 4), 201)
    expectStatus(await owner.patch(`${path}/${unit.id}`, { quantity: 3 }), 200)
    assert.deepEqual(await roomsOf(unit.id), [[0, 3]])
    expectStatus(await owner.patch(`${path}/${unit.id}`, { quantity: 6 }), 200)
    assert.deepEqual(await roomsOf(unit.id), [[3, 3]])
  })

  test('blocks concurrent with a reduction never exceed the remaining rooms', async () => {
    for (let round = 0; round < 10; round++) {
      const unit = await addUnit(owner, { quantity: 5 })
      const [blocked, changed] = await Promise.all([
        block(unit.id, 5),
        owner.patch(`${path}/${unit.id}`, { quantity: 2 }),
      ])
      expectStatus(changed, 200)
      assert.ok([201, 422].includes(blocked.status), blocked.text)
      assert.deepEqual(await roomsOf(unit.id), [blocked.status === 201 ? [0, 2] : [2, 0]])
    }
  })

  test('pushes every night for changes of the calendar, and none for others', async () => {
    const listing = await addListing(owner)
    const { unit_id: id } = listing
    const touched = async () => {
      const [[row] = []] = await inOrganization(
        sql`update listing_syncs set changed_from = null, changed_to = null
          from listing_syncs old where old.channel_listing_id = listing_syncs.channel_listing_id
            and listing_syncs.channel_listing_id = ${listing.id} returning old.changed_to::text`,
      )
      return (row as { changed_to: string | null }).changed_to
    }
    await touched()
    for (const [change, to] of [
      [{ name: 'New' }, null],
      [{ base_price_cents: 7 }, 'infinity'],
      [{ max_guests: 7 }, null],
      [{ quantity: 7 }, 'infinity'],
      [{ status: 'maintenance' }, 'infinity'],
    ] as const) {
      expectStatus(await owner.patch(`${path}/${id}`, change), 200)
      assert.equal(await touched(), to, JSON.stringify(change))
    }
    for (const [change, to] of [
      [{ city: 'Faro' }, null],
      [{ timezone: 'Asia/Tokyo' }, 'infinity'],
      [{ status: 'inactive' }, 'infinity'],
    ] as const) {
      expectStatus(await owner.patch(`/api/v1/spaces/${listing.unit.space_id}`, change), 200)
      assert.equal(await touched(), to, JSON.stringify(change))
    }
  })
})
