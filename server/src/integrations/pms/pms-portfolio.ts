import type { CallContext } from './pms-call.ts'
import type { PmsBooking } from './pms-booking.ts'
import type { ShownContent } from './pms-content.ts'

/** A photo at the PMS. */
export interface PortfolioPhoto {
  readonly url: string
  readonly description: string | null
}

/** The property of a unit at the PMS; units with the same `external_id` share it. */
export interface PortfolioSpace {
  readonly external_id: string
  /** Null where the PMS has no properties, only listings with addresses. */
  readonly name: string | null
  readonly address: string | null
  readonly city: string | null
  readonly state: string | null
  readonly zip: string | null
  readonly country: string | null
  readonly timezone: string | null
  readonly description: string | null
  readonly photos: readonly PortfolioPhoto[]
}

export interface PortfolioPlan {
  readonly external_id: string
  readonly name: string
  /** In lower case. */
  readonly currency: string | null
}

/** A room type or listing with everything that an import takes over, except its calendar. A missing value is null. */
export interface PortfolioUnit {
  readonly external_id: string
  readonly name: string
  readonly type: string | null
  readonly bedrooms: number | null
  readonly bathrooms: number | null
  readonly max_guests: number | null
  readonly quantity: number | null
  readonly base_price_cents: number | null
  /** In lower case. */
  readonly currency: string | null
  readonly active: boolean
  /** The main plan first; none where the PMS keeps the terms on the room itself. */
  readonly rate_plans: readonly PortfolioPlan[]
  readonly photos: readonly PortfolioPhoto[]
  readonly space: PortfolioSpace
  /** What a link shows, where reading it again would take a call for each unit. */
  readonly shown?: ShownContent
}

/** One page, and the cursor of the next one; null after the last page. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

/** Reads what exists at the PMS page by page, so that an import can continue after any page. */
export interface PmsPortfolio {
  /** The units of the property or account. @throws PmsFailure */
  readUnits(cursor: string | null, call: CallContext): Promise<Page<PortfolioUnit>>
  /** Bookings that depart on this day or later; it may contain others. @throws PmsFailure */
  readBookings(from: string, cursor: string | null, call: CallContext): Promise<Page<PmsBooking>>
}
