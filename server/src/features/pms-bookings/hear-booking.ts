import { atomically, type Scope } from '#db/scope.ts'
import type { PmsBooking, PmsBookingRef } from '#outside/pms/pms-booking.ts'
import { PmsFailure } from '#outside/pms/pms-failure.ts'
import type { NoticeBody } from '#outside/pms/pms-notice.ts'
import type { TargetConnection } from '../channel-targets/queries.ts'
import { applyPmsBooking } from './apply-pms-booking.ts'
import { timeNow } from './queries.ts'
import type { Speaking } from './speak.ts'

const mostTries = 5

/**
 * Asks for a booking, applies it, and acknowledges it once that is saved. Where the PMS tells the present state, it is
 * asked again if somebody else applied one meanwhile: that one may be newer than what was just told. Null when the PMS
 * has no such booking. @throws PmsFailure
 */
export async function fetchBooking(
  scope: Scope,
  target: TargetConnection,
  speaking: Speaking,
  ref: PmsBookingRef,
  notice: NoticeBody | null,
): Promise<PmsBooking | null> {
  const { pms, call } = speaking
  for (let tries = 0; tries < mostTries; tries++) {
    const askedAt = await timeNow(scope)
    const booking = await pms.bookings.find(ref, notice, call)
    if (!booking) return null
    if (await hearBooking(scope, target, speaking, booking, askedAt)) return booking
  }
  throw new PmsFailure('internal', 'The booking changed while it was read.', {
    hint: 'Nothing to do: it is read again by itself.',
  })
}

/** Applies what was told and acknowledges it. False when somebody else was faster. @throws PmsFailure */
export async function hearBooking(
  scope: Scope,
  target: TargetConnection,
  { pms, provider, call }: Speaking,
  booking: PmsBooking,
  askedAt: string,
): Promise<boolean> {
  const needsPlan = provider.hasPlans && !provider.roomHasTerms
  const outcome = await atomically(scope, (transaction) =>
    applyPmsBooking(transaction, booking, { target, needsPlan, askedAt }),
  )
  if (outcome === 'overtaken') return false
  if (booking.revision !== null) await pms.bookings.acknowledge(booking.revision, call)
  return true
}
