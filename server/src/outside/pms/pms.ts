/** The property management system, in our words. One folder per provider beside this file speaks its language. */
import type { Call } from './pms-call.ts'
import type { Exchange, PmsFailure } from './pms-failure.ts'
import type { BookingManner, PmsBookings } from './pms-booking.ts'
import type { NoticeReader } from './pms-notice.ts'
import type { TaskState } from './pms-task.ts'

/** What the PMS must show of one unit. */
export interface UnitContent {
  readonly name: string
  readonly type: string
  readonly bedrooms: number
  readonly bathrooms: number
  readonly max_guests: number
  readonly quantity: number
  readonly base_price_cents: number
  readonly currency: string
  /** Whether it may be sold at all. */
  readonly open: boolean
  /** Of the unit itself; absent says nothing about them. */
  readonly photos?: readonly Photo[]
  readonly space: {
    readonly name: string
    readonly address: string | null
    readonly city: string | null
    readonly state: string | null
    readonly zip: string | null
    readonly country: string | null
    readonly timezone: string
    readonly description: string | null
    readonly amenities: readonly string[]
    /** Of the property, whatever the unit. */
    readonly photos?: readonly Photo[]
  }
}

/** A picture that the PMS may fetch. */
export interface Photo {
  readonly url: string
  /** From 0. */
  readonly position: number
  readonly description: string | null
}

/** What is decided for one night of one rate plan. A `max_stay` of null is no limit. */
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

/** Local nights of the space, `YYYY-MM-DD`; the last one is included. */
export interface Nights {
  readonly date_from: string
  readonly date_to: string
}

/** How many rooms of the unit may be sold on each of these nights. */
export interface RoomNights extends Nights {
  readonly available: number
}

/** What changes for a plan on each of these nights; terms that are left out stay as they are. */
export interface PlanNights extends Nights, Partial<NightTerms> {
  /** Our id of the plan. */
  readonly plan: string
}

/** One of our plans and what it is called over there. Null: the room itself, where a room has only one plan. */
export interface PlanLink {
  readonly plan: string
  readonly externalId: string | null
}

/** One of our units and what it is called over there. */
export interface UnitLink {
  readonly externalId: string
  readonly plans: readonly PlanLink[]
}

/**
 * By kind of message: names the group of units that were refused together. A provider searches a refused message for
 * those that are meant, over as many pushes as its limits make necessary.
 */
export type RefusedGroups = Readonly<Record<string, string>>

/** All that the PMS is to be told about one unit now. */
export interface Parcel extends UnitLink {
  /** Names the parcel in the result. */
  readonly id: string
  readonly content: UnitContent
  /** The members of the content that differ; `whole` when all are to be sent; empty when none is. */
  readonly differing: 'whole' | readonly (keyof UnitContent)[]
  readonly rooms: readonly RoomNights[]
  readonly rates: readonly PlanNights[]
  /** The same wish in the same words has the same key. */
  readonly idempotencyKey: string
  /** The trace of the change that asked for it. */
  readonly traceparent: string | null
  /** What earlier pushes found out about refused messages. */
  readonly refusedGroups?: RefusedGroups | null
}

/** What became of one parcel. What the PMS took counts although the rest failed. */
export interface Delivery {
  readonly tookContent: boolean
  readonly tookRooms: readonly RoomNights[]
  readonly tookRates: readonly PlanNights[]
  readonly exchanges: readonly Exchange[]
  /** Names of the tasks by which the PMS applies what it took, where it has such. */
  readonly tasks?: readonly string[]
  /** Null when all was taken. */
  readonly failure: PmsFailure | null
  /** What is known now about refused messages; absent when nothing was found out. */
  readonly refusedGroups?: RefusedGroups
}

/** One unit as the PMS shows it; members and terms that it does not know are left out. */
export interface Shown {
  readonly content: Partial<Omit<UnitContent, 'space'>> & { readonly space?: Partial<UnitContent['space']> }
  readonly rooms: readonly RoomNights[]
  readonly rates: readonly PlanNights[]
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
  }[]
}

