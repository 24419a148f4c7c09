import { sql, type RawBuilder } from 'kysely'
import { rows, type Actor, type Transaction } from '#db/scope.ts'

/** Which listings a change concerns. */
export type Concern = { unitId: string } | { spaceId: string } | { targetId: string } | { listingId: string }

export type SyncTrigger = 'manual' | 'change' | 'schedule' | 'webhook' | 'reconcile' | 'retry'

/** Never wait longer than this for quiet, however often something changes. */
export const longestWaitMs = 10_000
export const defaultDebounceMs = 2_000

export interface Requested {
  channel_listing_id: string
  due_at: string
  /** Nothing is pushed for a paused listing or an inactive target; the change waits. */
  held: boolean
  coalesced: boolean
  now: boolean
}

/**
 * Marks the listings as wanting a push. The row lock taken here is what makes coalescing safe: a worker that
 * is about to claim a listing waits for this transaction and then reads what it wrote.
 *
 * The first change after quiet is due at once; changes that follow within the debounce wait until it is
 * quiet again, but never longer than ten seconds after the first of them. A waiting retry keeps its time,
 * unless a person asks.
 */
export const markWanted = (
  transaction: Transaction,
  concern: Concern,
  trigger: SyncTrigger,
  mode: 'delta' | 'full',
): Promise<Requested[]> =>
  rows(
    transaction,
    sql<Requested>`
      with concerned as (
        select s.channel_listing_id, s.status = 'pending' or s.status = 'in_progress' as busy,
          l.status = 'paused' or t.status = 'inactive' as held,
          make_interval(secs => coalesce((t.config ->> 'debounce_ms')::int, ${defaultDebounceMs}) / 1000.0) as debounce
        from listing_syncs s
        join channel_listings l on l.org_id = s.org_id and l.id = s.channel_listing_id
        join channel_targets t on t.org_id = s.org_id and t.id = s.channel_target_id
        where s.org_id = ${transaction.orgId} and ${concerned(transaction, concern)}
        order by s.channel_listing_id
        for update of s)
      update listing_syncs s set
        status = case when s.status = 'in_progress' then s.status else 'pending' end,
        attempts = case when s.status in ('completed', 'failed') or ${trigger} = 'manual' then 0 else s.attempts end,
        wanted_version = s.wanted_version + 1,
        mode = case when ${mode} = 'full' then 'full' else s.mode end,
        trigger = ${trigger},
        requested_by = ${JSON.stringify(transaction.actor)}::jsonb,
        traceparent = ${transaction.traceparent},
        pending_since = coalesce(s.pending_since, now()),
        next_attempt_at = case when ${trigger} = 'manual' then null else s.next_attempt_at end,
        due_at = case
          when ${trigger} = 'manual' then now()
          when s.next_attempt_at > now() then s.next_attempt_at
          when s.pushed_at is null or s.pushed_at <= now() - c.debounce
            then case when s.status = 'pending' then least(s.due_at, now()) else now() end
          else least(now() + c.debounce, coalesce(s.pending_since, now()) + make_interval(secs => ${longestWaitMs} / 1000.0))
        end,
        changed_at = now()
      from concerned c
      where s.org_id = ${transaction.orgId} and s.channel_listing_id = c.channel_listing_id
      returning s.channel_listing_id, s.due_at, c.held, c.busy as coalesced, s.due_at <= now() as now`,
  )

function concerned({ orgId }: Transaction, concern: Concern): RawBuilder<unknown> {
  if ('listingId' in concern) return sql`s.channel_listing_id = ${concern.listingId}`
  if ('unitId' in concern) return sql`s.unit_id = ${concern.unitId}`
  if ('targetId' in concern) return sql`s.channel_target_id = ${concern.targetId}`
  return sql`s.unit_id in (select id from units where org_id = ${orgId} and space_id = ${concern.spaceId})`
}

export interface AuditEntry {
  account_id: string
  channel_listing_id: string
  channel_target_id: string
  unit_id: string
  job_id?: string | null
  action: string
  status?: string
  mode?: string
  trigger?: string
  attempt?: number
  max_attempts?: number
  actor: Actor
  changes?: { field: string; before: unknown; after: unknown }[]
  request?: object | null
  response?: object | null
  error?: object | null
  started_at?: string
  finished_at?: string
  next_attempt_at?: string | null
  trace_id: string | null
}

/** Adds to the history, in one statement. */
export const addAuditEntries = (transaction: Transaction, entries: AuditEntry[]) =>
  rows(
    transaction,
    sql`insert into sync_audit (org_id, account_id, channel_listing_id, channel_target_id, unit_id, job_id, action, status,
        mode, trigger, attempt, max_attempts, actor, changes, request, response, error, started_at, finished_at,
        next_attempt_at, trace_id)
      select ${transaction.orgId}, account_id, channel_listing_id, channel_target_id, unit_id, job_id, action, status,
        mode, trigger, attempt, max_attempts, actor, coalesce(changes, '[]'), request, response, error, started_at,
        finished_at, next_attempt_at, trace_id
      from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as e (account_id uuid, channel_listing_id uuid,
        channel_target_id uuid, unit_id uuid, job_id uuid, action text, status text, mode text, trigger text,
        attempt integer, max_attempts integer, actor jsonb, changes jsonb, request jsonb, response jsonb, error jsonb,
        started_at timestamptz, finished_at timestamptz, next_attempt_at timestamptz, trace_id text)`,
  )
