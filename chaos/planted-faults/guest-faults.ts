import type { Fault } from './fault.ts'

/** Data of guests that is shown or kept when it must not be. */
export const guestFaults: readonly Fault[] = [
  {
    name: 'contacts-shown-to-viewers',
    means: 'A role that may not see contacts reads the phone number of every guest.',
    code: [
      {
        ...{ file: 'server/src/features/reservations/bookings/booking.ts', function: 'redactContacts' },
        ...{ condition: 'member', becomes: 'false' },
      },
    ],
    caughtBy: ['server/test/least-privilege.test.ts'],
  },
  {
    name: 'erased-guest-comes-back',
    means: 'A guest was erased as the law demands; the next message of the PMS stores the name again.',
    code: [
      {
        ...{ file: 'server/src/features/reservations/guests/erased-bookings.ts', function: 'isGuestErased' },
        ...{ whole: true, becomes: 'false' },
      },
    ],
    caughtBy: ['server/src/features/reservations/guests/erasures.test.ts'],
  },
]
