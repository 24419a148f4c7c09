import type { Fault } from './fault.ts'

/** Guests who are not left alone. */
export const guestFaults: readonly Fault[] = [
  {
    name: 'contacts-shown-to-viewers',
    means: 'A screen on the wall shows how every guest is reached.',
    file: 'server/src/features/reservations/bookings/booking.ts',
    edits: [['if (member in record) record[member] = null', 'if (member in record) record[member] ??= null']],
    caughtBy: [
      {
        file: 'server/test/least-privilege.test.ts',
        test: 'reads no way to contact a guest, wherever it looks',
      },
    ],
  },
  {
    name: 'forgotten-guest-comes-back',
    means: 'A guest was forgotten as the law says; the next message of the PMS brings the name back.',
    file: 'server/src/features/reservations/guests/queries.ts',
    edits: [['return row!.erased', 'return row === undefined']],
    // Its tests follow each other.
    caughtBy: [
      { file: 'server/src/features/reservations/guests/erasures.test.ts', test: 'guest erasures: happy' },
    ],
  },
]
