import { bookingFaults } from './booking-faults.ts'
import { calendarFaults } from './calendar-faults.ts'
import type { Fault } from './fault.ts'
import { guestFaults } from './guest-faults.ts'
import { inboxFaults } from './inbox-faults.ts'
import { limitFaults } from './limit-faults.ts'
import { paymentFaults } from './payment-faults.ts'
import { syncFaults } from './sync-faults.ts'
import { tenancyFaults } from './tenancy-faults.ts'
import { tokenFaults } from './token-faults.ts'

export const faults: readonly Fault[] = [
  ...bookingFaults,
  ...calendarFaults,
  ...tenancyFaults,
  ...tokenFaults,
  ...guestFaults,
  ...limitFaults,
  ...inboxFaults,
  ...paymentFaults,
  ...syncFaults,
]
