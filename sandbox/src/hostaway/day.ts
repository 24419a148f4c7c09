import { ApiError } from './envelope.ts'
import {
  amount,
  date,
  flag,
  integerFrom,
  readFields,
  readObject,
  text,
  withoutNulls,
  type Values,
} from './fields.ts'
import type { Listing } from './listing.ts'
import { daysFrom } from './dates.ts'
import { hold, type Reservation } from './reservation.ts'

/** What was written for one night; what is not written follows from the listing. */
export type Day = { date: string; values: Values }

/** Dates to change, both ends included, and what to set on each. */
export type Interval = { startDate: string; endDate: string; values: Values }

/** The vendor documents no limit. This is its maximum stay. */
const maxRangeDays = 1125

const settable = {
  isAvailable: flag,
  price: amount,
  minimumStay: integerFrom(1),
  maximumStay: integerFrom(1),
  closedOnArrival: flag,
  closedOnDeparture: flag,
  desiredUnitsToSell: integerFrom(0),
  note: text,
}

/** Members for which null is a value; for all others null means unchanged. */
const clearable = ['closedOnArrival', 'closedOnDeparture', 'note']

export function readInterval(body: unknown, where = ''): Interval {
  const given = readObject(body, `${where}The calendar interval`)
  const fail = (name: string, { kind }: { kind: string }) =>
    new ApiError(400, `${where}"${name}" must be ${kind}.`)
  const { startDate, endDate } = readFields(given, { startDate: date, endDate: date }, fail)
  if (typeof startDate !== 'string') throw new ApiError(400, `${where}"startDate" is required.`)
  if (typeof endDate !== 'string') throw new ApiError(400, `${where}"endDate" is required.`)
  checkRange(startDate, endDate, where)
  const values = readFields(given, settable, fail)
  const cleared = Object.fromEntries(clearable.filter((name) => values[name] === null).map((n) => [n, null]))
  return { startDate, endDate, values: { ...withoutNulls(values), ...cleared } }
}

export function checkRange(startDate: string, endDate: string, where = '') {
  if (endDate < startDate) throw new ApiError(400, `${where}"endDate" must not be before "startDate".`)
  if (daysFrom(startDate, endDate) < maxRangeDays) return
  throw new ApiError(400, `${where}The dates must not span more than ${maxRangeDays} days.`)
}

/** A night as it is read: its written values, the defaults of the listing, and the units that reservations leave. */
export function shownDay(listing: Listing, date: string, day: Day | undefined, present: Reservation[]) {
  const values = day?.values ?? {}
  const reserved = present.filter(({ status }) => hold(status) === 'reserved').length
  const pending = present.filter(({ status }) => hold(status) === 'pending').length
  const isMultiUnit = listing.units !== null
  const units = listing.units ?? 1
  const wanted = isMultiUnit ? values['desiredUnitsToSell'] : values['isAvailable'] === 0 ? 0 : undefined
  const free = Math.max(0, units - reserved - pending)
  const sellable = typeof wanted === 'number' ? Math.min(free, wanted) : free
  const status =
    sellable > 0 ? 'available' : reserved >= units ? 'reserved' : free === 0 ? 'pending' : 'blocked'
  return {
    // Computed, so that a night has an id before anything is written to it.
    id: listing.id * 100_000 + daysFrom('1970-01-01', date),
    date,
    isAvailable: sellable > 0 ? 1 : 0,
    isProcessed: 1,
    status,
    price: values['price'] ?? listing.fields['price'] ?? null,
    minimumStay: values['minimumStay'] ?? listing.fields['minNights'] ?? 1,
    maximumStay: values['maximumStay'] ?? listing.fields['maxNights'] ?? maxRangeDays,
    closedOnArrival: values['closedOnArrival'] ?? null,
    closedOnDeparture: values['closedOnDeparture'] ?? null,
    note: values['note'] ?? null,
    countAvailableUnits: isMultiUnit ? units : null,
    availableUnitsToSell: isMultiUnit ? sellable : null,
    countPendingUnits: isMultiUnit ? pending : null,
    countBlockingReservations: isMultiUnit ? reserved : null,
    countBlockedUnits: isMultiUnit ? free - sellable : null,
    desiredUnitsToSell: isMultiUnit ? (wanted ?? null) : null,
  }
}
