import type { Transaction } from '#db/scope.ts'
import { dateOf, nightOf } from '#nights.ts'
import { raiseAlerts, resolveAlerts } from '../alerts/queries.ts'
import { conflictingBookings, type ConflictingBooking } from '../bookings/conflict-queries.ts'
import { wordsForImport } from './booking-conflict.ts'
import { stayId, type ImportedCalendar, type ImportedStay } from './imported-stay.ts'
import {
  findOversoldNights,
  hasImportedConflict,
  listOpenStays,
  lockCalendar,
  markRetried,
  replaceImportedConflicts,
} from './imported-stay-queries.ts'

/**
 * Compares the reservations of an imported calendar, whose nights are blocked already, with the bookings of the unit.
 * Each that shares a night with more of them than there are rooms is an open conflict with an alert; every other
 * conflict of the calendar is over. The unit is locked by the caller.
 */
export async function settleImportedStays(
  transaction: Transaction,
  calendar: ImportedCalendar,
  stays: readonly ImportedStay[],
): Promise<void> {
  const nights = await findOversoldNights(transaction, calendar)
  const oversold = stays.filter((stay) => nights.some((night) => covers(stay, night))).sort(byDays)
  const bookings = oversold.length > 0 ? await bookingsOn(transaction, calendar, nights) : []
  const found = oversold.map((stay) => ({
    stay,
    ...wordsForImport(stay),
    conflicts: bookings.filter(
      (booking) => booking.check_in < stay.departure && booking.check_out > stay.arrival,
    ),
  }))
  const { added, closed } = await replaceImportedConflicts(transaction, calendar, found)
  const first = found.find(({ stay }) => added.includes(stayId(stay)))
  if (first) {
    const { stay, message, hint, conflicts } = first
    const more = added.length > 1 ? ` ${added.length - 1} more reservations of it overlap bookings.` : ''
    await raiseAlerts(transaction, [
      {
        account_id: calendar.account_id,
        kind: 'booking.conflict',
        unit_id: calendar.unit_id,
        message: `${calendar.name}: ${message}${more}`,
        hint,
        details: {
          calendar_feed_id: calendar.id,
          external_id: stayId(stay),
          reason: 'imported_reservation',
          conflicts,
        },
        isNews: true,
      },
    ])
  }
  if (closed > 0) await resolveImportAlert(transaction, calendar.unit_id)
}

/** Looks again at the open conflicts of a calendar: bookings may have moved since it was read. */
export async function retryImportedStays(
  transaction: Transaction,
  feedId: string,
  conflictId: string,
): Promise<void> {
  const calendar = await lockCalendar(transaction, feedId)
  if (!calendar) return
  await retryOpenStays(transaction, calendar)
  await markRetried(transaction, conflictId, transaction.actor.type !== 'system')
}

/** The same for a calendar whose unit is locked already. */
export const retryOpenStays = async (transaction: Transaction, calendar: ImportedCalendar): Promise<void> =>
  settleImportedStays(transaction, calendar, await listOpenStays(transaction, calendar.id))

/** The alert ends with the last open conflict that the imported calendars of a unit have. */
export async function resolveImportAlert(transaction: Transaction, unitId: string): Promise<void> {
  if (!(await hasImportedConflict(transaction, unitId)))
    await resolveAlerts(transaction, 'booking.conflict', { targetId: null, unitId })
}

const covers = ({ arrival, departure }: ImportedStay, night: string) => arrival <= night && night < departure

const byDays = (one: ImportedStay, other: ImportedStay) => (stayId(one) < stayId(other) ? -1 : 1)

const bookingsOn = (
  transaction: Transaction,
  { unit_id }: ImportedCalendar,
  full: readonly string[],
): Promise<ConflictingBooking[]> =>
  conflictingBookings(transaction, {
    unitId: unit_id,
    arrival: full[0]!,
    departure: dateOf(nightOf(full.at(-1)!) + 1),
    self: null,
    full,
  })
