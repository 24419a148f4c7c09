import { randomUUID } from 'node:crypto'
import type { Account } from './store.ts'
import { isObject } from './checks.ts'
import type { Clock } from './clock.ts'
import { dayOf } from '../data/dates.ts'
import type { Deliveries } from './deliveries.ts'
import { invalid, notFound } from './errors.ts'
import { roomsOf, type Revision } from './revision.ts'
import { listensTo } from './webhook.ts'

/** How long a revision that is not acknowledged stays in the feed. */
const feedMs = 30 * 60_000

const eventOf = { new: 'booking_new', modified: 'booking_modification', cancelled: 'booking_cancellation' }
const settingOf = { new: 'confirmation', modified: 'modification', cancelled: 'cancellation' } as const

export type Bookings = ReturnType<typeof openBookings>

/** The bookings that sales channels send, and the webhooks about them. */
export function openBookings(account: Account, deliveries: Deliveries, clock: Clock) {
  return {
    /** Takes a revision as a sales channel sends it. */
    receive(body: unknown): Revision {
      const given = isObject(body) ? body : {}
      const {
        id: _,
        booking_id: bookingId = randomUUID(),
        property_id: propertyId,
        status = 'new',
        inserted_at: insertedAt = clock.stampNow(),
        ...details
      } = given
      if (!account.properties.has(String(propertyId))) throw invalid({ property_id: ['is invalid'] })
      if (!Object.hasOwn(eventOf, String(status))) throw invalid({ status: ['is invalid'] })
      const before = latest(String(bookingId))
      const revision = account.save('revisions', {
        id: randomUUID(),
        booking_id: String(bookingId),
        property_id: String(propertyId),
        status: status as Revision['status'],
        insertedMs: clock.nowMs(),
        insertedAt: String(insertedAt),
        acknowledged: false,
        missed: false,
        details,
      })
      adjustAvailability(revision, before)
      notifyReceived(revision)
      return revision
    },

    /** Revisions that are not acknowledged and have not left the feed. */
    feed: () => unacknowledged().filter(({ insertedMs }) => insertedMs + feedMs > clock.nowMs()),

    /** The last revision of each booking. */
    all: () => [...new Map([...account.revisions.values()].map((one) => [one.booking_id, one])).values()],

    find: (bookingId: string) => latest(bookingId) ?? throwNotFound(),

    revision: (id: string) => account.revisions.get(id) ?? throwNotFound(),

    acknowledge(revision: Revision) {
      if (!revision.acknowledged) account.save('revisions', { ...revision, acknowledged: true })
    },

    /** Reports, once, each revision that left the feed without being acknowledged. */
    notifyMissed() {
      for (const revision of unacknowledged()) {
        if (revision.missed || revision.insertedMs + feedMs > clock.nowMs()) continue
        account.save('revisions', { ...revision, missed: true })
        notify('non_acked_booking', revision, 'revision_id')
      }
    },
  }

  function unacknowledged() {
    return [...account.revisions.values()].filter(({ acknowledged }) => !acknowledged)
  }

  function latest(bookingId: string) {
    return [...account.revisions.values()].findLast((revision) => revision.booking_id === bookingId)
  }

  function notifyReceived(revision: Revision) {
    notify('booking', revision, 'revision_id')
    notify(eventOf[revision.status], revision, 'revision_id')
    const rooms = roomsOf(revision)
    if (rooms.some((room) => !room.room_type_id))
      notify('booking_unmapped_room', revision, 'booking_revision_id')
    else if (rooms.some((room) => !room.rate_plan_id))
      notify('booking_unmapped_rate', revision, 'booking_revision_id')
  }

  function notify(event: string, { id, booking_id, property_id }: Revision, idName: string) {
    const payload = { booking_id, ...(idName === 'revision_id' ? { property_id } : {}), [idName]: id }
    for (const webhook of account.webhooks.values()) {
      if (!listensTo(webhook, event, property_id)) continue
      const timestamp = new Date(clock.nowMs()).toISOString()
      deliveries.send(webhook, {
        event,
        ...(webhook.send_data ? { payload } : {}),
        property_id,
        user_id: null,
        timestamp,
      })
    }
  }

  /** Bookings change availability as the settings of the property say. */
  function adjustAvailability(revision: Revision, before: Revision | undefined) {
    const settings = account.properties.get(revision.property_id)?.settings
    if (!settings?.[`allow_availability_autoupdate_on_${settingOf[revision.status]}`]) return
    if (before && before.status !== 'cancelled') adjustRooms(before, 1)
    if (revision.status !== 'cancelled') adjustRooms(revision, -1)
  }

  function adjustRooms(revision: Revision, by: 1 | -1) {
    for (const room of roomsOf(revision)) {
      const [from, until] = [dayOf(room.checkin_date), dayOf(room.checkout_date)]
      const of = room.room_type_id
      if (!of || !account.room_types.has(of) || from === undefined || until === undefined) continue
      for (let day = from; day < until; day += 1) {
        const availability = Math.max(0, (account.night(of, day).availability ?? 0) + by)
        account.apply({ of, from: day, to: day, set: { availability } })
      }
    }
  }
}

export function showRevision({
  id,
  booking_id,
  property_id,
  status,
  insertedAt: inserted_at,
  details,
}: Revision) {
  return {
    type: 'booking_revision',
    id,
    attributes: { ...details, id, booking_id, property_id, status, inserted_at },
    relationships: { property: { data: { type: 'property', id: property_id } } },
  }
}

export function showBooking({
  id,
  booking_id,
  property_id,
  status,
  insertedAt: inserted_at,
  details,
}: Revision) {
  return {
    type: 'booking',
    id: booking_id,
    attributes: { ...details, id: booking_id, revision_id: id, property_id, status, inserted_at },
    relationships: { property: { data: { type: 'property', id: property_id } } },
  }
}

function throwNotFound(): never {
  throw notFound()
}
