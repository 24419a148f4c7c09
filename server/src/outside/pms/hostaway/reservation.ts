import { isDate } from '#fields.ts'
import type { PmsBooking, PmsBookingStatus } from '../pms-booking.ts'
import { nameIn, objectIn, timeIn, type NoticeBody } from '../pms-notice.ts'
import { isCurrency, toMinorUnits } from './amounts.ts'

const statuses: Readonly<Record<string, PmsBookingStatus>> = {
  new: 'confirmed',
  modified: 'confirmed',
  ownerStay: 'confirmed',
  pending: 'pending',
  awaitingPayment: 'pending',
  cancelled: 'cancelled',
  declined: 'declined',
  expired: 'expired',
}

/** A reservation as Hostaway shows it, or null when it has no id. A status that nobody knows keeps its room. */
export function reservationIn(shown: unknown): PmsBooking | null {
  const said = objectIn(shown)
  const id = nameIn(said['id'])
  if (id === null) return null
  const currency = isCurrency(said['currency']) ? said['currency'].toLowerCase() : null
  const status = String(said['status'])
  return {
    id,
    revision: null,
    revisedAt: revisedAtOf(said),
    status: status.startsWith('inquiry') ? 'inquiry' : (statuses[status] ?? 'confirmed'),
    guestName: nameOf(said),
    guestEmail: nameIn(said['guestEmail']),
    guestPhone: nameIn(said['phone']),
    notes: notesOf(said),
    currency,
    lines: [
      {
        key: '',
        listing: nameIn(said['listingMapId']),
        plan: null,
        arrival: dayIn(said['arrivalDate']),
        departure: dayIn(said['departureDate']),
        rooms: roomsOf(said),
        guests: guestsOf(said),
        totalCents: toMinorUnits(said['totalPrice'], currency),
      },
    ],
  }
}

const revisedAtOf = (said: NoticeBody) =>
  timeIn(said['latestActivityOn']) ?? timeIn(said['updatedOn']) ?? timeIn(said['insertedOn'])

/** A reservation of a listing with several units names each of those it takes. */
const roomsOf = ({ reservationUnit }: NoticeBody) =>
  Array.isArray(reservationUnit) && reservationUnit.length > 1 ? reservationUnit.length : 1

function guestsOf(said: NoticeBody): number {
  const count = Number(said['numberOfGuests'] ?? said['adults'])
  return Number.isInteger(count) && count >= 1 ? Math.min(count, 10_000) : 1
}

const nameOf = (said: NoticeBody) =>
  nameIn(said['guestName']) ??
  ([said['guestFirstName'], said['guestLastName']].filter((part) => nameIn(part)).join(' ') || null)

const notesOf = (said: NoticeBody) =>
  [said['channelName'], said['hostNote'], said['guestNote'], said['comment']]
    .filter((part) => typeof part === 'string' && part.trim() !== '')
    .join('\n')
    .slice(0, 10_000) || null

const dayIn = (value: unknown) =>
  typeof value === 'string' && isDate(value.slice(0, 10)) ? value.slice(0, 10) : null
