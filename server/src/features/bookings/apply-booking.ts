import type { Transaction } from '#db/scope.ts'
import type { BookingStatus } from './booking.ts'

/** A booking as the PMS has it: one for each line of rooms. */
export interface ExternalBooking {
  readonly targetId: string
  /** The booking's id over there and the index of the line. */
  readonly externalId: string
  readonly accountId: string
  readonly unitId: string
  readonly ratePlanId: string | null
  readonly status: BookingStatus
  readonly guestName: string
  readonly guestEmail: string | null
  readonly guestPhone: string | null
  readonly guests: number
  readonly rooms: number
  readonly arrival: string
  readonly departure: string
  readonly totalCents: number
  readonly currency: string
  readonly notes: string | null
  /** Revisions follow each other by this time: an older one changes nothing. */
  readonly revisedAt: string
}

export interface Conflicting {
  readonly booking_id: string
  readonly check_in: string
  readonly check_out: string
  readonly rooms: number
}

export interface Applied {
  readonly outcome: 'created' | 'changed' | 'cancelled' | 'unchanged' | 'conflict'
  readonly bookingId: string | null
  /** Why it does not fit. */
  readonly reason?: 'no-room' | 'unknown-unit' | 'impossible-stay'
  readonly conflicts?: readonly object[]
}

export declare function applyExternalBooking(
  transaction: Transaction,
  external: ExternalBooking,
): Promise<Applied>
