import { ApiError } from './envelope.ts'
import { date, float, integer, mustBe, oneOf, readFields, text, type Checks, type Values } from './fields.ts'
import { daysFrom } from './dates.ts'

export type Reservation = {
  id: number
  accountId: number
  listingMapId: number
  channelId: number
  arrivalDate: string
  departureDate: string
  status: string
  source: string | null
  insertedOn: string
  updatedOn: string
  /** The time of the last change, unique among reservations, so that changes of the same second are in order. */
  changedAtMs: number
  fields: Values
}

const confirmed = ['new', 'modified', 'ownerStay']
const awaited = ['pending', 'awaitingPayment']
const without = ['cancelled', 'declined', 'expired']
const inquiries = ['inquiry', 'inquiryPreapproved', 'inquiryDenied', 'inquiryTimedout', 'inquiryNotPossible']

const settable: Checks = {
  arrivalDate: date,
  departureDate: date,
  status: oneOf(...confirmed, ...awaited, ...without, ...inquiries),
  guestName: text,
  guestFirstName: text,
  guestLastName: text,
  guestEmail: text,
  guestPicture: text,
  guestCountry: text,
  phone: text,
  numberOfGuests: integer,
  adults: integer,
  children: integer,
  infants: integer,
  totalPrice: float,
  currency: text,
  hostNote: text,
  guestNote: text,
  comment: text,
}

const channelNames: Record<number, string> = {
  2000: 'direct',
  2002: 'homeaway',
  2005: 'bookingcom',
  2018: 'airbnbOfficial',
  2020: 'partner',
}

/** How a reservation occupies its nights. Inquiries and cancelled ones leave them free. */
export function hold(status: string): 'reserved' | 'pending' | undefined {
  if (confirmed.includes(status)) return 'reserved'
  return awaited.includes(status) ? 'pending' : undefined
}

export const readReservation = (body: unknown): Values => readFields(body, settable, mustBe)

/** Checks that involve several members of a reservation. */
export function checkReservation({ arrivalDate, departureDate, status, fields }: Reservation) {
  if (departureDate <= arrivalDate) throw new ApiError(400, '"departureDate" must be after "arrivalDate".')
  if (daysFrom(arrivalDate, departureDate) > 1125)
    throw new ApiError(400, 'The stay is longer than 1125 nights.')
  if (status !== 'ownerStay' || !fields['totalPrice']) return
  throw new ApiError(400, 'A reservation of status "ownerStay" must not have financial information.')
}

/** True if a night is between arrival and departure. The day of departure is free. */
export function isPresent(reservation: Reservation, night: string) {
  return reservation.arrivalDate <= night && night < reservation.departureDate
}

export function shownReservation(reservation: Reservation) {
  const { id, accountId, listingMapId, channelId, source, changedAtMs, fields, ...rest } = reservation
  const ownNumber = `${accountId}-${listingMapId}-${channelId}-${id}`
  return {
    id,
    hostawayReservationId: String(id),
    reservationId: ownNumber,
    channelReservationId: ownNumber,
    listingMapId,
    channelId,
    channelName: channelNames[channelId] ?? null,
    source,
    ...Object.fromEntries(Object.keys(settable).map((name) => [name, null])),
    ...fields,
    ...rest,
    nights: daysFrom(rest.arrivalDate, rest.departureDate),
    reservationDate: rest.insertedOn,
    customFieldValues: [],
    reservationFees: [],
    reservationUnit: [],
  }
}
