import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, unknownReference } from '#errors.ts'
import { assertVersion, type ExpectedVersion, withMembers, type StoredRecord } from '#db/records.ts'
import { assertUnchanged } from '#schema/fields.ts'
import {
  hasEnded,
  assertStatusTransition,
  takesRooms,
  type Booking,
  type BookingChange,
  type BookingOptions,
} from './booking.ts'
import { Overbooked, throwIfOverbooked } from './find-conflicts.ts'
import {
  applyChange,
  buildStayRequest,
  assertEditAllowed,
  assertCurrencyCanChange,
  assertEndedStayUnchanged,
  assertQuotedStayUnchanged,
  takesMoreRooms,
} from './edit.ts'
import { assertTotalReachesMinimum, computePrice } from './price-booking.ts'
import { hasPayments, markDeleted, updateBooking } from './queries.ts'
import { markQuoteUsed } from './match-quote.ts'
import { recordChange } from './record-change.ts'
import { assertMailable, stayFields, assertStayPossible, assertBookable } from './stay.ts'
import { lockBooking, loadStayFacts, type LockedBooking } from './stay-queries.ts'
import { putDefaults, readOnlyMembers } from './writable-members.ts'

/** Changes the given members and leaves the others. @throws NotFound, PreconditionFailed, Conflict, Invalid */
export const changeBooking = async (
  scope: Scope,
  id: string,
  expected: ExpectedVersion,
  change: BookingChange,
  options: BookingOptions = {},
): Promise<StoredRecord> =>
  throwIfOverbooked(
    scope,
    await atomically(scope, (transaction) => changeInTransaction(transaction, id, expected, change, options)),
    options.alternativesWithin,
  )

/** Replaces the booking: absent members get their default, as in a POST. @throws NotFound, PreconditionFailed, Conflict, Invalid */
export const replaceBooking = async (
  scope: Scope,
  id: string,
  expected: ExpectedVersion,
  whole: BookingChange,
  options: BookingOptions = {},
): Promise<StoredRecord> =>
  throwIfOverbooked(
    scope,
    await atomically(scope, (transaction) =>
      changeInTransaction(transaction, id, expected, whole, options, true),
    ),
    options.alternativesWithin,
  )

/** The stay as it would be, with its price by the calendar. Nothing is written. @throws what the change would */
export const previewChange = async (
  scope: Scope,
  id: string,
  change: BookingChange,
  { mayBePast = false }: BookingOptions,
): Promise<{ before: Booking; after: Booking; calculatedCents: number }> =>
  throwIfOverbooked(
    scope,
    await atomically(scope, async (transaction) => {
      const current = await lock(transaction, id, change.unitId ?? null)
      const { fields: before } = current
      const options = { recomputesPrice: true, takesUnitCurrency: true, mayBePast }
      const after = await buildChangedBooking(transaction, current, change, options)
      if (after instanceof Overbooked) return after
      return { before, after, calculatedCents: await computePrice(transaction, after) }
    }),
  )

/** Deletes the booking softly and frees its rooms. @throws NotFound, PreconditionFailed */
export const removeBooking = (scope: Scope, id: string, expected: ExpectedVersion): Promise<void> =>
  atomically(scope, async (transaction) => {
    const { version, fields } = await lock(transaction, id, null)
    assertVersion(expected, version)
    await markDeleted(transaction, id)
    await recordChange(transaction, { before: fields, after: null })
  })

async function lock(transaction: Transaction, id: string, toUnitId: string | null): Promise<LockedBooking> {
  const found = await lockBooking(transaction, id, toUnitId)
  if (!found) throw new NotFound('booking', id)
  return found
}

