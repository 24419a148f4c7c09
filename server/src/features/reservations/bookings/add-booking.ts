import { randomUUID } from 'node:crypto'
import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, semanticError, unknownReference } from '#errors.ts'
import { assertUnchanged } from '#schema/fields.ts'
import { withMembers, type StoredRecord } from '#db/records.ts'
import type { Booking, BookingOptions, NewBooking } from './booking.ts'
import { Overbooked, throwIfOverbooked } from './find-conflicts.ts'
import { assertMatchesQuote, getQuoteForBooking, markQuoteUsed, type QuoteForBooking } from './match-quote.ts'
import { assertTotalReachesMinimum, computePrice } from './price-booking.ts'
import { insertBooking, updateBooking, type BookingValues } from './queries.ts'
import { recordChange } from './record-change.ts'
import { assertMailable, stayFields, assertStayPossible, assertBookable } from './stay.ts'
import { readOnlyMembers } from './writable-members.ts'
import { lockUnits, parseStayTime, loadStayFacts, type StayFacts } from './stay-queries.ts'

/**
 * Creates a booking if there is room on every night. The unit is locked before rooms are counted: of concurrent
 * requests for the last room one succeeds, and the others get a conflict that names it. @throws Conflict, Invalid
 */
export const addBooking = async (
  scope: Scope,
  input: NewBooking,
  options: BookingOptions = {},
): Promise<StoredRecord & { id: string }> =>
  throwIfOverbooked(
    scope,
    await atomically(scope, (transaction) => book(transaction, input, options)),
    options.alternativesWithin,
  )

async function book(
  transaction: Transaction,
  input: NewBooking,
  { mayBePast = false, readOnlyInput = {} }: BookingOptions,
): Promise<(StoredRecord & { id: string }) | Overbooked> {
  assertValidNewBooking(input)
  assertMailable(input.guestEmail)
  // Sent together and run in this order: the later statements read under the lock.
  const locked = lockUnits(transaction, [input.unitId])
  const loadingQuote = input.quoteId ? getQuoteForBooking(transaction, input.quoteId) : undefined
  const [, quote] = loadingQuote ? await Promise.all([locked, loadingQuote]) : [locked, undefined]
  if (input.quoteId && !quote) throw unknownReference('quoteId', 'quote')
  const hold = quote?.hold ?? null
  const rooms = input.rooms ?? quote?.rooms ?? 1
  const guests = input.guests ?? quote?.guests ?? 1
  const loadingFacts = loadStayFacts(transaction, {
    unitId: input.unitId,
    ratePlanId: input.ratePlanId ?? quote?.rate_plan_id ?? null,
    checkIn: parseStayTime(input.checkIn),
    checkOut: parseStayTime(input.checkOut),
    rooms,
    currentRooms: hold && { rooms: hold.rooms, from: hold.arrival, to: hold.departure },
  })
  const [, facts] = await Promise.all([locked, loadingFacts])
  if (!facts) throw unknownReference('unitId', 'unit')
  if (quote) assertMatchesQuote(quote, input, facts)
  assertStayPossible(facts, {
    rooms,
    guests,
    ratePlanId: input.ratePlanId ?? null,
    accountId: input.account_id,
    currency: input.currency,
    mayBePast: mayBePast || quote !== undefined,
  })
  assertBookable(facts)
  if (facts.full_nights.length > 0)
    return new Overbooked(facts, { rooms, guests, bookingId: hold?.id ?? null })
  const booking = buildBooking(input, facts, { rooms, guests, quote, id: hold?.id ?? randomUUID() })
  const totalCents = quote?.total_cents ?? input.totalCents ?? (await computePrice(transaction, booking))
  // The price of a quote was checked when the quote was created.
  if (!quote) assertTotalReachesMinimum(facts, { rooms, totalCents })
  const row = await (hold ? updateBooking : insertBooking)(transaction, { ...booking, totalCents })
  const after: Booking = { ...row.fields, spaceId: facts.space_id }
  assertUnchanged(readOnlyInput, readOnlyMembers, after)
  const usesQuote = quote && input.quoteId && input.holdExpiresAt === undefined
  await Promise.all([
    recordChange(transaction, { before: hold, after, unlisted: !facts.listed }),
    usesQuote && markQuoteUsed(transaction, input.quoteId!, after.id),
  ])
  return {
    id: after.id,
    version: row.version,
    json: withMembers(row.json, { spaceId: JSON.stringify(facts.space_id) }),
  }
}

function assertValidNewBooking({ status = 'confirmed', source, cancellationReason }: NewBooking): void {
  if (status !== 'pending' && status !== 'confirmed')
    throw new Conflict('invalid-status-transition', `A new booking is pending or confirmed, not ${status}.`)
  if (source === 'pms') throw semanticError('source', 'Only bookings made by a PMS have the source pms.')
  if (cancellationReason)
    throw semanticError('cancellationReason', 'Only a cancelled booking has a cancellationReason.')
}

const buildBooking = (
  input: NewBooking,
  facts: StayFacts,
  {
    id,
    rooms,
    guests,
    quote,
  }: { id: string; rooms: number; guests: number; quote: QuoteForBooking | undefined },
): BookingValues => {
  const status = input.status ?? (input.holdExpiresAt === undefined ? 'confirmed' : 'pending')
  return {
    id,
    ...stayFields(facts),
    quoteId: input.quoteId ?? null,
    guestName: input.guestName,
    guestEmail: input.guestEmail ?? null,
    guestPhone: input.guestPhone ?? null,
    guests,
    rooms,
    totalCents: 0,
    currency: quote?.currency ?? facts.currency,
    status,
    source: input.source ?? 'direct',
    channelTargetId: null,
    externalId: input.externalId ?? null,
    notes: input.notes ?? null,
    pms_notes: null,
    cancellationReason: null,
    holdExpiresAt:
      status !== 'pending' ? null : input.holdExpiresAt === undefined ? 'default' : input.holdExpiresAt,
    revisedAt: null,
  }
}
