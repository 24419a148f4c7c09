import { isFree } from './calendar-routes.ts'
import { ApiError, page, success, wholeNumber, type ApiCall } from './envelope.ts'
import { readObject, textOf, withoutNulls } from './fields.ts'
import { findWritable } from './listing-routes.ts'
import { momentAt } from './dates.ts'
import { checkReservation, hold, readReservation, shownReservation, type Reservation } from './reservation.ts'
import type { Vendor } from './store.ts'

/** Direct, homeaway and partner. Reservations of other channels cannot be created through the API. */
const creatableChannels = [2000, 2002, 2020]

/** Newest change first. With `afterId`, what comes after that reservation, and `offset` is ignored. */
export function listReservations({ records }: Vendor, { accountId, query }: ApiCall) {
  const found = records
    .list('reservation')
    .filter((one) => one.accountId === accountId && fits(one, query))
    .sort(order(query.get('sortOrder')))
  const afterId = wholeNumber(query, 'afterId')
  if (afterId === undefined) return page(found.map(shownReservation), query)
  const place = found.findIndex(({ id }) => id === afterId)
  const rest = new URLSearchParams(query)
  rest.delete('offset')
  const following = place < 0 ? [] : found.slice(place + 1)
  return { ...page(following.map(shownReservation), rest), count: found.length, offset: null }
}

export function showReservation(vendor: Vendor, { accountId, id }: ApiCall) {
  return success(shownReservation(findReservation(vendor, accountId, id)))
}

export function addReservation(vendor: Vendor, { accountId, query, body }: ApiCall) {
  const given = readObject(body())
  if (!creatableChannels.includes(given['channelId'] as number)) {
    throw new ApiError(400, `"channelId" must be one of ${creatableChannels.join(', ')}.`)
  }
  const source = query.get('provider')
  if (source && source.length > 50)
    throw new ApiError(400, 'Parameter "provider" is limited to 50 characters.')
  const force = query.get('forceOverbooking') === '1'
  return success(shownReservation(newReservation(vendor, accountId, given, { source, force })))
}

/** A reservation of any channel. `force` accepts it even without availability. */
export function newReservation(
  vendor: Vendor,
  accountId: number,
  body: unknown,
  { source, force }: { source: string | null; force: boolean },
): Reservation {
  const given = readObject(body)
  for (const name of ['channelId', 'listingMapId']) {
    if (!Number.isSafeInteger(given[name])) throw new ApiError(400, `"${name}" must be an integer.`)
  }
  const { arrivalDate, departureDate, status = 'new', ...fields } = withoutNulls(readReservation(given))
  if (!arrivalDate) throw new ApiError(400, '"arrivalDate" is required.')
  if (!departureDate) throw new ApiError(400, '"departureDate" is required.')
  const at = momentAt(vendor.now())
  const reservation = {
    id: vendor.records.nextId(),
    accountId,
    listingMapId: given['listingMapId'] as number,
    channelId: given['channelId'] as number,
    arrivalDate: arrivalDate as string,
    departureDate: departureDate as string,
    status: status as string,
    source,
    insertedOn: at,
    updatedOn: at,
    changedAtMs: vendor.records.timeOfChange(vendor.now()),
    fields,
  }
  return keep(vendor, reservation, 'reservation.created', force)
}

/** The listing of a reservation cannot be changed. */
export function changeReservation(vendor: Vendor, { accountId, id, query, body }: ApiCall) {
  const before = findReservation(vendor, accountId, id)
  const force = query.get('forceOverbooking') === '1'
  return success(shownReservation(changedReservation(vendor, before, body(), force)))
}

export function cancelReservation(vendor: Vendor, { accountId, id, body }: ApiCall) {
  const before = findReservation(vendor, accountId, id)
  const { cancelledBy } = readObject(body())
  if (cancelledBy !== 'host' && cancelledBy !== 'guest') {
    throw new ApiError(400, '"cancelledBy" must be one of host, guest.')
  }
  return success(shownReservation(changedReservation(vendor, before, { status: 'cancelled' }, true)))
}

export function changedReservation(vendor: Vendor, before: Reservation, body: unknown, force: boolean) {
  const { arrivalDate, departureDate, status, ...fields } = withoutNulls(readReservation(body))
  const after = {
    ...before,
    arrivalDate: (arrivalDate ?? before.arrivalDate) as string,
    departureDate: (departureDate ?? before.departureDate) as string,
    updatedOn: momentAt(vendor.now()),
    changedAtMs: vendor.records.timeOfChange(vendor.now()),
    fields: { ...before.fields, ...fields },
  }
  const isModified =
    before.status === 'new' &&
    (after.arrivalDate !== before.arrivalDate ||
      after.departureDate !== before.departureDate ||
      after.fields['numberOfGuests'] !== before.fields['numberOfGuests'])
  after.status = (status ?? (isModified ? 'modified' : before.status)) as string
  return keep(vendor, after, 'reservation.updated', force)
}

function findReservation({ records }: Vendor, accountId: number, id: number) {
  const reservation = records.find('reservation', id ?? '')
  if (reservation?.accountId !== accountId) throw new ApiError(404, 'Reservation not found.')
  return reservation
}

function keep(vendor: Vendor, reservation: Reservation, event: string, force: boolean) {
  const { accountId, listingMapId } = reservation
  const listing = findWritable(vendor, accountId, listingMapId)
  checkReservation(reservation)
  if (!force && hold(reservation.status) && !isFree(vendor, listing, reservation)) {
    throw new ApiError(400, 'The listing is not available on these dates.')
  }
  vendor.records.save(['reservation', reservation.id, reservation])
  vendor.notify({ object: 'reservation', event, accountId, data: shownReservation(reservation) })
  return reservation
}

function fits(one: Reservation, query: URLSearchParams) {
  const listingId = wholeNumber(query, 'listingId')
  const channelId = wholeNumber(query, 'channelId')
  const within = (date: string, first: string, last: string) =>
    date >= (query.get(first) || date) && date <= (query.get(last) || date)
  const email = query.get('guestEmail')
  const match = query.get('match')?.toLowerCase()
  return (
    (listingId === undefined || one.listingMapId === listingId) &&
    (channelId === undefined || one.channelId === channelId) &&
    within(one.arrivalDate, 'arrivalStartDate', 'arrivalEndDate') &&
    within(one.departureDate, 'departureStartDate', 'departureEndDate') &&
    (!email || one.fields['guestEmail'] === email) &&
    (!match || textOf(one.fields['guestName']).toLowerCase().includes(match))
  )
}

function order(sortOrder: string | null) {
  const byChange = (one: Reservation, other: Reservation) =>
    one.changedAtMs - other.changedAtMs || one.id - other.id
  const byArrival = (one: Reservation, other: Reservation) =>
    one.arrivalDate.localeCompare(other.arrivalDate) || one.id - other.id
  if (sortOrder === 'updatedOn') return byChange
  if (sortOrder === 'arrivalDate') return byArrival
  const descending = sortOrder === 'arrivalDateDesc' ? byArrival : byChange
  return (one: Reservation, other: Reservation) => descending(other, one)
}
