import { sql } from 'kysely'
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
  compare('ratePlanId', quote.rate_plan_id, input.ratePlanId?.toLowerCase())
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
  readonly hold_version: number | null
}

/** The caller has locked the unit, so no other transaction uses the quote. */
export const getQuoteForBooking = (transaction: Transaction, id: string) =>
  first(
    transaction,
    sql<QuoteForBooking>`select q.unit_id, q.rate_plan_id, q.check_in, q.check_out, q.guests, q.rooms, q.currency, q.total_cents,
        iso(q.expires_at) as expires_at, q.expires_at <= now() as is_expired, q.booking_id,
        b.json::jsonb || jsonb_build_object('spaceId', u.space_id) as hold, b.version as hold_version
      from quotes q join units u on u.org_id = q.org_id and u.id = q.unit_id
      left join bookings b on b.org_id = q.org_id and b.quote_id = q.id and b.status = 'pending'
        and b.hold_expires_at is not null and b.deleted_at is null
      where q.org_id = ${transaction.orgId} and q.id = ${id}`,
  )

export const markQuoteUsed = (transaction: Transaction, quoteId: string, bookingId: string) =>
  rows(
    transaction,
    sql`update quotes set booking_id = ${bookingId}, version = version + 1
      where org_id = ${transaction.orgId} and id = ${quoteId}`,
  )
