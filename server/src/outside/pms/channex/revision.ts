import { isDate } from '#fields.ts'
import type { PmsBooking, PmsBookingLine, PmsBookingStatus } from '../pms-booking.ts'
import { nameIn, objectIn, timeIn, type NoticeBody } from '../pms-notice.ts'
import { toMinorUnits } from './money.ts'

/** A booking or one of its revisions as Channex shows it: any field may be missing, and what is there may be odd. */

const statuses: Readonly<Record<string, PmsBookingStatus>> = {
  new: 'confirmed',
  modified: 'confirmed',
  cancelled: 'cancelled',
}

/** Null when it has no id at all: nothing could ever be done for it. */
export function bookingIn(shown: unknown): PmsBooking | null {
  const { id: shownId, type, attributes } = objectIn(shown)
  const said = objectIn(attributes)
  const isRevision = type === 'booking_revision' || said['booking_id'] !== undefined
  const revision = nameIn(isRevision ? (shownId ?? said['id']) : said['revision_id'])
  // A revision that names no booking stands for one of its own.
  const id = nameIn(isRevision ? said['booking_id'] : (shownId ?? said['id'])) ?? revision
  if (id === null) return null
  const customer = objectIn(said['customer'])
  const currency = nameIn(said['currency'])?.toLowerCase() ?? null
  return {
    id,
    revision,
    revisedAt: timeIn(said['inserted_at']),
    status: statuses[String(said['status'])] ?? 'confirmed',
    guestName: joined(' ', customer['name'], customer['surname']),
    guestEmail: nameIn(customer['mail']),
    guestPhone: nameIn(customer['phone']),
    notes: joined('\n', joined(' ', said['ota_name'], said['ota_reservation_code']), said['notes']),
    currency,
    lines: linesIn(said, currency),
  }
}

/** One line for each room, in the order in which they are told. Some sales channels have ids for them. */
function linesIn(said: NoticeBody, currency: string | null): PmsBookingLine[] {
  const rooms = (Array.isArray(said['rooms']) ? said['rooms'] : []).map(objectIn)
  return rooms.map((room) => {
    const id = nameIn(room['ota_unique_id'])
    const listing = nameIn(room['room_type_id'])
    return {
      ...(id !== null && { id }),
      key: listing ?? '?',
      listing,
      plan: nameIn(room['rate_plan_id']),
      arrival: dayIn(room['checkin_date'] ?? said['arrival_date']),
      departure: dayIn(room['checkout_date'] ?? said['departure_date']),
      rooms: 1,
      guests: guestsIn(room['occupancy'] ?? said['occupancy']),
      totalCents: centsIn(room, currency) ?? (rooms.length === 1 ? amountIn(said['amount'], currency) : null),
    }
  })
}

/** The room's own amount, or what its nights come to. */
function centsIn(room: NoticeBody, currency: string | null): number | null {
  const whole = amountIn(room['amount'], currency)
  if (whole !== null) return whole
  const nights = Object.values(objectIn(room['days'])).map((price) => amountIn(price, currency))
  return nights.length > 0 && nights.every((price) => price !== null)
    ? nights.reduce((sum, price) => sum + price, 0)
    : null
}

function amountIn(value: unknown, currency: string | null): number | null {
  if (currency === null) return null
  return toMinorUnits(typeof value === 'number' ? String(value) : value, currency)
}

function guestsIn(occupancy: unknown): number {
  const { adults, children } = objectIn(occupancy)
  const sum = [adults, children].reduce<number>(
    (total, count) => total + (Number.isInteger(count) && Number(count) > 0 ? Number(count) : 0),
    0,
  )
  return Math.min(Math.max(sum, 1), 10_000)
}

export const dayIn = (value: unknown): string | null =>
  typeof value === 'string' && isDate(value.slice(0, 10)) ? value.slice(0, 10) : null

const joined = (by: string, ...parts: unknown[]): string | null =>
  parts
    .filter((part) => typeof part === 'string' && part.trim() !== '')
    .join(by)
    .slice(0, 10_000) || null