async function changeInTransaction(
  transaction: Transaction,
  id: string,
  expected: ExpectedVersion,
  named: BookingChange,
  { mayBePast = false, readOnlyInput = {} }: BookingOptions,
  isReplacement = false,
): Promise<StoredRecord | Overbooked> {
  const current = await lock(transaction, id, named.unitId ?? null)
  const { fields: before, version } = current
  assertVersion(expected, version)
  const change = isReplacement ? { ...putDefaults(before), ...named } : named
  assertStatusTransition(before.status, change.status ?? before.status)
  if (current.hold_has_expired && change.status === 'confirmed')
    throw new Conflict('invalid-status-transition', 'The hold has expired and its rooms have been released.')
  assertEditAllowed(before, change)
  assertMailable(change.guestEmail, before.guestEmail)
  const recomputesPrice = isReplacement && change.totalCents === undefined && !hasFixedPrice(before)
  const edit = await buildChangedBooking(transaction, current, change, { recomputesPrice, mayBePast })
  if (edit instanceof Overbooked) return edit
  assertUnchanged(readOnlyInput, readOnlyMembers, before, edit)
  const after = recomputesPrice ? { ...edit, totalCents: await computePrice(transaction, edit) } : edit
  if (JSON.stringify(before) === JSON.stringify(after))
    return { json: withMembers(current.json, { spaceId: JSON.stringify(before.spaceId) }), version }
  const row = await updateBooking(transaction, { ...after, revisedAt: null })
  const isConfirmed = before.status === 'pending' && after.status === 'confirmed'
  await Promise.all([
    recordChange(transaction, { before, after: { ...row.fields, spaceId: after.spaceId } }),
    isConfirmed && after.quoteId && markQuoteUsed(transaction, after.quoteId, after.id),
  ])
  return { json: withMembers(row.json, { spaceId: JSON.stringify(after.spaceId) }), version: row.version }
}

/** Whether a replacement keeps the price: it comes from a quote or a PMS, or the booking has ended. */
const hasFixedPrice = ({ quoteId, source, status }: Booking) =>
  quoteId !== null || source === 'pms' || hasEnded(status)

interface ChangeOptions {
  recomputesPrice: boolean
  /** A preview names no currency: its price is in that of the unit that the booking is moved to. */
  takesUnitCurrency?: boolean
  mayBePast: boolean
}

/** Builds the changed booking. Availability is checked only when the change touches the stay. */
async function buildChangedBooking(
  transaction: Transaction,
  current: LockedBooking,
  change: BookingChange,
  { recomputesPrice, takesUnitCurrency = false, mayBePast }: ChangeOptions,
): Promise<Booking | Overbooked> {
  const { fields: before } = current
  const next = applyChange(before, change)
  const stay = buildStayRequest(current, next, change)
  if (!stay) return next
  const facts = await loadStayFacts(transaction, stay)
  if (!facts) throw unknownReference('unitId', 'unit')
  const { ratePlanId } = stay
  const { rooms, guests } = next
  const currency = takesUnitCurrency && facts.unit_id !== before.unitId ? facts.currency : next.currency
  assertStayPossible(
    facts,
    { rooms, guests, ratePlanId, accountId: change.account_id, currency, mayBePast },
    before,
  )
  const after: Booking = { ...next, ...stayFields(facts), currency }
  assertEndedStayUnchanged(before, after)
  assertQuotedStayUnchanged(before, after)
  if (after.currency !== before.currency)
    assertCurrencyCanChange(before, after, {
      isPaid: await hasPayments(transaction, before.id),
      hasNewPrice: change.totalCents !== undefined || recomputesPrice,
    })
  const isCheaper = after.totalCents < before.totalCents || takesMoreRooms(before, after)
  if (isCheaper && !recomputesPrice && after.source !== 'pms') assertTotalReachesMinimum(facts, after)
  if (!takesRooms(after.status) || !takesMoreRooms(before, after)) return after
  assertBookable(facts)
  return facts.full_nights.length > 0 ? new Overbooked(facts, { rooms, guests, bookingId: before.id }) : after
}

/** Expires a pending booking whose hold has ended, which frees its rooms. Any other booking stays unchanged. */
export const expireHold = (scope: Scope, id: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const found = await lockBooking(transaction, id, null)
    if (found?.fields.status !== 'pending' || !found.hold_has_expired) return
    const { fields: before } = found
    const after = { ...before, status: 'expired' as const, holdExpiresAt: null }
    const row = await updateBooking(transaction, { ...after, revisedAt: null })
    await recordChange(transaction, { before, after: { ...row.fields, spaceId: before.spaceId } })
  })
