import { Type } from 'typebox'
import { Count, Id, Name, Timestamp, nullable, oneOf, word } from '#fields.ts'
import type { PmsDirectory } from '#outside/pms/pms.ts'
import { targetStatuses, type TargetConfig } from '../channel-targets/channel-target.ts'
import { nothingSpent, shownBudget, type Spent } from './budget.ts'
import { budgetsOf } from './gate.ts'

const Whole = Count(0, 2_147_483_647)

/** What the engine knows of one target: whether its PMS answers, how many calls it allows, and what waits. */
export const TargetSync = Type.Object(
  {
    channel_target_id: Id,
    name: Name,
    status: oneOf(...targetStatuses),
    circuit: Type.Object({
      state: oneOf('closed', 'open', 'half_open'),
      failures: Type.Unsafe<number>({ ...Whole, description: 'Calls in a row that came to nothing.' }),
      opened_at: nullable(Timestamp),
      next_probe_at: nullable(Timestamp),
    }),
    budgets: Type.Array(
      Type.Object({
        kind: word(64),
        limit: Whole,
        window_seconds: Whole,
        remaining: Whole,
        next_call_at: nullable(Timestamp),
      }),
      { maxItems: 16, description: 'One for each kind of call that the PMS limits.' },
    ),
    queue: Type.Object({
      waiting: Whole,
      in_progress: Whole,
      failed: Whole,
      paused: Type.Unsafe<number>({
        ...Whole,
        description: 'Listings for which nothing is sent, because they or the target are switched off.',
      }),
      stale: Whole,
      oldest_change_at: nullable(Timestamp),
      expected_at: Type.Unsafe<string | null>({
        ...nullable(Timestamp),
        description:
          'When all that waits may have gone out; in the past when nothing but a worker is awaited.',
      }),
    }),
    reconciled_at: nullable(Timestamp),
    reconcile_at: Type.Unsafe<string>({
      ...Timestamp,
      description: 'When everything is read back next, or pushed anew where `full_sync_cron` says so.',
    }),
  },
  { title: 'SyncTarget' },
)

export interface TargetRow {
  id: string
  name: string
  status: string
  config: TargetConfig
  failures: number
  opened_at: string | null
  probe_at: string | null
  waits_until: string | null
  budgets: Record<string, Spent>
  waiting: number
  in_progress: number
  failed: number
  paused: number
  stale: number
  oldest_change_at: string | null
  last_due_at: string | null
  reconciled_at: string | null
  reconcile_at: string
  /** The database's clock, by which budgets go. */
  now: number
}

export function shownTarget(pms: PmsDirectory, row: TargetRow) {
  const { now } = row
  const provider = pms.provider(row.config.provider ?? 'sandbox')
  const budgets = budgetsOf(provider.budgets, row.config).map((budget) =>
    shownBudget(budget, row.budgets[budget.kind] ?? nothingSpent, now),
  )
  const { waiting, in_progress, failed, paused, stale, oldest_change_at } = row
  return {
    channel_target_id: row.id,
    name: row.name,
    status: row.status,
    circuit: {
      state: circuitState(row, now),
      failures: row.failures,
      opened_at: row.opened_at,
      next_probe_at: row.opened_at && row.probe_at,
    },
    budgets,
    queue: {
      ...{ waiting, in_progress, failed, paused, stale, oldest_change_at },
      expected_at: waiting > 0 ? latest(row.last_due_at, callsFrom(row, budgets)) : null,
    },
    reconciled_at: row.reconciled_at,
    reconcile_at: row.reconcile_at,
  }
}

/** Once its next probe is due, an open circuit is about to be tried, or is being tried. */
function circuitState({ opened_at, probe_at }: TargetRow, now: number) {
  if (!opened_at) return 'closed'
  return probe_at && Date.parse(probe_at) > now ? 'open' : 'half_open'
}

/** From when on calls are let through; a push begins with the first kind of call that is allowed. */
function callsFrom(
  { opened_at, probe_at, waits_until }: TargetRow,
  budgets: readonly { next_call_at: string | null }[],
): string | null {
  const times = budgets.map(({ next_call_at }) => next_call_at)
  const first = times.includes(null) ? null : (times.sort()[0] ?? null)
  return latest(first, waits_until, opened_at && probe_at)
}

/** Times in the one form that we write sort as texts. */
const latest = (...times: (string | null)[]) =>
  times
    .filter((time) => time !== null)
    .sort()
    .at(-1) ?? null
