import type { PmsBooking, PmsBookingLine, PmsBookingStatus } from '../pms-booking.ts'
import { joinTexts, parseDate, parseName, asObject, parseTime, type NoticeBody } from '../pms-notice.ts'
import { fromMajorUnits, parseMajorUnits } from '../pms-amounts.ts'

const statuses: Readonly<Record<string, PmsBookingStatus>> = {
  new: 'confirmed',
  modified: 'confirmed',
  cancelled: 'cancelled',
}

/** Reads a booking or one of its revisions, of which any field may be missing or invalid; null when it has no id. */
export function parseBooking(resource: unknown): PmsBooking | null {
  const { id: resourceId, type, attributes } = asObject(resource)
  const fields = asObject(attributes)
  const isRevision = type === 'booking_revision' || fields['booking_id'] !== undefined
  const revision = parseName(isRevision ? (resourceId ?? fields['id']) : fields['revision_id'])
  // A revision that names no booking stands for a booking of its own.
  const id = parseName(isRevision ? fields['booking_id'] : (resourceId ?? fields['id'])) ?? revision
  if (id === null) return null
  const customer = asObject(fields['customer'])
  const currency = parseName(fields['currency'])?.toLowerCase() ?? null
  return {
    id,
    revision,
    revisedAt: parseTime(fields['inserted_at']),
    status: statuses[String(fields['status'])] ?? 'confirmed',
    guestName: joinTexts(' ', customer['name'], customer['surname']),
    guestEmail: parseName(customer['mail']),
    guestPhone: parseName(customer['phone']),
    notes: joinTexts(
      '\n',
      joinTexts(' ', fields['ota_name'], fields['ota_reservation_code']),
      fields['notes'],
    ),
    currency,
    lines: parseLines(fields, currency),
  }
}

/** One line per room, in the order of the booking. Some sales channels have ids for the rooms. */
function parseLines(fields: NoticeBody, currency: string | null): PmsBookingLine[] {
  const rooms = (Array.isArray(fields['rooms']) ? fields['rooms'] : []).map(asObject)
  return rooms.map((room) => {
    const id = parseName(room['ota_unique_id'])
    const listing = parseName(room['room_type_id'])
    const total = roomTotal(room) ?? (rooms.length === 1 ? parseMajorUnits(fields['amount']) : null)
    return {
      ...(id !== null && { id }),
      key: listing ?? '?',
      listing,
      plan: parseName(room['rate_plan_id']),
      arrival: parseDate(room['checkin_date'] ?? fields['arrival_date']),
      departure: parseDate(room['checkout_date'] ?? fields['departure_date']),
      rooms: 1,
      guests: parseGuests(room['occupancy'] ?? fields['occupancy']),
      totalCents: fromMajorUnits(total, currency),
      ...(currency === null && { totalMajorUnits: total }),
    }
  })
}

/** The amount of the room, or the sum of its nights, in major units. */
function roomTotal(room: NoticeBody): number | null {
  const amount = parseMajorUnits(room['amount'])
  if (amount !== null) return amount
  const nights = Object.values(asObject(room['days'])).map(parseMajorUnits)
  return nights.length > 0 && nights.every((price) => price !== null)
    ? nights.reduce((sum, price) => sum + price, 0)
    : null
}

function parseGuests(occupancy: unknown): number {
  const { adults, children } = asObject(occupancy)
  const sum = [adults, children].reduce<number>(
    (total, count) => total + (Number.isInteger(count) && Number(count) > 0 ? Number(count) : 0),
    0,
  )
  return Math.min(Math.max(sum, 1), 10_000)
}
