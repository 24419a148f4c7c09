import { sql } from 'kysely'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import type { TargetConnection } from '../channel-targets/queries.ts'
import type { Spent } from './budget.ts'

export interface TargetState extends TargetConnection {
  /** Whether another job speaks to the PMS. */
  taken: boolean
  failures: number
  opened_at: string | null
  /** Milliseconds until an open circuit may be probed; null when no probe is planned. */
  probe_in_ms: number | null
  budgets: Record<string, Spent>
  /** What the database's clock says, in milliseconds since 1970: budgets go by it, because all processes share it. */
  now: number
}

/** One that is told apart from those of processes, which may go wrong each in its own way. */
const databaseNow = sql<number>`extract(epoch from clock_timestamp())::float8 * 1000`

/** Takes the target alone until the transaction ends: changes that concern it wait, and what they wrote is seen. */
export async function lockTarget(
  transaction: Transaction,
  targetId: string,
  jobId: string,
): Promise<TargetState | undefined> {
  const { orgId } = transaction
  const [, , state] = await Promise.all([
    holdTarget(transaction, targetId),
    rows(
      transaction,
      sql`select 1 from target_syncs where org_id = ${orgId} and channel_target_id = ${targetId} for update`,
    ),
    first(
      transaction,
      sql<TargetState>`select t.id, t.account_id, t.name, t.config, t.credentials, t.status, t.version,
          coalesce(g.claimed_by <> ${jobId} and g.claimed_until > now(), false) as taken, g.failures, g.opened_at,
          extract(epoch from g.probe_at - clock_timestamp())::float8 * 1000 as probe_in_ms,
          coalesce(b.budgets, '{}') as budgets, ${databaseNow} as now
        from target_syncs g join channel_targets t on t.org_id = g.org_id and t.id = g.channel_target_id
        left join call_budgets b on b.org_id = t.org_id and b.key = t.budget_key
        where g.org_id = ${orgId} and g.channel_target_id = ${targetId}`,
    ),
  ])
  return state
}

export const lockRecord = (transaction: Transaction, targetId: string) =>
  rows(
    transaction,
    sql`select 1 from channel_targets where org_id = ${transaction.orgId} and id = ${targetId} for update`,
  )

/** Changes that concern the target wait until the transaction ends. */
export const holdTarget = (transaction: Transaction, targetId: string) =>
  rows(transaction, sql`select pg_advisory_xact_lock(target_lock(${targetId}))`)

export const takeTarget = (transaction: Transaction, targetId: string, jobId: string, leaseMs: number) =>
  rows(
    transaction,
    sql`update target_syncs set claimed_by = ${jobId}, waits_until = null,
        claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs} / 1000.0)
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId}`,
  )

/** Lets the target go, if this job had it; until when nothing can be sent is kept for those who look. */
export const releaseTarget = (transaction: Transaction, targetId: string, jobId: string, waitMs: number) =>
  rows(
    transaction,
    sql`update target_syncs set claimed_by = null, claimed_until = null, 
        waits_until = case when ${waitMs}::float8 > 0 then clock_timestamp() + make_interval(secs => ${waitMs}::float8 / 1000) end
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId}
        and (claimed_by = ${jobId} or claimed_by is null or claimed_until < now())`,
  )

/** Keeps how many calls in a row came to nothing; from `opensAt` on the circuit is open. */
export const noteFailures = (
  transaction: Transaction,
  targetId: string,
  failures: number,
  isOpen: boolean,
  probeMs: number,
) =>
  rows(
    transaction,
    sql`update target_syncs set failures = ${failures},
        opened_at = case when ${isOpen} then coalesce(opened_at, clock_timestamp()) end,
        probe_at = case when ${isOpen} then clock_timestamp() + make_interval(secs => ${probeMs} / 1000.0) end
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId}
        and (failures <> ${failures} or ${isOpen} or opened_at is not null)`,
  )

/** A person who asks for a sync does not wait for the next probe. */
export const probeNow = (transaction: Transaction, targetId: string) =>
  rows(
    transaction,
    sql`update target_syncs set probe_at = now()
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId} and probe_at > now()`,
  )

interface SharedBudgets {
  budgets: Record<string, Spent>
  now: number
}

/**
 * What was sent to the property or account of a target, by all targets that lead to it, and the time that it goes by,
 * once nobody else changes it.
 */
export async function lockSpent(transaction: Transaction, targetId: string): Promise<SharedBudgets> {
  const found = await findSpent(transaction, targetId)
  if (found) return found
  await addBudgets(transaction, targetId)
  return (await findSpent(transaction, targetId)) ?? { budgets: {}, now: Date.now() }
}

const findSpent = (transaction: Transaction, targetId: string) =>
  first(
    transaction,
    sql<SharedBudgets>`select b.budgets, ${databaseNow} as now
      from channel_targets t join call_budgets b on b.org_id = t.org_id and b.key = t.budget_key
      where t.org_id = ${transaction.orgId} and t.id = ${targetId} for update of b`,
  )

/** Of properties that no target leads to any more, nothing is kept for longer than the longest window of a budget. */
const addBudgets = (transaction: Transaction, targetId: string) =>
  rows(
    transaction,
    sql`with gone as (delete from call_budgets b
        where b.org_id = ${transaction.orgId} and b.used_at < now() - interval '2 days' and not exists (
          select 1 from channel_targets t where t.org_id = b.org_id and t.budget_key = b.key))
      insert into call_budgets (org_id, key) select org_id, budget_key from channel_targets
        where org_id = ${transaction.orgId} and id = ${targetId} on conflict do nothing`,
  )

export const keepSpent = (scope: Scope, targetId: string, kind: string, spent: Spent) =>
  rows(
    scope,
    sql`update call_budgets b set used_at = now(),
        budgets = jsonb_set(b.budgets, array[${kind}::text], ${JSON.stringify(spent)}::jsonb)
      from channel_targets t
      where t.org_id = ${scope.orgId} and t.id = ${targetId} and b.org_id = t.org_id and b.key = t.budget_key`,
  ).then(() => {})

/** When the next listing of the target is due, in milliseconds since 1970, and what time it is. Null when none waits. */
export async function nextDue(
  transaction: Transaction,
  targetId: string,
): Promise<{ due: number | null; now: number }> {
  const row = await first(
    transaction,
    sql<{ due: number | null; now: number }>`select extract(epoch from min(s.due_at))::float8 * 1000 as due,
        ${databaseNow} as now
      from listing_syncs s
      join channel_listings l on l.org_id = s.org_id and l.id = s.channel_listing_id
      where s.org_id = ${transaction.orgId} and s.channel_target_id = ${targetId} and s.is_open and s.status = 'pending'
        and l.status <> 'paused'`,
  )
  return row!
}

/**
 * Listings that are held (paused, or their target is off): an attempt that died is over, and no job waits for them,
 * so that whoever resumes them asks for one.
 */
export const freeHeld = (transaction: Transaction, targetId: string, jobId: string) =>
  rows(
    transaction,
    sql`update listing_syncs s set status = 'pending', claim = null, claimed_by = null, claimed_until = null,
        job_due_at = null
      from channel_listings l join channel_targets t on t.org_id = l.org_id and t.id = l.channel_target_id
      where s.org_id = ${transaction.orgId} and s.channel_target_id = ${targetId} and s.is_open
        and l.org_id = s.org_id and l.id = s.channel_listing_id and (l.status = 'paused' or t.status = 'inactive')
        and (s.status = 'pending' and s.job_due_at is not null
          or s.status = 'in_progress' and (s.claimed_by = ${jobId} or s.claimed_until < now()))`,
  )
