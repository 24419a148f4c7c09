import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, unknownReference } from '#errors.ts'
import { refuseStale, type Expected } from '#http/preconditions.ts'
import { assertRepeats } from '#http/echoes.ts'
import { nested, type Stored } from '#http/replies.ts'
import {
  hasEnded,
  refuseIllegalStatus,
  takesRooms,
  type Booking,
  type BookingChange,
  type BookingOptions,
} from './booking.ts'
import { Full, orConflict } from './conflict.ts'
import {
  changedFields,
  movedStay,
  refuseIllegalEdit,
  refuseOtherCurrency,
  refuseOtherStayOfEnded,
  refuseOtherStayOfQuoted,
  takesMore,
} from './edit.ts'
import { assertTotalReachesMinimum, computePrice } from './price-booking.ts'
import { hasPayments, markDeleted, updateBooking } from './queries.ts'
import { takeQuote } from './quote-queries.ts'
import { recordChange } from './record-change.ts'
import { assertMailable, placeOf, refuseImpossible, refuseUnbookable } from './stay.ts'
import { lockBooking, weighStay, type LockedBooking } from './stay-queries.ts'
import { putDefaults, repeatedMembers } from './told.ts'

/** Changes what is named and leaves the rest. @throws NotFound, Stale, Conflict, Invalid */
export const changeBooking = async (
  scope: Scope,
  id: string,
  expected: Expected,
  change: BookingChange,
  options: BookingOptions = {},
): Promise<Stored> =>
  orConflict(
    scope,
    await atomically(scope, (transaction) => changeOne(transaction, id, expected, change, options)),
    options.alternativesWithin,
  )

/** Writes the whole booking anew, as a POST would make it. @throws NotFound, Stale, Conflict, Invalid */
export const replaceBooking = async (
  scope: Scope,
  id: string,
  expected: Expected,
  whole: BookingChange,
  options: BookingOptions = {},
): Promise<Stored> =>
  orConflict(
    scope,
    await atomically(scope, (transaction) => changeOne(transaction, id, expected, whole, options, true)),
    options.alternativesWithin,
  )

/** Gives the rooms back; the booking stays to be read. @throws NotFound, Stale, Conflict */
export const cancelBooking = (
  scope: Scope,
  id: string,
  expected: Expected,
  cancellationReason: Booking['cancellationReason'] = null,
): Promise<Stored> => changeBooking(scope, id, expected, { status: 'cancelled', cancellationReason })

/** From now on nobody reads it, and its rooms are free. @throws NotFound, Stale */
export const removeBooking = (scope: Scope, id: string, expected: Expected): Promise<void> =>
  atomically(scope, async (transaction) => {
    const { version, fields } = await lock(transaction, id, null)
    refuseStale(expected, version)
    await markDeleted(transaction, id)
    await recordChange(transaction, { before: fields, after: null })
  })

async function lock(transaction: Transaction, id: string, toUnitId: string | null): Promise<LockedBooking> {
  const found = await lockBooking(transaction, id, toUnitId)
  if (!found) throw new NotFound('booking', id)
  return found
}

async function changeOne(
  transaction: Transaction,
  id: string,
  expected: Expected,
  named: BookingChange,
  { mayBePast = false, repeated = {} }: BookingOptions,
  isWhole = false,
): Promise<Stored | Full> {
  const current = await lock(transaction, id, named.unitId ?? null)
  const { fields: before, version } = current
  refuseStale(expected, version)
  const change = isWhole ? { ...putDefaults(before), ...named } : named
  refuseIllegalStatus(before.status, change.status ?? before.status)
  if (current.hold_is_over && change.status === 'confirmed')
    throw new Conflict('invalid-status-transition', 'The hold is over: its rooms are given back.')
  refuseIllegalEdit(before, change)
  assertMailable(change.guestEmail, before.guestEmail)
  const isPricedAnew = isWhole && change.totalCents === undefined && !hasOwnPrice(before)
  const edit = await edited(transaction, current, change, { isPricedAnew, mayBePast })
  if (edit instanceof Full) return edit
  assertRepeats(repeated, repeatedMembers, before, edit)
  const after = isPricedAnew ? { ...edit, totalCents: await computePrice(transaction, edit) } : edit
  if (JSON.stringify(before) === JSON.stringify(after))
    return { json: nested(current.json, { spaceId: JSON.stringify(before.spaceId) }), version }
  const row = await updateBooking(transaction, { ...after, revisedAt: null })
  const isConfirmed = before.status === 'pending' && after.status === 'confirmed'
  await Promise.all([
    recordChange(transaction, { before, after: { ...row.fields, spaceId: after.spaceId } }),
    isConfirmed && after.quoteId && takeQuote(transaction, after.quoteId, after.id),
  ])
  return { json: nested(row.json, { spaceId: JSON.stringify(after.spaceId) }), version: row.version }
}

/** Whether its price is decided elsewhere, or for good. */
const hasOwnPrice = ({ quoteId, source, status }: Booking) =>
  quoteId !== null || source === 'pms' || hasEnded(status)

/** The booking as it shall be. Its stay is weighed only when something of it is named. */
async function edited(
  transaction: Transaction,
  current: LockedBooking,
  change: BookingChange,
  { isPricedAnew, mayBePast }: { isPricedAnew: boolean; mayBePast: boolean },
): Promise<Booking | Full> {
  const { fields: before } = current
  const next = changedFields(before, change)
  const stay = movedStay(current, next, change)
  if (!stay) return next
  const facts = await weighStay(transaction, stay)
  if (!facts) throw unknownReference('unitId', 'unit')
  const { ratePlanId } = stay
  const { rooms, guests } = next
  refuseImpossible(
    facts,
    { rooms, guests, ratePlanId, accountId: change.account_id, currency: next.currency, mayBePast },
    before,
  )
  const after: Booking = { ...next, ...placeOf(facts) }
  refuseOtherStayOfEnded(before, after)
  refuseOtherStayOfQuoted(before, after)
  if (after.currency !== before.currency)
    refuseOtherCurrency(before, after, {
      isPaid: await hasPayments(transaction, before.id),
      isPriced: change.totalCents !== undefined || isPricedAnew,
    })
  const isCheaper = after.totalCents < before.totalCents || takesMore(before, after)
  if (isCheaper && !isPricedAnew && after.source !== 'pms') assertTotalReachesMinimum(facts, after)
  if (!takesRooms(after.status) || !takesMore(before, after)) return after
  refuseUnbookable(facts)
  return facts.full.length > 0 ? new Full(facts, { rooms, guests, self: before.id }) : after
}
