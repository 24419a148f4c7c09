import { atomically, type Scope } from '#db/scope.ts'
import { dateOf } from '#schema/nights.ts'
import type { PmsBooking } from '#integrations/pms/pms-booking.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import {
  applyAndAcknowledge,
  fetchBooking,
  getDatabaseTime,
} from '#features/distribution/pms-bookings/fetch-booking.ts'
import { endsBooking } from '#features/distribution/pms-bookings/assign-external-ids.ts'
import type { PmsAccess } from '#features/distribution/pms-access/connect.ts'
import { portfolioOf } from './portfolio-of.ts'
import { addBookings, lockImport, updateImport, type ImportState } from './queries.ts'

/**
 * Applies one page of the current and future bookings, as a poll does: a booking that was applied before changes
 * nothing, and one that does not fit becomes a booking conflict. @throws PmsFailure
 */
export async function importBookings(
  scope: Scope,
  target: TargetConnection,
  access: PmsAccess,
  { id, cursor }: ImportState,
): Promise<void> {
  // A guest who departs today anywhere may still be there.
  const from = dateOf(Math.floor(Date.now() / 86_400_000) - 1)
  const requestedAt = await getDatabaseTime(scope)
  const { items, next } = await portfolioOf(access.pms).readBookings(from, cursor, access.call)
  const upcoming = items.filter((booking) => isUpcoming(booking, from))
  for (const booking of upcoming)
    if (!(await applyAndAcknowledge(scope, target, access, booking, requestedAt)))
      await fetchBooking(scope, target, access, booking, null)
  await atomically(scope, async (transaction) => {
    const current = await lockImport(transaction, id)
    if (current?.status !== 'running' || current.stage !== 'bookings' || current.cursor !== cursor) return
    await addBookings(transaction, id, upcoming.length)
    await updateImport(transaction, id, next === null ? { stage: 'blocks', cursor: null } : { cursor: next })
  })
}

/** Neither ended nor over. Dates that cannot be read are left to the conflicts. */
const isUpcoming = ({ status, lines }: PmsBooking, from: string) =>
  !endsBooking(status) && lines.some(({ departure }) => departure === null || departure >= from)
