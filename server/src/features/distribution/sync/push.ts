import type { Actor } from '#db/scope.ts'
import type { NotNull } from '#db/statements.ts'
import type {
  UpdateResult,
  PlanLink,
  RateRange,
  RefusedGroups,
  AvailabilityRange,
  UnitContent,
} from '#integrations/pms/pms.ts'
import type { CalendarGrid, CalendarRuns } from './diff/calendar-grid.ts'
import type { StoredMonth } from './diff/calendar-months.ts'
import type { Change } from './diff/content.ts'
import type { DesiredUnit } from './diff/desired-queries.ts'
import type { Difference } from './diff/drift.ts'

/** One listing taken for one attempt. */
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
  /** Whether the PMS is to be believed rather than our memory of it. */
  reading_back: boolean
  requested_by: Actor
  traceparent: string | null
  /** The content that the PMS took last, as JSON: in that form it waits for its turn, and for the collector, as one thing. */
  accepted: string | null
  /** Fields of the content that an earlier attempt sent and that nobody knows the fate of; `*` is all of them. */
  unconfirmed_fields: string[]
  /** The nights of which an earlier attempt did not learn what became of them. */
  unconfirmed_ranges: UnconfirmedRanges | null
  /** How far a refused message was searched. */
  refused_groups: RefusedGroups | null
  /** The local nights that may differ; null when none does. Never one that is past. */
  first_night: string | null
  last_night: string | null
  started_at: NotNull<string>
}

/** What was sent and did not come back with an answer; null instead of runs when they were too many to keep. */
export interface UnconfirmedRanges {
  date_from: string
  date_to: string
  rooms: AvailabilityRange[] | null
  rates: RateRange[] | null
}

/** One listing on its way: what is wanted, what the PMS has as far as we know, and what must be said. */
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
}

/** What became of one push. */
export interface PushResult {
  readonly push: Push
  readonly action: 'sync.completed' | 'sync.skipped' | 'sync.verified' | 'sync.repaired'
  readonly update: UpdateResult
  /** What a look at the PMS found; null when nobody looked. */
  readonly differences: readonly Difference[] | null
}
