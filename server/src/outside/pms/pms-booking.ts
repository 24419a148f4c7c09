import type { NoticeBody } from './pms-notice.ts'
import type { Call } from './pms-call.ts'

/** Bookings made at the PMS, in our words. Each provider's folder reads its own. */

/** An `inquiry` takes no room. */
export const pmsBookingStatuses = [
  'confirmed',
  'pending',
  'cancelled',
  'declined',
  'expired',
  'checked_in',
  'checked_out',
  'no_show',
  'inquiry',
] as const
export type PmsBookingStatus = (typeof pmsBookingStatuses)[number]

/** Rooms of one kind for one stay. What the PMS does not say, or says so that nobody can read it, is null. */
export interface PmsBookingLine {
  /** What the PMS calls the line itself, in every revision; absent where it has no names for lines. */
  readonly id?: string
  /** What the id of its booking here ends with, if it is new; empty where a reservation has one line only. */
  readonly key: string
  /** The room type or listing, as it is called over there. */
  readonly listing: string | null
  readonly plan: string | null
  /** Days where the room is; the day of departure is free again. */
  readonly arrival: string | null
  readonly departure: string | null
  readonly rooms: number
  readonly guests: number
  readonly totalCents: number | null
}

/** A booking as it is over there at one time. */
export interface PmsBooking {
  readonly id: string
  /** What is acknowledged; null where nothing is. */
  readonly revision: string | null
  /** ISO 8601: what is older comes too late. */
  readonly revisedAt: string | null
  readonly status: PmsBookingStatus
  readonly guestName: string | null
  readonly guestEmail: string | null
  readonly guestPhone: string | null
  readonly notes: string | null
  /** In lower case. */
  readonly currency: string | null
  readonly lines: readonly PmsBookingLine[]
}

/** Says which booking is meant, and which state of it where the PMS has names for those. */
export interface PmsBookingRef {
  readonly id: string
  readonly revision: string | null
}

type Pages = AsyncIterable<readonly PmsBooking[]>

/** What one property tells of its bookings. */
export interface PmsBookings {
  /** Which booking a notice is about; null when it does not say. */
  named(notice: NoticeBody): PmsBookingRef | null
  /** The booking itself; null when it is not there. @throws PmsFailure */
  find(ref: PmsBookingRef, notice: NoticeBody | null, call: Call): Promise<PmsBooking | null>
  /** What waits to be acknowledged, oldest first; nothing where nothing is acknowledged. @throws PmsFailure */
  waiting(call: Call): Pages
  /** What was made or changed since then. @throws PmsFailure */
  since(time: Date, call: Call): Pages
  /** Says that a revision is saved. @throws PmsFailure */
  acknowledge(revision: string, call: Call): Promise<void>
  /** Has the PMS tell of bookings at this address, once, showing that secret. @throws PmsFailure */
  tellAt(address: string, secret: string | null, call: Call): Promise<void>
}

/** How often it must be asked, because a notice can get lost. */
export interface BookingManner {
  /** Null: it tells everything by itself, and there is nothing to ask. */
  readonly pollSeconds: number | null
  /** How long what was not acknowledged waits; null where all that changed is asked for each time. */
  readonly feedSeconds: number | null
}
