import { Conflict, Invalid, type Fault } from '#errors.ts'
import type { NewBooking } from './booking.ts'
import type { KnownQuote } from './quote-queries.ts'
import type { StayFacts } from './stay-queries.ts'

/** A quote gives its price to exactly what was quoted, once, and in time. @throws Conflict, Invalid */
export function refuseOtherThanQuoted(quote: KnownQuote, asked: NewBooking, facts: StayFacts): void {
  if (quote.booking_id)
    throw new Conflict('quote-used', `The quote was taken by the booking ${quote.booking_id} already.`, {
      members: { booking_id: quote.booking_id },
    })
  if (quote.is_over && asked.holdExpiresAt === undefined)
    throw new Conflict('quote-expired', `The quote was good until ${quote.expires_at}: ask for a new one.`)
  if (quote.rate_plan_id === null)
    throw new Conflict('quote-expired', 'The rate plan of the quote is gone: ask for a new one.')
  const faults: Fault[] = []
  const compare = (member: string, quoted: string | number, given: string | number | null | undefined) => {
    if (given === undefined || given === null || given === quoted) return
    const message = `The quote is for ${member} ${quoted}, not ${given}.`
    faults.push({ pointer: `/${member}`, code: 'not_quoted', message })
  }
  compare('unitId', quote.unit_id, facts.unit_id)
  compare('checkIn', quote.check_in, facts.arrival)
  compare('checkOut', quote.check_out, facts.departure)
  compare('guests', quote.guests, asked.guests)
  compare('rooms', quote.rooms, asked.rooms)
  compare('ratePlanId', quote.rate_plan_id, asked.ratePlanId?.toLowerCase())
  compare('totalCents', quote.total_cents, asked.totalCents)
  compare('currency', quote.currency, asked.currency)
  if (faults.length > 0) throw new Invalid('semantic-error', faults)
}
