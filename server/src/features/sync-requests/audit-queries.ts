import { sql } from 'kysely'
import { rows, type Actor, type Scope, type Transaction } from '#db/scope.ts'
import { filters, pageClause, type PageRequest } from '#http/paging.ts'
import type { Listed } from '#http/replies.ts'

/** One step of a push or of a link, for good. */
export interface AuditEntry {
  /** Given when the caller must know the entry by it. */
  id?: string
  account_id: string | null
  channel_listing_id?: string
  channel_target_id?: string
  unit_id?: string
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
  /** The nights that were pushed. */
  calendar?: object | null
  trace_id: string | null
}

/** Adds to the history, in one statement. */
export const addAuditEntries = (transaction: Transaction, entries: AuditEntry[]) =>
  rows(
    transaction,
    sql`insert into sync_audit (id, org_id, account_id, channel_listing_id, channel_target_id, unit_id, job_id, action, status,
        mode, trigger, attempt, max_attempts, actor, changes, request, response, error, started_at, finished_at,
        next_attempt_at, calendar, trace_id)
      select coalesce(id, gen_random_uuid()), ${transaction.orgId}, coalesce(account_id, ${transaction.accountId}::uuid), channel_listing_id, channel_target_id, unit_id, job_id, action, status,
        mode, trigger, attempt, max_attempts, actor, coalesce(changes, '[]'), request, response, error, started_at,
        finished_at, next_attempt_at, calendar, trace_id
      from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as e (id uuid, account_id uuid, channel_listing_id uuid,
        channel_target_id uuid, unit_id uuid, job_id uuid, action text, status text, mode text, trigger text,
        attempt integer, max_attempts integer, actor jsonb, changes jsonb, request jsonb, response jsonb, error jsonb,
        started_at timestamptz, finished_at timestamptz, next_attempt_at timestamptz, calendar jsonb,
        trace_id text)`,
  )

const auditFilters = [
  'org_id',
  'account_id',
  'channel_listing_id',
  'channel_target_id',
  'unit_id',
  'job_id',
  'status',
  'action',
  'trigger',
]

export interface AuditFilter {
  from?: string
  to?: string
}

export const listAudit = (scope: Scope, { from, to, ...filter }: AuditFilter, page: PageRequest) =>
  rows(
    scope,
    sql<Listed>`select a.id, a.created_at as sort_value, row_to_json(e)::text as json from sync_audit a,
      lateral (select a.id, a.org_id, a.account_id, a.channel_listing_id, a.channel_target_id, a.unit_id, a.job_id,
        a.action, a.status, a.mode, a.trigger, a.attempt, a.max_attempts, a.actor, a.changes, a.request, a.response,
        a.error, iso(a.started_at) as started_at, iso(a.finished_at) as finished_at,
        round(extract(epoch from a.finished_at - a.started_at) * 1000)::int as duration_ms,
        iso(a.next_attempt_at) as next_attempt_at, a.calendar, a.trace_id, iso(a.created_at) as created_at) e
      where a.org_id = ${scope.orgId}${filters('a', filter, auditFilters)}
        and (${from ?? null}::timestamptz is null or a.created_at >= ${from ?? null}::timestamptz)
        and (${to ?? null}::timestamptz is null or a.created_at < ${to ?? null}::timestamptz)${pageClause('a', page)}`,
  )
