import { checkRange, readInterval, shownDay, type Interval } from './day.ts'
import { ApiError, success, type ApiCall } from './envelope.ts'
import { date } from './fields.ts'
import type { Listing } from './listing.ts'
import { findListing, findWritable } from './listing-routes.ts'
import { addDays, dateAt, datesBetween } from './dates.ts'
import type { Entry, Vendor } from './store.ts'
import { isPresent, shownReservation } from './reservation.ts'

const maxIntervals = 200
/** The length of a read without an end date. The vendor does not document it. */
const usualDays = 30

/** One entry for each night, both ends included. */
export function readCalendar(vendor: Vendor, { accountId, id, query }: ApiCall) {
  const listing = findListing(vendor, accountId, id)
  const startDate = dateParameter(query, 'startDate') ?? dateAt(vendor.now())
  const endDate = dateParameter(query, 'endDate') ?? addDays(startDate, usualDays)
  checkRange(startDate, endDate)
  return success(
    days(vendor, listing, datesBetween(startDate, endDate), query.get('includeResources') === '1'),
  )
}

/** Changes one range, and answers with its nights. */
export function changeCalendar(vendor: Vendor, { accountId, id, body }: ApiCall) {
  const listing = findWritable(vendor, accountId, id)
  const interval = readInterval(body())
  write(vendor, listing, [interval])
  return success(days(vendor, listing, datesBetween(interval.startDate, interval.endDate), false))
}

/** Changes many ranges, all or none. The answer does not contain the changed nights. */
export function changeIntervals(vendor: Vendor, { accountId, id, body }: ApiCall) {
  const listing = findWritable(vendor, accountId, id)
  const given = body()
  if (!Array.isArray(given))
    throw new ApiError(400, 'The request body must be an array of calendar intervals.')
  if (given.length > maxIntervals) {
    throw new ApiError(400, `The number of intervals can't be more than ${maxIntervals}.`)
  }
  write(
    vendor,
    listing,
    given.map((one, index) => readInterval(one, `Interval at index ${index}: `)),
  )
  return success([])
}

/** True if no night of a stay is taken or blocked, counting other reservations only. */
export function isFree(
  { records }: Vendor,
  listing: Listing,
  stay: { id?: number; arrivalDate: string; departureDate: string },
) {
  const others = records
    .list('reservation')
    .filter(({ id, listingMapId }) => listingMapId === listing.id && id !== stay.id)
  return datesBetween(stay.arrivalDate, addDays(stay.departureDate, -1)).every((night) => {
    const present = others.filter((one) => isPresent(one, night))
    return shownDay(listing, night, records.find('day', dayKey(listing, night)), present).isAvailable === 1
  })
}

function days({ records }: Vendor, listing: Listing, dates: string[], withReservations: boolean) {
  const all = records.list('reservation').filter(({ listingMapId }) => listingMapId === listing.id)
  return dates.map((date) => {
    const present = all.filter((reservation) => isPresent(reservation, date))
    const day = shownDay(listing, date, records.find('day', dayKey(listing, date)), present)
    return { ...day, reservations: withReservations ? present.map(shownReservation) : [] }
  })
}

function write({ records }: Vendor, listing: Listing, intervals: Interval[]) {
  const changed = new Map<string, Entry>()
  for (const { startDate, endDate, values } of intervals) {
    for (const date of datesBetween(startDate, endDate)) {
      const key = dayKey(listing, date)
      const [, , pending] = changed.get(key) ?? []
      const before = (pending as { values: object } | undefined) ?? records.find('day', key)
      changed.set(key, ['day', key, { date, values: { ...before?.values, ...values } }])
    }
  }
  records.save(...changed.values())
}

function dateParameter(query: URLSearchParams, name: string) {
  const given = query.get(name)
  if (given === null || given === '') return undefined
  if (!date.fits(given)) throw new ApiError(400, `Parameter "${name}" must be ${date.kind}.`)
  return given
}

function dayKey({ id }: Listing, date: string) {
  return `${id} ${date}`
}
