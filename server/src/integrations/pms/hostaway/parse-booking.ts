import { fromMajorUnits, isCurrencyCode } from '../pms-amounts.ts'
import type { PmsBooking, PmsBookingStatus } from '../pms-booking.ts'
import { joinTexts, parseDate, parseName, asObject, parseTime, type NoticeBody } from '../pms-notice.ts'

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

/** Reads a reservation; null when it has no id. An unknown status keeps the room booked. */
export function parseBooking(reservation: unknown): PmsBooking | null {
  const fields = asObject(reservation)
  const id = parseName(fields['id'])
  if (id === null) return null
  const currency = isCurrencyCode(fields['currency']) ? fields['currency'].toLowerCase() : null
  const status = String(fields['status'])
  return {
    id,
    revision: null,
    isCurrent: true,
    revisedAt: parseRevisedAt(fields),
    status: status.startsWith('inquiry') ? 'inquiry' : (statuses[status] ?? 'confirmed'),
    guestName: parseGuestName(fields),
    guestEmail: parseName(fields['guestEmail']),
    guestPhone: parseName(fields['phone']),
    notes: parseNotes(fields),
    currency,
    lines: [
      {
        key: '',
        listing: parseName(fields['listingMapId']),
        plan: null,
        arrival: parseDate(fields['arrivalDate']),
        departure: parseDate(fields['departureDate']),
        rooms: parseRooms(fields),
        guests: parseGuests(fields),
        totalCents: fromMajorUnits(fields['totalPrice'], currency),
        ...(currency === null && { totalMajorUnits: fields['totalPrice'] }),
      },
    ],
  }
}

const parseRevisedAt = (fields: NoticeBody) =>
  parseTime(fields['latestActivityOn']) ?? parseTime(fields['updatedOn']) ?? parseTime(fields['insertedOn'])

/** A reservation of a multi-unit listing lists each unit that it books. */
const parseRooms = ({ reservationUnit }: NoticeBody) =>
  Array.isArray(reservationUnit) && reservationUnit.length > 1 ? reservationUnit.length : 1

function parseGuests(fields: NoticeBody): number {
  const { numberOfGuests, adults, children } = fields
  const count = Number(numberOfGuests ?? Number(adults ?? 0) + Number(children ?? 0))
  return Number.isInteger(count) && count >= 1 ? Math.min(count, 10_000) : 1
}

const parseGuestName = (fields: NoticeBody) =>
  joinTexts(' ', fields['guestName']) ?? joinTexts(' ', fields['guestFirstName'], fields['guestLastName'])

const parseNotes = (fields: NoticeBody) =>
  joinTexts('\n', fields['channelName'], fields['hostNote'], fields['guestNote'], fields['comment'])
