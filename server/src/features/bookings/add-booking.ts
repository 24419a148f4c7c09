import { randomUUID } from 'node:crypto'
import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, semanticError, unknownReference } from '#errors.ts'
import { assertRepeats } from '#http/echoes.ts'
import { nested, type Stored } from '#http/replies.ts'
import { listenersTo } from '../events/record-events.ts'
import type { Booking, BookingOptions, NewBooking } from './booking.ts'
import { Full, orConflict } from './conflict.ts'
import { refuseOtherThanQuoted } from './honour-quote.ts'
import { assertTotalReachesMinimum, computePrice } from './price-booking.ts'
import { insertBooking, updateBooking, type WrittenBooking } from './queries.ts'
import { findQuote, takeQuote, type KnownQuote } from './quote-queries.ts'
import { recordChange } from './record-change.ts'
import { assertMailable, placeOf, refuseImpossible, refuseUnbookable } from './stay.ts'
import { repeatedMembers } from './told.ts'
import { lockUnits, said, weighStay, type StayFacts } from './stay-queries.ts'

/**
 * Books, if there is room on every night. The unit is locked before anything is counted, so that of those who want
 * the last room one gets it, and the others are told who it was. @throws Conflict, Invalid
 */
export const addBooking = async (
  scope: Scope,
  asked: NewBooking,
  options: BookingOptions = {},
): Promise<Stored & { id: string }> =>
  orConflict(
    scope,
    await atomically(scope, (transaction) => book(transaction, asked, options)),
    options.alternativesWithin,
  )

async function book(
  transaction: Transaction,
  asked: NewBooking,
  { mayBePast = false, repeated = {} }: BookingOptions,
): Promise<(Stored & { id: string }) | Full> {
  refuseIllegalBeginning(asked)
  assertMailable(asked.guestEmail)
  // Sent together: the statements run in this order, so that what the later ones find is found under the lock.
  const locked = lockUnits(transaction, [asked.unitId])
  const finding = asked.quoteId ? findQuote(transaction, asked.quoteId) : undefined
  const [, quote] = finding ? await Promise.all([locked, finding]) : [locked, undefined]
  if (asked.quoteId && !quote) throw unknownReference('quoteId', 'quote')
  const hold = quote?.hold ?? null
  const rooms = asked.rooms ?? quote?.rooms ?? 1
  const guests = asked.guests ?? quote?.guests ?? 1
  const weighing = weighStay(transaction, {
    unitId: asked.unitId,
    ratePlanId: asked.ratePlanId ?? quote?.rate_plan_id ?? null,
    checkIn: said(asked.checkIn),
    checkOut: said(asked.checkOut),
    rooms,
    held: hold && { rooms: hold.rooms, from: hold.arrival, to: hold.departure },
  })
  const [, facts] = await Promise.all([locked, weighing])
  if (!facts) throw unknownReference('unitId', 'unit')
  if (quote) refuseOtherThanQuoted(quote, asked, facts)
  refuseImpossible(facts, {
    rooms,
    guests,
    ratePlanId: asked.ratePlanId ?? null,
    accountId: asked.account_id,
    currency: asked.currency,
    mayBePast: mayBePast || quote !== undefined,
  })
  refuseUnbookable(facts)
  if (facts.full.length > 0) return new Full(facts, { rooms, guests, self: hold?.id ?? null })
  const booking = written(asked, facts, { rooms, guests, quote, id: hold?.id ?? randomUUID() })
  const totalCents = quote?.total_cents ?? asked.totalCents ?? (await computePrice(transaction, booking))
  // The price of a quote was allowed when it was given.
  if (!quote) assertTotalReachesMinimum(facts, { rooms, totalCents })
  const listeners = hold
    ? undefined
    : listenersTo(transaction, [{ type: 'booking.created', accountId: facts.account_id }])
  const [row] = await Promise.all([
    (hold ? updateBooking : insertBooking)(transaction, { ...booking, totalCents }),
    listeners,
  ])
  const after: Booking = { ...row.fields, spaceId: facts.space_id }
  assertRepeats(repeated, repeatedMembers, after)
  const isTaken = quote && asked.quoteId && asked.holdExpiresAt === undefined
  await Promise.all([
    recordChange(transaction, { before: hold, after, unlisted: !facts.listed, listeners }),
    isTaken && takeQuote(transaction, asked.quoteId!, after.id),
  ])
  return {
    id: after.id,
    version: row.version,
    json: nested(row.json, { spaceId: JSON.stringify(facts.space_id) }),
  }
}

function refuseIllegalBeginning({ status = 'confirmed', source, cancellationReason }: NewBooking): void {
  if (status !== 'pending' && status !== 'confirmed')
    throw new Conflict(
      'invalid-status-transition',
      `A booking begins as pending or confirmed, not ${status}.`,
    )
  if (source === 'pms')
    throw semanticError('source', 'Only a booking that a PMS has made has the source pms.')
  if (cancellationReason)
    throw semanticError('cancellationReason', 'Only a cancelled booking has a cancellationReason.')
}

const written = (
  asked: NewBooking,
  facts: StayFacts,
  { id, rooms, guests, quote }: { id: string; rooms: number; guests: number; quote: KnownQuote | undefined },
): WrittenBooking => {
  const status = asked.status ?? (asked.holdExpiresAt === undefined ? 'confirmed' : 'pending')
  return {
    id,
    ...placeOf(facts),
    quoteId: asked.quoteId?.toLowerCase() ?? null,
    guestName: asked.guestName,
    guestEmail: asked.guestEmail ?? null,
    guestPhone: asked.guestPhone ?? null,
    guests,
    rooms,
    totalCents: 0,
    currency: quote?.currency ?? facts.currency,
    status,
    source: asked.source ?? 'direct',
    channelTargetId: null,
    externalId: asked.externalId ?? null,
    notes: asked.notes ?? null,
    pms_notes: null,
    cancellationReason: null,
    holdExpiresAt: status === 'pending' ? (asked.holdExpiresAt ?? 'usual') : null,
    revisedAt: null,
  }
}
