import type { NoticeBody } from './pms-notice.ts'
import type { CallContext } from './pms-call.ts'

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

/** Rooms of one unit for one stay. A field that the PMS leaves out, or that cannot be read, is null. */
export interface PmsBookingLine {
  /** The id that the PMS keeps for the line in every revision; left out where lines have no ids. */
  readonly id?: string
  /** The suffix of the external id of a booking created for this line; empty where a reservation has one line. */
  readonly key: string
  /** External id of the room type or listing. */
  readonly listing: string | null
  /** External id of the rate plan. */
  readonly plan: string | null
  /** Local dates of the property; the night of the departure date is not booked. */
  readonly arrival: string | null
  readonly departure: string | null
  readonly rooms: number
  readonly guests: number
  readonly totalCents: number | null
  /** The total in major units, as it was sent, of a booking without a currency. */
  readonly totalMajorUnits?: unknown
}

/** One state of a booking made at the PMS. */
export interface PmsBooking {
  readonly id: string
  /** The revision to acknowledge; null where the PMS expects no acknowledgement. */
  readonly revision: string | null
  /** ISO 8601; an older state than the one already applied is ignored. */
  readonly revisedAt: string | null
  /** Whether the booking was read from the PMS, and not from a message that may arrive late. */
  readonly isCurrent?: boolean
  readonly status: PmsBookingStatus
  /** Of the guest and the notes, null means "empty"; what is left out stays as it is here. */
  readonly guestName?: string | null
  readonly guestEmail?: string | null
  readonly guestPhone?: string | null
  readonly notes?: string | null
  /** In lower case. */
  readonly currency: string | null
  readonly lines: readonly PmsBookingLine[]
}

/** Identifies a booking, and one of its revisions where the PMS has revisions. */
export interface PmsBookingRef {
  readonly id: string
  readonly revision: string | null
}

/** A webhook message about a booking. */
export interface BookingNotice {
  readonly body: NoticeBody
  /** When it happened, or when it was received if it does not say: ISO 8601. */
  readonly occurredAt: string
}

type Pages = AsyncIterable<readonly PmsBooking[]>

/** The bookings of one property at the PMS. */
export interface PmsBookings {
  /** The booking that a webhook message is about; null when the message does not say. */
  parseRef(notice: NoticeBody): PmsBookingRef | null
  /** Null when the PMS does not have it. @throws PmsFailure */
  fetch(ref: PmsBookingRef, notice: BookingNotice | null, call: CallContext): Promise<PmsBooking | null>
  /** Left out where the PMS has nothing to poll: all bookings arrive in messages. */
  readonly polling?: BookingPolling
}

/** Bookings are read once a minute too, because a webhook message can get lost. */
export interface BookingPolling {
  /**
   * Bookings that were created or changed at that time or later. One that does not change must not be missed when others
   * change while the pages are read: they may move between pages. @throws PmsFailure
   */
  changedSince(time: Date, call: CallContext): Pages
  /** Registers a webhook for bookings, once per URL, that authenticates with the secret. @throws PmsFailure */
  subscribe(url: string, secret: string | null, call: CallContext): Promise<void>
  /** Left out where revisions are not acknowledged: each poll reads all changes. */
  readonly feed?: RevisionFeed
}

/** Revisions that the PMS lists until they are acknowledged. */
export interface RevisionFeed {
  /** Revisions that are not acknowledged yet, oldest first. @throws PmsFailure */
  unacknowledged(call: CallContext): Pages
  /** Confirms that a revision is saved. @throws PmsFailure */
  acknowledge(revision: string, call: CallContext): Promise<void>
}
