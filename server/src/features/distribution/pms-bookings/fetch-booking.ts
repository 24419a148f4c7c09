import { sql } from '#db/sql.ts'
import { atomically, first, type Scope } from '#db/scope.ts'
import type { BookingNotice, PmsBooking, PmsBookingRef } from '#integrations/pms/pms-booking.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import { sellsByPlan } from '#integrations/pms/pms-provider.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import type { PmsAccess } from '#features/distribution/pms-access/connect.ts'
import { applyPmsBooking } from './apply-pms-booking.ts'

const maxTries = 5

/**
 * Fetches a booking, applies it, and acknowledges it after the commit. When another job applied the booking during the
 * call, it is fetched again, because that state may be newer. Null when the PMS has no such booking. @throws PmsFailure
 */
export async function fetchBooking(
  scope: Scope,
  target: TargetConnection,
  access: PmsAccess,
  ref: PmsBookingRef,
  notice: BookingNotice | null,
): Promise<PmsBooking | null> {
  const { pms, call } = access
  for (let tries = 0; tries < maxTries; tries++) {
    const requestedAt = await getDatabaseTime(scope)
    const booking = await pms.bookings.fetch(ref, notice, call)
    if (!booking) return null
    if (await applyAndAcknowledge(scope, target, access, booking, requestedAt)) return booking
  }
  throw new PmsFailure('internal', 'The booking changed each time it was fetched.', {
    hint: 'No action is needed: it is fetched again automatically.',
  })
}

/** Returns false when another job applied the booking after it was requested. @throws PmsFailure */
export async function applyAndAcknowledge(
  scope: Scope,
  target: TargetConnection,
  { pms, provider, call }: PmsAccess,
  booking: PmsBooking,
  requestedAt: string,
): Promise<boolean> {
  const needsPlan = sellsByPlan(provider)
  const result = await atomically(scope, (transaction) =>
    applyPmsBooking(transaction, booking, { target, needsPlan, requestedAt }),
  )
  if (result === 'superseded') return false
  if (booking.revision !== null) await pms.bookings.polling?.feed?.acknowledge(booking.revision, call)
  return true
}

export const getDatabaseTime = async (scope: Scope): Promise<string> =>
  (await first(scope, sql<{ now: string }>`select clock_timestamp()::text as now`))!.now
