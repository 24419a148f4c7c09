/** The property management system (PMS) as the rest of the code sees it. Each provider has a folder beside this file. */
import type { CallContext } from './pms-call.ts'
import type { Exchange, PmsFailure } from './pms-failure.ts'
import type { PmsBookings } from './pms-booking.ts'
import type { PmsPortfolio } from './pms-portfolio.ts'
import type { ShownContent, UnitContent } from './pms-content.ts'

/** Price and restrictions of one night of one rate plan. A `max_stay` of null means no limit. */
export interface NightTerms {
  readonly price_cents: number
  readonly min_stay_arrival: number
  readonly min_stay_through: number
  readonly max_stay: number | null
  readonly closed_to_arrival: boolean
  readonly closed_to_departure: boolean
  readonly stop_sell: boolean
}

export const termNames = [
  'price_cents',
  'min_stay_arrival',
  'min_stay_through',
  'max_stay',
  'closed_to_arrival',
  'closed_to_departure',
  'stop_sell',
] as const satisfies readonly (keyof NightTerms)[]
export type TermName = (typeof termNames)[number]

/** Local nights of the space as `YYYY-MM-DD`, both ends included. */
export interface NightRange {
  readonly date_from: string
  readonly date_to: string
}

/** How many rooms of the unit may be sold on each of these nights. */
export interface AvailabilityRange extends NightRange {
  readonly available: number
}

/** The terms that change for a rate plan on each of these nights; terms that are left out keep their value. */
export interface RateRange extends NightRange, Partial<NightTerms> {
  /** Our id of the rate plan. */
  readonly plan: string
}

/** One of our rate plans and its id at the PMS. Null: the PMS keeps the terms on the room itself. */
export interface PlanLink {
  readonly plan: string
  readonly externalId: string | null
}

/** One of our units, by its id at the PMS, with its rate plans. */
export interface UnitLink {
  readonly externalId: string
  readonly plans: readonly PlanLink[]
  /** What the PMS showed of it a moment ago, so that only its calendar is read. */
  readonly shown?: ShownContent
}

/**
 * By kind of message: the id of a group of units that one message rejected together. The provider bisects such a
 * group over several pushes, because its rate limit does not allow finding the rejected units in one.
 */
export type RefusedGroups = Readonly<Record<string, string>>

/** Everything that one push changes for one unit. */
export interface UnitUpdate extends UnitLink {
  /** Identifies the update in the results. */
  readonly id: string
  readonly content: UnitContent
  /** The content fields to send; `all` for a full sync; empty when the content is unchanged. */
  readonly changedFields: 'all' | readonly (keyof UnitContent)[]
  readonly rooms: readonly AvailabilityRange[]
  readonly rates: readonly RateRange[]
  /** Equal for a retry with equal values. */
  readonly idempotencyKey: string
  /** The trace of the change that caused the update. */
  readonly traceparent: string | null
  /** The state of the bisection that earlier pushes began. */
  readonly refusedGroups?: RefusedGroups | null
}

/** The result of one update. What the PMS accepted counts even when the rest failed. */
export interface UpdateResult {
  readonly contentAccepted: boolean
  readonly acceptedRooms: readonly AvailabilityRange[]
  readonly acceptedRates: readonly RateRange[]
  readonly exchanges: readonly Exchange[]
  /** Ids of the asynchronous tasks by which the PMS applies what it accepted, where it has such tasks. */
  readonly tasks?: readonly string[]
  /** Null when everything was accepted. */
  readonly failure: PmsFailure | null
  /** The new state of the bisection; left out when it did not change. */
  readonly refusedGroups?: RefusedGroups
}

/** One unit as the PMS shows it; fields and terms that the PMS does not hold are left out. */
export interface RemoteUnit {
  readonly content: ShownContent
  readonly rooms: readonly AvailabilityRange[]
  readonly rates: readonly RateRange[]
  /** The last night of the calendar that the PMS keeps, where it is limited. */
  readonly lastNight?: string
}

/** A room type or listing that exists at the PMS and can be linked. */
export interface Offer {
  readonly external_id: string
  readonly name: string
  readonly max_guests: number | null
  readonly quantity: number | null
  readonly currency: string | null
  readonly active: boolean
  readonly rate_plans: readonly {
    readonly external_id: string
    readonly name: string
    readonly currency: string | null
    /** Whether each number of guests has a price of its own, of which a push changes only the main one. */
    readonly hasPricesByGuests?: boolean
  }[]
}

/** A unit to create at the PMS. */
export interface NewUnit {
  readonly content: UnitContent
  readonly plans: readonly { readonly plan: string; readonly name: string; readonly isDefault: boolean }[]
  /** External ids that other listings are linked to; the new unit must not reuse them. */
  readonly linkedIds: readonly string[]
  readonly idempotencyKey: string
}

/** The progress of an asynchronous task at the PMS. `unknown`: the PMS does not say. */
export type TaskState =
  | { readonly state: 'pending' | 'completed' | 'unknown' }
  | {
      readonly state: 'failed'
      readonly failure: PmsFailure
      /** External ids of the units and plans that the failure names; empty when it names none. */
      readonly externalIds: readonly string[]
    }

/** A connection to one property at the PMS. */
export interface PmsConnection {
  /**
   * Sends the updates of many units in as few calls as the PMS allows. Updates that close nights go before updates
   * that open nights, the calendar before the content, except that a unit the PMS does not have yet gets its content
   * first. Returns one result per update, by its id; never throws a PmsFailure.
   */
  push(updates: readonly UnitUpdate[], call: CallContext): Promise<ReadonlyMap<string, UpdateResult>>
  /** What the PMS shows now, by external id; null for a unit that it does not have. @throws PmsFailure */
  readUnits(
    units: readonly UnitLink[],
    nights: NightRange,
    call: CallContext,
  ): Promise<ReadonlyMap<string, RemoteUnit | null>>
  /** The states of tasks that earlier pushes started, by task id. Left out by a PMS without tasks. @throws PmsFailure */
  getTaskStates?(tasks: readonly string[], call: CallContext): Promise<ReadonlyMap<string, TaskState>>
  /** All room types or listings of the property. @throws PmsFailure */
  listOffers(call: CallContext): Promise<readonly Offer[]>
  /**
   * Creates a unit with its rate plans, once: when the response to an earlier attempt was lost, the unit is found by
   * its name. @throws PmsFailure
   */
  createUnit(unit: NewUnit, call: CallContext): Promise<UnitLink>
  /** Resolves when the PMS answers and accepts the credentials. @throws PmsFailure */
  checkAccess(call: CallContext): Promise<void>
  readonly bookings: PmsBookings
  /** Left out where a portfolio cannot be imported. */
  readonly portfolio?: PmsPortfolio
}
