import { sql } from '#db/sql.ts'
import { rows, type Scope, type Transaction } from '#db/scope.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import { raiseAlerts, resolveAlerts } from '#features/messaging/alerts/queries.ts'
import {
  findConflictingBookings,
  type ConflictingBooking,
} from '#features/reservations/bookings/find-conflicts.ts'
import { describeImportedConflict } from './booking-conflict.ts'
import {
  findOversoldNights,
  hasImportedConflict,
  listOpenStays,
  replaceImportedConflicts,
} from './imported-conflict-queries.ts'
import { stayId, type ImportedCalendar, type ImportedStay } from './imported-stay.ts'

/**
 * Compares the reservations of an imported calendar, whose nights are blocked already, with the bookings of the unit. A
 * reservation on a night with more stays than rooms becomes an open conflict with an alert; all other conflicts of the
 * calendar are resolved. The caller has locked the unit.
 */
export async function updateImportedConflicts(
  transaction: Transaction,
  calendar: ImportedCalendar,
  stays: readonly ImportedStay[],
): Promise<void> {
  const nights = await findOversoldNights(transaction, calendar)
  const oversold = stays.filter((stay) => nights.some((night) => covers(stay, night))).sort(byStayId)
  const bookings = oversold.length > 0 ? await listBookingsOn(transaction, calendar, nights) : []
  const conflicts = oversold.map((stay) => ({
    stay,
    ...describeImportedConflict(stay),
    conflicts: bookings.filter(
      (booking) => booking.check_in < stay.departure && booking.check_out > stay.arrival,
    ),
  }))
  const { added, closedCount } = await replaceImportedConflicts(transaction, calendar, conflicts)
  const first = conflicts.find(({ stay }) => added.includes(stayId(stay)))
  if (first) {
    const { stay, message, hint } = first
    const more = added.length > 1 ? ` ${added.length - 1} more of its reservations overlap bookings.` : ''
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
          conflicts: first.conflicts,
        },
        isNewCase: true,
      },
    ])
  }
  if (closedCount > 0) await resolveImportAlert(transaction, calendar.unit_id)
}

/** Checks the open conflicts of a calendar again, because bookings may have moved. */
export async function retryImportedStays(
  transaction: Transaction,
  feedId: string,
  conflictId: string,
): Promise<void> {
  const calendar = await lockCalendar(transaction, feedId)
  if (!calendar) return
  await recheckOpenStays(transaction, calendar)
  await markRetried(transaction, conflictId, transaction.actor.type !== 'system')
}

/** The same for a calendar whose unit is locked already. */
export const recheckOpenStays = async (transaction: Transaction, calendar: ImportedCalendar): Promise<void> =>
  updateImportedConflicts(transaction, calendar, await listOpenStays(transaction, calendar.id))

/** Resolves the alert with the last open conflict of the imported calendars of a unit. */
export async function resolveImportAlert(transaction: Transaction, unitId: string): Promise<void> {
  if (!(await hasImportedConflict(transaction, unitId)))
    await resolveAlerts(transaction, 'booking.conflict', { targetId: null, unitId })
}

const covers = ({ arrival, departure }: ImportedStay, night: string) => arrival <= night && night < departure

const byStayId = (one: ImportedStay, other: ImportedStay) => (stayId(one) < stayId(other) ? -1 : 1)

const listBookingsOn = (
  transaction: Transaction,
  { unit_id }: ImportedCalendar,
  nights: readonly string[],
): Promise<ConflictingBooking[]> =>
  findConflictingBookings(transaction, {
    unitId: unit_id,
    arrival: nights[0]!,
    departure: dateOf(nightOf(nights.at(-1)!) + 1),
    bookingId: null,
    fullNights: nights,
  })

/** Loads a calendar and locks its unit, so that neither its bookings nor its blocks change. */
async function lockCalendar(transaction: Transaction, feedId: string): Promise<ImportedCalendar | undefined> {
  const [calendar] = await rows(
    transaction,
    sql<ImportedCalendar>`
      select feed.id, feed.account_id, feed.unit_id, feed.name
      from calendar_feeds feed
      join units unit
        on unit.org_id = feed.org_id
        and unit.id = feed.unit_id
      where feed.org_id = ${transaction.orgId}
        and feed.id = ${feedId}
      for no key update of unit`,
  )
  return calendar
}

/** Records a retry; one by a person counts as an attempt. */
export const markRetried = (scope: Scope, id: string, isCounted: boolean) =>
  rows(
    scope,
    sql`
      update booking_conflicts
      set tried_at = clock_timestamp()
        ${isCounted ? sql`, attempts = attempts + 1, updated_at = clock_timestamp(), version = version + 1` : sql``}
      where org_id = ${scope.orgId}
        and id = ${id}
        and status = 'open'`,
  )
