import { sql } from '#db/sql.ts'
import { Conflict, Invalid, type FieldError } from '#errors.ts'
import { first, rows, type Transaction } from '#db/scope.ts'
import type { NewBooking, Booking } from './booking.ts'
import type { StayFacts } from './stay-queries.ts'

/** A quote can be used once, before it expires, for exactly the stay that was quoted. @throws Conflict, Invalid */
export function assertMatchesQuote(quote: QuoteForBooking, input: NewBooking, facts: StayFacts): void {
  if (quote.booking_id)
    throw new Conflict('quote-used', `The quote has already been used by the booking ${quote.booking_id}.`, {
      members: { booking_id: quote.booking_id },
    })
  if (quote.is_expired && input.holdExpiresAt === undefined)
    throw new Conflict('quote-expired', `The quote expired at ${quote.expires_at}: request a new one.`)
  if (quote.rate_plan_id === null)
    throw new Conflict('quote-expired', 'The rate plan of the quote was deleted: request a new quote.')
  const errors: FieldError[] = []
  const compare = (member: string, quoted: string | number, given: string | number | null | undefined) => {
    if (given === undefined || given === null || given === quoted) return
    const message = `The quote is for ${member} ${quoted}, not ${given}.`
    errors.push({ pointer: `/${member}`, code: 'not_quoted', message })
  }
  compare('unitId', quote.unit_id, facts.unit_id)
  compare('checkIn', quote.check_in, facts.arrival)
  compare('checkOut', quote.check_out, facts.departure)
  compare('guests', quote.guests, input.guests)
  compare('rooms', quote.rooms, input.rooms)
  compare('ratePlanId', quote.rate_plan_id, input.ratePlanId)
  compare('totalCents', quote.total_cents, input.totalCents)
  compare('currency', quote.currency, input.currency)
  if (errors.length > 0) throw new Invalid('semantic-error', errors)
}

export interface QuoteForBooking {
  readonly unit_id: string
  readonly rate_plan_id: string | null
  readonly check_in: string
  readonly check_out: string
  readonly guests: number
  readonly rooms: number
  readonly currency: string
  readonly total_cents: number
  readonly expires_at: string
  readonly is_expired: boolean
  readonly booking_id: string | null
  /** The pending booking that holds its rooms. */
  readonly hold: Booking | null
}

/** The caller has locked the unit, so no other transaction uses the quote. */
export const getQuoteForBooking = (transaction: Transaction, id: string) =>
  first(
    transaction,
    sql<QuoteForBooking>`
      select quote.unit_id, quote.rate_plan_id, quote.check_in, quote.check_out, quote.guests, quote.rooms,
        quote.currency, quote.total_cents, iso(quote.expires_at) as expires_at,
        quote.expires_at <= now() as is_expired, quote.booking_id,
        booking.json::jsonb || jsonb_build_object('spaceId', unit.space_id) as hold
      from quotes quote
      join units unit
        on unit.org_id = quote.org_id
        and unit.id = quote.unit_id
      left join bookings booking
        on booking.org_id = quote.org_id
        and booking.quote_id = quote.id
        and booking.status = 'pending'
        and booking.hold_expires_at is not null
        and booking.deleted_at is null
      where quote.org_id = ${transaction.orgId}
        and quote.id = ${id}`,
  )

export const markQuoteUsed = (transaction: Transaction, quoteId: string, bookingId: string) =>
  rows(
    transaction,
    sql`
      update quotes
      set booking_id = ${bookingId},
        version = version + 1
      where org_id = ${transaction.orgId}
        and id = ${quoteId}`,
  )
