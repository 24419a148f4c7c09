import type { Actor } from '#db/scope.ts'
import type { NotNull } from '#db/sql.ts'
import type {
  UpdateResult,
  PlanLink,
  RateRange,
  RefusedGroups,
  AvailabilityRange,
} from '#integrations/pms/pms.ts'
import type { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { UnitContent } from '#integrations/pms/pms-content.ts'
import type {
  CalendarGrid,
  CalendarRuns,
  StoredMonth,
} from '#features/distribution/sync/diff/calendar-grid.ts'
import type { Change, Difference } from '#features/distribution/sync/diff/content.ts'
import type { DesiredUnit } from '#features/distribution/sync/diff/desired-calendar.ts'

/** A listing that was claimed for one attempt. */
export interface Claim {
  listing_id: string
  listing_status: string
  claim: NotNull<string>
  account_id: string
  unit_id: string
  external_id: string | null
  rate_plans: { rate_plan_id: string; external_id: string }[]
  attempts: number
  wanted_version: number
  mode: 'delta' | 'full'
  trigger: string
  /** Whether the PMS is read first, instead of trusting the stored values. */
  reading_back: boolean
  requested_by: Actor
  traceparent: string | null
  /**
   * The content that the PMS accepted last, as JSON text: a single value is cheaper to keep in memory while it waits.
   */
  accepted: string | null
  /** Content fields that an earlier attempt sent without learning the result; `*` is all of them. */
  unconfirmed_fields: string[]
  /** The nights that an earlier attempt sent without learning the result, or that the PMS may have changed itself. */
  unconfirmed_ranges: UnconfirmedRanges | null
  /** The progress of the search for refused units. */
  refused_groups: RefusedGroups | null
  /** The local nights that may differ, without past ones; null when there are none. */
  first_night: string | null
  last_night: string | null
  started_at: NotNull<string>
}

/** Values that the PMS may have otherwise; null instead of ranges stands for all nights of the period. */
export interface UnconfirmedRanges {
  date_from: string
  date_to: string
  rooms: AvailabilityRange[] | null
  rates: RateRange[] | null
}

/** A planned push: the desired values, the values at the PMS as far as known, and the differences to send. */
export interface Push {
  readonly claim: Claim
  readonly unit: DesiredUnit
  readonly content: UnitContent
  readonly links: readonly PlanLink[]
  readonly changes: readonly Change[]
  readonly desired: CalendarGrid
  readonly known: CalendarGrid
  readonly months: ReadonlyMap<string, StoredMonth>
  readonly runs: CalendarRuns
  /** Why it cannot be planned: then nothing is sent. */
  readonly failure?: PmsFailure
}

/** The result of one push. */
export interface PushResult {
  readonly push: Push
  readonly action: 'sync.completed' | 'sync.skipped' | 'sync.verified' | 'sync.repaired'
  readonly update: UpdateResult
  /** The differences that a read-back found; null when the PMS was not read. */
  readonly differences: readonly Difference[] | null
}
