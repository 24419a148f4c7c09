import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { atomically, type Scope } from '#db/scope.ts'
import { lookForTarget } from '#features/channel-targets/queries.ts'
import { applyPmsBooking } from '#features/pms-bookings/apply-pms-booking.ts'
import { openOwner } from '#features/provisioning/provision.ts'
import { askForBookings } from '#features/upkeep/upkeep.ts'
import type { TestCaller } from './caller.ts'
import type { ChannexWorld, Property } from './channex-live.ts'
import { expectStatus } from './expect.ts'
import { systemScope } from './records.ts'
import { until } from './stock.ts'
import type { TestOrganization, World } from './world.ts'

/** Bookings as a sales channel sends them through a PMS, and what became of them here. */

export interface Seen {
  id: string
  unitId: string
  ratePlanId: string
  status: string
  guestName: string
  arrival: string
  departure: string
  totalCents: number
  currency: string
  externalId: string
  source: string
  notes: string | null
}

/** The bookings of a unit, by what they are called at the PMS. */
export const bookingsOf = async (owner: TestCaller, unitId: string): Promise<Seen[]> => {
  const { bookings } = expectStatus(await owner.get(`/api/v1/bookings?unit_id=${unitId}&limit=100`), 200)
  return (bookings as Seen[]).toSorted((one, other) => (one.externalId < other.externalId ? -1 : 1))
}

export interface SeenConflict {
  id: string
  external_id: string
  unit_id: string | null
  booking_id: string | null
  reason: string
  status: string
  attempts: number
  message: string
  hint: string
  conflicts: object[]
  booking: { guestName: string }
  dismissal_reason: string | null
}

export const conflictsOf = async (owner: TestCaller, targetId: string, query = ''): Promise<SeenConflict[]> =>
  expectStatus(
    await owner.get(
      `/api/v1/booking-conflicts?channel_target_id=${targetId}&limit=100&sort=created_at${query}`,
    ),
    200,
  ).booking_conflicts

export const openAlerts = async (owner: TestCaller, targetId: string): Promise<{ details: object }[]> =>
  expectStatus(
    await owner.get(
      `/api/v1/alerts?channel_target_id=${targetId}&status=open&kind=booking.conflict&limit=100`,
    ),
    200,
  ).alerts

export type Revision = { id: string; attributes: { booking_id: string; inserted_at: string } }

/** A sales channel of Channex says something about a booking: one room for two nights, unless told otherwise. */
export async function sell(
  { door }: ChannexWorld,
  house: Property,
  {
    room = 0,
    from = 10,
    to = 12,
    ...more
  }: { room?: number; from?: number; to?: number; [member: string]: unknown } = {},
): Promise<Revision> {
  const { roomTypeId, plans } = house.rooms[room]!
  const { status, body } = await door('POST', 'bookings', {
    property_id: house.property,
    ota_name: 'Booking.com',
    ota_reservation_code: 'BDC-77',
    currency: 'EUR',
    amount: '220.50',
    customer: { name: 'Ada', surname: 'Lovelace', mail: 'ada@guest.example', phone: '+351 1' },
    rooms: [roomLine(house, { roomTypeId, planId: plans[0]!.externalId, from, to })],
    ...more,
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data as Revision
}

export const roomLine = (
  house: Property,
  { roomTypeId, planId, from, to }: { roomTypeId: string; planId: string | null; from: number; to: number },
) => ({
  room_type_id: roomTypeId,
  rate_plan_id: planId,
  checkin_date: house.day(from),
  checkout_date: house.day(to),
  amount: '220.50',
  occupancy: { adults: 2, children: 1, infants: 0 },
})

/** Has Channex tell us of bookings by webhook, as an operator would set it up. */
export async function hearOf({ api, world }: ChannexWorld, house: Property): Promise<void> {
  const webhook = {
    callback_url: `${world.url}/webhooks/pms/${house.targetId}`,
    event_mask: 'booking',
    property_id: house.property,
    is_active: true,
    send_data: true,
  }
  assert.equal((await api('POST', '/webhooks', { webhook })).status, 201)
}

/** What nobody has acknowledged. */
export const feedOf = async ({ api }: Pick<ChannexWorld, 'api'>, house: Property): Promise<Revision[]> =>
  (await api('GET', `/booking_revisions/feed?filter[property_id]=${house.property}&pagination[limit]=100`))
    .body.data as Revision[]

export const drained = (street: ChannexWorld, house: Property) =>
  until(
    () => feedOf(street, house),
    (left) => left.length === 0,
  )

/** Asks every PMS for its bookings now, as upkeep does once a minute, and waits until that has been done. */
export async function poll(world: World, more = ''): Promise<void> {
  const { database, outbox } = world.resources
  const owner = openOwner(world.databaseUrl)
  try {
    await owner.pipelined({ orgId: null }, [
      sql`update target_syncs set bookings_polled_at = null ${sql.raw(more)}`,
    ])
  } finally {
    await owner.close()
  }
  await askForBookings({ database, outbox } satisfies Pick<Scope, 'database' | 'outbox'>)
  await world.settled()
}

/** How many rooms of a room type Channex sells on a night. */
export async function roomsShown({ api }: ChannexWorld, house: Property, room: number, day: number) {
  const date = house.day(day)
  const path = `/availability?filter[property_id]=${house.property}&filter[date][gte]=${date}&filter[date][lte]=${date}`
  return (await api('GET', path)).body.data[house.rooms[room]!.roomTypeId][date] as number
}

let told = 0

/** A booking that the PMS tells of a room that is linked to nothing. */
export const addConflict = (
  world: World,
  organization: TestOrganization,
  targetId: string,
  notes = 'Late.',
) =>
  atomically(systemScope(world, organization), async (transaction) => {
    const target = (await lookForTarget(transaction, targetId))!
    const guest = { guestName: 'Ada', guestEmail: null, guestPhone: null }
    const stay = {
      listing: `Unheard of ${++told}`,
      plan: null,
      arrival: '2030-07-01',
      departure: '2030-07-03',
    }
    const line = { key: '', ...stay, rooms: 1, guests: 2, totalCents: 20_000 }
    const state = { revision: null, revisedAt: null, status: 'confirmed', currency: 'eur' } as const
    const booking = { id: `PMS-${told}`, ...state, ...guest, notes, lines: [line] }
    await applyPmsBooking(transaction, booking, { target, needsPlan: false, askedAt: null })
  })