/** A unit that is to be made at the PMS. */
export interface Draft {
  readonly content: UnitContent
  readonly plans: readonly { readonly plan: string; readonly name: string; readonly isDefault: boolean }[]
  /** External ids that other listings use: what bears one of them is never taken for this unit. */
  readonly taken: readonly string[]
  readonly idempotencyKey: string
}

/** One connection to one property at the PMS. */
export interface PmsConnection {
  /**
   * Tells the PMS of many units of the property in as few calls as it allows: what closes before what opens, the
   * calendar before the content; a unit that it does not know yet gets its content first. One result for each
   * parcel, by its id; never throws a PmsFailure.
   */
  push(parcels: readonly Parcel[], call: Call): Promise<ReadonlyMap<string, Delivery>>
  /** What the PMS shows now, by external id; null for a unit it does not know. @throws PmsFailure */
  read(units: readonly UnitLink[], nights: Nights, call: Call): Promise<ReadonlyMap<string, Shown | null>>
  /** How the tasks of earlier pushes stand, by their names. Absent where the PMS has none. @throws PmsFailure */
  taskStates?(tasks: readonly string[], call: Call): Promise<ReadonlyMap<string, TaskState>>
  /** What the property has. @throws PmsFailure */
  offers(call: Call): Promise<readonly Offer[]>
  /**
   * Makes a unit with its plans at the property, once: what an earlier attempt made, and whose answer was lost, is
   * found again by its name. @throws PmsFailure
   */
  create(draft: Draft, call: Call): Promise<UnitLink>
  /** Returns when the PMS answers and accepts the credentials. @throws PmsFailure */
  check(call: Call): Promise<void>
  readonly bookings: PmsBookings
}

/** Which providers have rate plans, and which hold terms of the room itself, by the name of the provider. */
export const planSupport = {
  sandbox: { hasPlans: true, roomHasTerms: true },
  channex: { hasPlans: true, roomHasTerms: false },
  hostaway: { hasPlans: false, roomHasTerms: true },
} as const

/** What is known of a provider before it is asked. */
export interface Provider {
  readonly name: string
  /** The terms it can hold; the others stay with us. */
  readonly terms: readonly TermName[]
  /** Whether it has a rate plan of its own for each of ours, or one price for the room. */
  readonly hasPlans: boolean
  /** Whether the room itself can carry terms: a plan link without an external id. */
  readonly roomHasTerms: boolean
  /** Whether a night that must not be sold is shown as a night without rooms, because it knows no stop sell. */
  readonly stopsByRooms: boolean
  /** Whether external ids are ours to choose: a push makes the unit or the plan that it does not know yet. */
  readonly namesAreOurs: boolean
  /** Whether the units of a target share one property there, so that they must share a space here. */
  readonly sharesProperty: boolean
  /** The members of the content that it holds. */
  readonly content: readonly (keyof UnitContent)[]
  /** The address that photos are fetched from; without it the PMS is told of none. */
  readonly photosAt?: string
  /** Its limits, by kind of call. */
  readonly budgets: readonly Budget[]
  /** How many units one push may carry. */
  readonly parcelsPerPush: number
  /** How many units are read back together: more than one where that costs no more calls than one. */
  readonly unitsPerRead: number
  /** What it tells by itself. */
  readonly notices: NoticeReader
  /** How its bookings come in. */
  readonly bookings: BookingManner
  connect(target: PmsTarget): PmsConnection
}

/** So many calls of a kind in any window of that length. */
export interface Budget {
  readonly kind: string
  readonly calls: number
  readonly windowSeconds: number
}

export type Credentials = Readonly<Record<string, string>>

export interface PmsTarget {
  readonly baseUrl: string | null
  /** The property at the PMS. */
  readonly property: string
  readonly credentials: Credentials | null
  readonly timeoutMs: number
}

export interface PmsDirectory {
  /** @throws PmsFailure when there is no such provider. */
  provider(name: string): Provider
  /** Whether the PMS that targets use by default answers; null when there is none. */
  reachable(): Promise<boolean | null>
}
