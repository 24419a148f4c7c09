import type { contract } from '@vacancy/client'

import { dayOf, todayIn } from '../calendar/nights.ts'

/** Whether a guest would be checked in before the day of the arrival, or out before that of the departure. */
export const isEarly = (
  { status, arrival, departure }: Pick<contract.Booking, 'status' | 'arrival' | 'departure'>,
  next: contract.Booking['status'],
  timeZone: string | undefined,
): boolean =>
  (status === 'confirmed' && next === 'checked_in' && dayOf(arrival) > todayIn(timeZone)) ||
  (status === 'checked_in' && next === 'checked_out' && dayOf(departure) > todayIn(timeZone))
