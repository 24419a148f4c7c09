import { sql, type Fragment } from '#db/sql.ts'
import { atomically, first, rows, type Actor, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound, semanticError, unknownReference } from '#errors.ts'
import { filterClause, pageClause, sortColumn, type PageRequest } from '#db/paging.ts'
import { assertVersion, type ExpectedVersion, type ListedRecord, type StoredRecord } from '#db/records.ts'
import { addAuditEntries } from '#features/distribution/audit/queries.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import { notifyChanges } from '#features/messaging/events/changed-records.ts'
import type { SalesStopInput } from './sales-stop.ts'

const filterColumns = ['org_id', 'account_id', 'space_id', 'unit_id', 'channel_target_id']

export function listSalesStops(scope: Scope, { lifted, ...filter }: { lifted?: boolean }, page: PageRequest) {
  const state = lifted === undefined ? sql`` : sql` and (stop.lifted_at is not null) = ${lifted}`
  return rows(
    scope,
    sql<ListedRecord>`
      select stop.id, stop.json, ${sortColumn('stop', page)} as sort_value
      from sales_stops stop
      where stop.org_id = ${scope.orgId}${state}
        ${filterClause('stop', filter, filterColumns)}${pageClause('stop', page)}`,
  )
}

export async function findSalesStop(scope: Scope, id: string): Promise<StoredRecord> {
  const found = await first(
    scope,
    sql<StoredRecord>`select json, version from sales_stops where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('sales stop', id)
  return found
}

/** Stops sales of the space or unit, at one target or everywhere. Without any of them all sales stop. @throws Invalid */
export const stopSales = (scope: Scope, input: SalesStopInput): Promise<StoredRecord & { id: string }> =>
  atomically(scope, async (transaction) => {
    if (input.space_id && input.unit_id)
      throw semanticError('unit_id', 'Name a unit or its whole space, not both.')
    const { reason = null, ...ids } = input
    const subject = { space_id: null, unit_id: null, channel_target_id: null, ...ids }
    const account_id = await lockSubject(transaction, subject)
    const [row] = await rows(
      transaction,
      sql<StoredRecord & { id: string }>`
        insert into sales_stops (org_id, account_id, space_id, unit_id, channel_target_id, reason, stopped_by)
        values (${scope.orgId}, ${account_id}, ${subject.space_id}, ${subject.unit_id}, ${subject.channel_target_id},
          ${reason}, ${JSON.stringify(transaction.actor satisfies Actor)})
        returning id, json, version`,
    )
    await recordStopChange(transaction, 'sales.stopped', { ...subject, account_id, reason })
    return row!
  })

/** Lifts a stop: the calendar decides again. @throws PreconditionFailed, NotFound also when the stop is lifted already */
export const resumeSales = (scope: Scope, id: string, expected: ExpectedVersion): Promise<void> =>
  atomically(scope, async (transaction) => {
    const stop = await first(
      transaction,
      sql<
        SalesStopSubject & { version: number }
      >`select space_id, unit_id, channel_target_id, account_id, reason, version
        from sales_stops where org_id = ${scope.orgId} and id = ${id} and lifted_at is null for update`,
    )
    if (!stop) throw new NotFound('sales stop', id)
    assertVersion(expected, stop.version)
    await rows(
      transaction,
      sql`
        update sales_stops
        set lifted_at = now(), lifted_by = ${JSON.stringify(transaction.actor)}, version = version + 1
        where org_id = ${scope.orgId} and id = ${id}`,
    )
    await recordStopChange(transaction, 'sales.resumed', stop)
  })

interface SalesStopSubject {
  space_id: string | null
  unit_id: string | null
  channel_target_id: string | null
  account_id: string | null
  reason: string | null
}

/** Locks the records of a stop against deletion. Returns their account, null when the stop is for everything. @throws Invalid */
async function lockSubject(
  transaction: Transaction,
  subject: Omit<SalesStopSubject, 'account_id' | 'reason'>,
): Promise<string | null> {
  const references = [
    ['channel_target_id', 'channel target', 'channel_targets'],
    ['space_id', 'space', 'spaces'],
    ['unit_id', 'unit', 'units'],
  ] as const
  let accountId: string | null = null
  for (const [member, thing, table] of references) {
    if (subject[member] === null) continue
    const notDeleted = member === 'channel_target_id' ? sql`` : sql` and deleted_at is null`
    const found = await first(
      transaction,
      sql<{ account_id: string }>`
        select account_id
        from ${sql.ref(table)}
        where org_id = ${transaction.orgId} and id = ${subject[member]}${notDeleted}
        for key share`,
    )
    if (!found) throw unknownReference(member, thing)
    accountId = found.account_id
  }
  return accountId
}

/** Requests a sync of the listings, and records in their history who stopped or resumed sales. */
async function recordStopChange(
  transaction: Transaction,
  action: 'sales.stopped' | 'sales.resumed',
  subject: SalesStopSubject,
) {
  const { space_id, unit_id, channel_target_id, account_id, reason } = subject
  const change = { space_id, unit_id, channel_target_id, reason }
  addAuditEntries(transaction, [
    {
      account_id,
      ...(unit_id && { unit_id }),
      ...(channel_target_id && { channel_target_id }),
      action,
      trigger: 'change',
      changes: [
        action === 'sales.stopped'
          ? { field: 'sales_stop', before: null, after: change }
          : { field: 'sales_stop', before: change, after: null },
      ],
    },
  ])
  notifyChanges(transaction, { sales_stop: null })
  await requestSync(transaction, { ...selectionOf(subject), nights: 'all' }, 'change')
}

function selectionOf({ unit_id, space_id, channel_target_id }: SalesStopSubject) {
  if (unit_id) return { unitId: unit_id }
  if (space_id) return { spaceId: space_id }
  return channel_target_id ? { targetId: channel_target_id } : { everything: true as const }
}

/** How many listings have received a stop or, after it was lifted, its end. @throws NotFound */
export async function findReach(scope: Scope, id: string): Promise<object> {
  const found = await first(
    scope,
    sql<{ reach: object }>`
      select (${reachOf(scope)}) as reach
      from sales_stops stop
      where stop.org_id = ${scope.orgId}
        and stop.id = ${id}`,
  )
  if (!found) throw new NotFound('sales stop', id)
  return found.reach
}

/** What a stop would cover; nothing is pushed yet. */
export async function previewReach(scope: Scope, subject: Omit<SalesStopInput, 'reason'>): Promise<object> {
  const { space_id = null, unit_id = null, channel_target_id = null } = subject
  const row = await first(
    scope,
    sql<{ reach: object }>`
      select (${reachOf(scope)}) as reach
      from (
        select
          null::uuid as id,
          ${space_id}::uuid as space_id,
          ${unit_id}::uuid as unit_id,
          ${channel_target_id}::uuid as channel_target_id,
          now() as created_at,
          null::timestamptz as lifted_at
      ) stop`,
  )
  return row!.reach
}

/**
 * An SQL expression for the row `stop`. A listing whose oldest unsent change is younger than the stop has received it. A PMS
 * may accept a push and then not apply it, so a failed listing has received only what was verified.
 */
const reachOf = ({ orgId }: Scope): Fragment => sql`
  with covered as (
    select unit.id, unit.space_id
    from units unit
    where unit.org_id = ${orgId}
      and unit.deleted_at is null
      and coalesce(stop.space_id, unit.space_id) = unit.space_id
      and coalesce(stop.unit_id, unit.id) = unit.id
      and (
        stop.channel_target_id is null
        or exists (
          select 1
          from channel_listings sold
          where sold.org_id = unit.org_id
            and sold.unit_id = unit.id
            and sold.channel_target_id = stop.channel_target_id
        )
      )
  ),
  listed as (
    select
      listing.status = 'paused' or target.status = 'inactive' as is_paused,
      coalesce(
        least(sync.behind_since, case when sync.status = 'failed' then coalesce(sync.verified_at, '-infinity') end)
          > coalesce(stop.lifted_at, stop.created_at), true) as is_told,
      sync.error_code is not null and sync.status <> 'completed' as is_failing
    from channel_listings listing
    join covered
      on covered.id = listing.unit_id
    join channel_targets target
      on target.org_id = listing.org_id
      and target.id = listing.channel_target_id
    join listing_syncs sync
      on sync.org_id = listing.org_id
      and sync.channel_listing_id = listing.id
    where listing.org_id = ${orgId}
      and coalesce(stop.channel_target_id, listing.channel_target_id) = listing.channel_target_id
  ),
  pushed as (
    select is_told, is_failing
    from listed
    where not is_paused
  )
  select json_build_object(
    'units', (select count(*) from covered),
    'stopped_otherwise', (
      select count(*)
      from covered
      where exists (
        select 1
        from sales_stops other
        where other.org_id = ${orgId}
          and other.lifted_at is null
          and other.id is distinct from stop.id
          and (other.channel_target_id is null or other.channel_target_id = stop.channel_target_id)
          and coalesce(other.space_id, covered.space_id) = covered.space_id
          and coalesce(other.unit_id, covered.id) = covered.id
      )
    ),
    'listings', (select count(*) from pushed),
    'reached', (select count(*) from pushed where is_told),
    'failing', (select count(*) from pushed where is_failing and not is_told),
    'paused', (select count(*) from listed where is_paused)
  )`
