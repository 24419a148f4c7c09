import type { NotNull } from '#db/sql.ts'
import type { ListingProgress } from './sync-ranges.ts'

/**
 * Values of few nights, by the number of the night. What most nights have is a list beside `nights`: PostgreSQL makes
 * JSON of a column in half the time that a row of all values takes.
 */
export type ByNight<Value> = Readonly<Record<number, Value>>

/** The nights on which rooms of a unit are booked or blocked, in order. */
interface TakenNights {
  readonly nights: readonly number[]
  readonly booked: readonly number[]
  readonly blocked: ByNight<number> | null
  /** Of blocks. */
  readonly reasons: ByNight<string | null> | null
}

/** The nights of a plan that have values of their own, in order. */
export interface DecidedNights {
  readonly nights: readonly number[]
  readonly price_cents: readonly (number | null)[]
  readonly min_stay_arrival: ByNight<number> | null
  readonly min_stay_through: ByNight<number> | null
  readonly max_stay: ByNight<number> | null
  readonly closed_to_arrival: ByNight<boolean> | null
  readonly closed_to_departure: ByNight<boolean> | null
  readonly stop_sell: ByNight<boolean> | null
}

export interface TileRow {
  /** Null in the only row when no unit is found. */
  readonly unit_id: string | null
  readonly name: NotNull<string>
  readonly status: NotNull<string>
  readonly space_id: NotNull<string>
  readonly space_name: NotNull<string>
  /** What the page is sorted by. */
  readonly name_order: NotNull<string>
  readonly space_order: NotNull<string>
  readonly quantity: NotNull<number>
  readonly base_price_cents: number
  readonly currency: NotNull<string>
  /** Whether unit and space are active. */
  readonly is_open: NotNull<boolean>
  readonly stopped: NotNull<boolean>
  readonly taken: TakenNights | null
  readonly plans: readonly {
    readonly id: string
    readonly active: boolean
    readonly decided: DecidedNights | null
  }[]
  /** As JSON text, as the API returns them. */
  readonly bookings: string
  readonly holds: string
  readonly conflicts: string
  /** The numbers of the first and last night that a PMS is kept up to date for. */
  readonly first_synced_night: NotNull<number>
  readonly last_synced_night: number
  readonly listings: readonly ListingProgress[]
}
