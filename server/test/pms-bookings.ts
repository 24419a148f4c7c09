import assert from 'node:assert/strict'
import { sql } from '#db/sql.ts'
import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import type { PmsBooking, PmsBookingLine } from '#integrations/pms/pms-booking.ts'
import { getTargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { applyPmsBooking } from '#features/distribution/pms-bookings/apply-pms-booking.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { enqueuePolls } from '#features/distribution/pms-bookings/jobs.ts'
import type { TestCaller } from './caller.ts'
import type { ChannexWorld, Property } from './channex-live.ts'
import { expectStatus } from './expect.ts'
import { systemScope } from './records.ts'
import { until } from './linked-units.ts'
import type { TestOrganization, World } from './world.ts'

/** Helpers for bookings of sales channels that arrive through a PMS. */

export interface TestBooking {
  id: string
  unitId: string
  ratePlanId: string
  status: string
  guestName: string
  arrival: string
  departure: string
  guests: number
  totalCents: number
  currency: string
  externalId: string
  source: string
  notes: string | null
}

/** The bookings of a unit, sorted by their id at the PMS. */
export const bookingsOf = async (owner: TestCaller, unitId: string): Promise<TestBooking[]> => {
  const { bookings } = expectStatus(await owner.get(`/api/v1/bookings?unit_id=${unitId}&limit=100`), 200)
  return (bookings as TestBooking[]).toSorted((one, other) => (one.externalId < other.externalId ? -1 : 1))
}

export interface TestConflict {
  id: string
  external_id: string
  unit_id: string | null
  booking_id: string | null
  reason: string
  status: string
  updated_at: string
  attempts: number
  message: string
  hint: string
  conflicts: object[]
  booking: { guestName: string }
  dismissal_reason: string | null
}

export const conflictsOf = async (owner: TestCaller, targetId: string, query = ''): Promise<TestConflict[]> =>
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

/** Sends a booking of a sales channel of Channex, by default of one room for two nights. */
export async function sendBooking(
  { control }: ChannexWorld,
  property: Property,
  {
    room = 0,
    from = 10,
    to = 12,
    ...more
  }: { room?: number; from?: number; to?: number; [member: string]: unknown } = {},
): Promise<Revision> {
  const { roomTypeId, plans } = property.rooms[room]!
  const { status, body } = await control('POST', 'bookings', {
    property_id: property.propertyId,
    ota_name: 'Booking.com',
    ota_reservation_code: 'BDC-77',
    currency: 'EUR',
    amount: '220.50',
    customer: { name: 'Ada', surname: 'Lovelace', mail: 'ada@guest.example', phone: '+351 1' },
    rooms: [roomLine(property, { roomTypeId, planId: plans[0]!.externalId, from, to })],
    ...more,
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data as Revision
}

export const roomLine = (
  property: Property,
  { roomTypeId, planId, from, to }: { roomTypeId: string; planId: string | null; from: number; to: number },
) => ({
  room_type_id: roomTypeId,
  rate_plan_id: planId,
  checkin_date: property.day(from),
  checkout_date: property.day(to),
  amount: '220.50',
  occupancy: { adults: 2, children: 1, infants: 0 },
})

/** Adds the booking webhook at Channex, as an operator would. */
export async function subscribeToBookings({ api, world }: ChannexWorld, property: Property): Promise<void> {
  const webhook = {
    callback_url: `${world.url}/webhooks/pms/${property.targetId}`,
    event_mask: 'booking',
    property_id: property.propertyId,
    is_active: true,
    send_data: true,
  }
  assert.equal((await api('POST', '/webhooks', { webhook })).status, 201)
}

/** The unacknowledged revisions of the feed. */
export const readFeed = async ({ api }: Pick<ChannexWorld, 'api'>, property: Property): Promise<Revision[]> =>
  (
    await api(
      'GET',
      `/booking_revisions/feed?filter[property_id]=${property.propertyId}&pagination[limit]=100`,
    )
  ).body.data as Revision[]

export const waitForEmptyFeed = (setup: ChannexWorld, property: Property) =>
  until(
    () => readFeed(setup, property),
    (left) => left.length === 0,
  )

/** Polls every PMS for bookings, as the scheduler does each minute, and waits for the end. */
export async function poll(world: World, more = ''): Promise<void> {
  const { database } = world.resources
  const owner = openOwner(world.databaseUrl)
  try {
    await owner.pipelined({ orgId: null }, [
      sql`update target_syncs set bookings_polled_at = null ${sql.raw(more)}`,
    ])
  } finally {
    await owner.close()
  }
  await enqueuePolls({ database } satisfies Pick<Scope, 'database'>)
  await world.settled()
}

/** The available rooms of a room type at Channex on a night. */
export async function roomsAtChannex({ api }: ChannexWorld, property: Property, room: number, day: number) {
  const date = property.day(day)
  const path = `/availability?filter[property_id]=${property.propertyId}&filter[date][gte]=${date}&filter[date][lte]=${date}`
  return (await api('GET', path)).body.data[property.rooms[room]!.roomTypeId][date] as number
}

let bookingCount = 0

type Fields = Partial<Omit<PmsBooking, 'lines'>> & {
  line: Pick<PmsBookingLine, 'listing' | 'arrival' | 'departure'> & Partial<PmsBookingLine>
}

/** Applies a revision of a booking of one room, as when the PMS has sent it. */
export async function applyRevision(
  transaction: Transaction,
  targetId: string,
  { line, ...fields }: Fields,
): Promise<void> {
  const target = (await getTargetConnection(transaction, targetId))!
  const guest = { guestName: 'Ada', guestEmail: null, guestPhone: null, notes: null }
  const state = { revision: null, revisedAt: null, status: 'confirmed', currency: 'eur' } as const
  const lines = [{ key: '', plan: null, rooms: 1, guests: 1, totalCents: 0, ...line }]
  const booking = { id: 'R-1', ...state, ...guest, ...fields, lines }
  await applyPmsBooking(transaction, booking, { target, needsPlan: false, requestedAt: null })
}

/** Adds a conflict: a booking of the PMS for a room that is not linked. */
export const addConflict = (
  world: World,
  organization: TestOrganization,
  targetId: string,
  notes = 'Late.',
) =>
  atomically(systemScope(world, organization), async (transaction) => {
    const stay = { listing: `Unknown ${++bookingCount}`, arrival: '2030-07-01', departure: '2030-07-03' }
    const line = { ...stay, guests: 2, totalCents: 20_000 }
    await applyRevision(transaction, targetId, { id: `PMS-${bookingCount}`, notes, line })
  })
