import { sql } from '#db/sql.ts'
import { deferToCommit, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import type { TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import type { CallHistory } from './call-budget.ts'

export interface TargetState extends TargetConnection {
  /** Whether another job has claimed the target. */
  taken: boolean
  failures: number
  opened_at: string | null
  /** Milliseconds until an open circuit may be probed; null when no probe is planned. */
  probe_in_ms: number | null
  budgets: Record<string, CallHistory>
  /** The time of the database in milliseconds since 1970. Budgets use it, because all processes share it. */
  now: number
}

/** The clocks of the processes may differ. */
const databaseNow = sql<number>`extract(epoch from clock_timestamp())::float8 * 1000`

/** Locks the target until the transaction ends: changes of the target wait, and earlier changes are visible. */
export async function lockTarget(
  transaction: Transaction,
  targetId: string,
  jobId: string,
): Promise<TargetState | undefined> {
  const { orgId } = transaction
  const [, , state] = await Promise.all([
    blockChanges(transaction, targetId),
    rows(
      transaction,
      sql`select 1 from target_syncs where org_id = ${orgId} and channel_target_id = ${targetId} for update`,
    ),
    first(
      transaction,
      sql<TargetState>`
        select target.id, target.account_id, target.name, target.config, target.credentials, target.status,
          target.version,
          coalesce(sync.claimed_by <> ${jobId} and sync.claimed_until > now(), false) as taken,
          sync.failures, sync.opened_at,
          extract(epoch from sync.probe_at - clock_timestamp())::float8 * 1000 as probe_in_ms,
          coalesce(budget.budgets, '{}') as budgets, ${databaseNow} as now
        from target_syncs sync
        join channel_targets target on target.org_id = sync.org_id and target.id = sync.channel_target_id
        left join call_budgets budget on budget.org_id = target.org_id and budget.key = target.budget_key
        where sync.org_id = ${orgId} and sync.channel_target_id = ${targetId}`,
    ),
  ])
  return state
}

export const lockTargetRecord = (transaction: Transaction, targetId: string) =>
  rows(
    transaction,
    sql`select 1 from channel_targets where org_id = ${transaction.orgId} and id = ${targetId} for update`,
  )

/** Changes of the target wait until the transaction ends. */
export const blockChanges = (transaction: Transaction, targetId: string) =>
  rows(transaction, sql`select pg_advisory_xact_lock(target_lock(${targetId}))`)

/** Keeps workers from claiming listings of the target until the transaction ends, as changes do. */
export const blockClaims = (transaction: Transaction, targetId: string) =>
  rows(transaction, sql`select pg_advisory_xact_lock_shared(target_lock(${targetId}))`)

/** With the commit, so that changes wait for one packet less. */
export const claimTarget = (transaction: Transaction, targetId: string, jobId: string, leaseMs: number) =>
  deferToCommit(
    transaction,
    sql`
      update target_syncs
      set claimed_by = ${jobId},
        waits_until = null,
        claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs} / 1000.0)
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId}`,
  )

/** Releases the target if this job has claimed it. Stores until when no call can be made, for the status. */
export const releaseTarget = (transaction: Transaction, targetId: string, jobId: string, waitMs: number) =>
  rows(
    transaction,
    sql`
      update target_syncs
      set claimed_by = null,
        claimed_until = null,
        waits_until = case
          when ${waitMs}::float8 > 0 then clock_timestamp() + make_interval(secs => ${waitMs}::float8 / 1000)
        end
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId}
        and (claimed_by = ${jobId} or claimed_by is null or claimed_until < now())`,
  )

/** Saves the number of consecutive failed calls, and opens or closes the circuit. */
export const saveFailures = (
  transaction: Transaction,
  targetId: string,
  failures: number,
  isOpen: boolean,
  probeMs: number,
) =>
  rows(
    transaction,
    sql`
      update target_syncs
      set failures = ${failures},
        opened_at = case when ${isOpen} then coalesce(opened_at, clock_timestamp()) end,
        probe_at = case when ${isOpen} then clock_timestamp() + make_interval(secs => ${probeMs} / 1000.0) end
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId}
        and (failures <> ${failures} or ${isOpen} or opened_at is not null)`,
  )

/** Makes the next probes due, for a sync that a user requested. */
export const probeNow = (transaction: Transaction, targetIds: readonly string[]) =>
  rows(
    transaction,
    sql`
      with waiting as (
        select channel_target_id
        from target_syncs
        where org_id = ${transaction.orgId}
          and channel_target_id = any(${targetIds}::uuid[])
          and probe_at > now()
        order by channel_target_id
        for update)
      update target_syncs target
      set probe_at = now()
      from waiting
      where target.org_id = ${transaction.orgId}
        and target.channel_target_id = waiting.channel_target_id`,
  )

interface SharedBudgets {
  budgets: Record<string, CallHistory>
  now: number
}

/** Locks and returns the calls to the property or account of a target, by all targets of it, and the time. */
export async function lockCallHistory(transaction: Transaction, targetId: string): Promise<SharedBudgets> {
  const history = await findCallHistory(transaction, targetId)
  if (history) return history
  await addBudgets(transaction, targetId)
  return (await findCallHistory(transaction, targetId)) ?? { budgets: {}, now: Date.now() }
}

const findCallHistory = (transaction: Transaction, targetId: string) =>
  first(
    transaction,
    sql<SharedBudgets>`
      select budget.budgets, ${databaseNow} as now
      from channel_targets target
      join call_budgets budget on budget.org_id = target.org_id and budget.key = target.budget_key
      where target.org_id = ${transaction.orgId} and target.id = ${targetId}
      for update of budget`,
  )

/** Adds the row of a target, and deletes rows without a target that are older than the longest window of a budget. */
const addBudgets = (transaction: Transaction, targetId: string) =>
  rows(
    transaction,
    sql`
      with deleted as (
        delete from call_budgets budget
        where budget.org_id = ${transaction.orgId}
          and budget.used_at < now() - interval '2 days'
          and not exists (
            select 1
            from channel_targets target
            where target.org_id = budget.org_id and target.budget_key = budget.key
          )
      )
      insert into call_budgets (org_id, key)
      select org_id, budget_key
      from channel_targets
      where org_id = ${transaction.orgId} and id = ${targetId}
      on conflict do nothing`,
  )

export const saveCallHistory = (scope: Scope, targetId: string, kind: string, history: CallHistory) =>
  rows(
    scope,
    sql`
      update call_budgets budget
      set used_at = now(),
        budgets = jsonb_set(budget.budgets, array[${kind}::text], ${JSON.stringify(history)}::jsonb)
      from channel_targets target
      where target.org_id = ${scope.orgId} and target.id = ${targetId}
        and budget.org_id = target.org_id and budget.key = target.budget_key`,
  ).then(() => {})

/** When the next listing of the target is due, null when none is pending, and the time, in milliseconds since 1970. */
export async function nextDue(
  transaction: Transaction,
  targetId: string,
): Promise<{ due: number | null; now: number }> {
  const row = await first(
    transaction,
    sql<{ due: number | null; now: number }>`
      select extract(epoch from min(sync.due_at))::float8 * 1000 as due, ${databaseNow} as now
      from listing_syncs sync
      join channel_listings listing on listing.org_id = sync.org_id and listing.id = sync.channel_listing_id
      where sync.org_id = ${transaction.orgId}
        and sync.channel_target_id = ${targetId}
        and sync.is_open
        and sync.status = 'pending'
        and listing.status <> 'paused'`,
  )
  return row!
}
