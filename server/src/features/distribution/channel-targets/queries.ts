import { sql } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { filterClause, pageClause, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import type { TargetConfig, TargetStatus } from './channel-target.ts'
import { recordTargetEvent } from './record-target-event.ts'

const filterColumns = ['org_id', 'account_id', 'status', 'channel_type']

export const listTargets = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<ListedRecord>`
      select target.id, target.json, ${sortColumn('target', page)} as sort_value
      from channel_targets target
      where target.org_id = ${scope.orgId}
        ${filterClause('target', filter, filterColumns)}
      ${pageClause('target', page)}`,
  )

export async function findTarget(scope: Scope, id: string): Promise<StoredRecord> {
  const target = await first(
    scope,
    sql<StoredRecord>`
      select json, version
      from channel_targets
      where org_id = ${scope.orgId}
        and id = ${id}`,
  )
  if (!target) throw new NotFound('channel target', id)
  return target
}

export interface LockedTarget {
  version: number
  account_id: string
  name: string
  config: TargetConfig
  status: TargetStatus
  /** The encrypted credentials. */
  sealed: Buffer | null
}

export async function lockTarget(transaction: Transaction, id: string): Promise<LockedTarget> {
  const target = await first(
    transaction,
    sql<LockedTarget>`
      select version, account_id, name, config, status, credentials as sealed
      from channel_targets
      where org_id = ${transaction.orgId}
        and id = ${id}
      for update`,
  )
  if (!target) throw new NotFound('channel target', id)
  return target
}

/** What a worker needs to call the PMS of a target. */
export interface TargetConnection {
  id: string
  account_id: string
  name: string
  config: TargetConfig
  credentials: Buffer | null
  status: TargetStatus
  version: number
}

export const getTargetConnection = (scope: Scope, id: string): Promise<TargetConnection | undefined> =>
  first(
    scope,
    sql<TargetConnection>`
      select id, account_id, name, config, credentials, status, version
      from channel_targets
      where org_id = ${scope.orgId}
        and id = ${id}`,
  )

/**
 * Records the result of a health check. A paused target stays paused, and a target that was changed during the check is
 * skipped, because another check follows. Returns the previous status.
 */
export async function recordHealthCheck(
  transaction: Transaction,
  { id, version }: Pick<TargetConnection, 'id' | 'version'>,
  problem: string | null,
): Promise<TargetStatus | undefined> {
  const { orgId } = transaction
  const row = await first(
    transaction,
    sql<{ before: TargetStatus; has_changed: boolean; json: string }>`
      with checked as (
        select id, status as before
        from channel_targets
        where org_id = ${orgId}
          and id = ${id}
          and version = ${version}
        for update)
      update channel_targets target
      set last_health_check_at = now(),
        error_message = ${problem},
        updated_at = now(),
        status = case
          when target.status = 'inactive' then target.status
          when ${problem}::text is null then 'active'
          else 'error'
        end
      from checked
      where target.org_id = ${orgId}
        and target.id = checked.id
      returning before, status <> before as has_changed, json`,
  )
  if (row?.has_changed) await recordTargetEvent(transaction, 'target.updated', row)
  return row?.before
}

/** The ids of all targets of the same property at the same PMS. The account id, else the property, identifies it. */
export const targetsOfProperty = (orgId: string, id: string) => sql<{ id: string }>`
  select same.id
  from channel_targets target
  join channel_targets same
    on same.org_id = target.org_id
    and coalesce(same.config ->> 'provider', 'generic') = coalesce(target.config ->> 'provider', 'generic')
    and rtrim(coalesce(same.config ->> 'base_url', ''), '/') = rtrim(coalesce(target.config ->> 'base_url', ''), '/')
    and coalesce(same.config #>> '{credentials,account_id}', same.config ->> 'property_ref', same.id::text)
      = coalesce(target.config #>> '{credentials,account_id}', target.config ->> 'property_ref', target.id::text)
  where target.org_id = ${orgId}
    and target.id = ${id}`

/** A listing of another target of the property that maps a room or rate plan which a listing of this target has for another unit. */
export const findListingOfSameRoom = (transaction: Transaction, id: string) =>
  first(
    transaction,
    sql<{ id: string }>`
      with mapped as (
        select listing.id, listing.channel_target_id, listing.unit_id, place.kind, place.external_id
        from channel_listings listing,
          lateral (
            select 'room' as kind, listing.external_id
            union all
            select 'plan', plan.external_id
            from jsonb_to_recordset(listing.rate_plans) as plan (external_id text)) place
        where listing.org_id = ${transaction.orgId}
          and listing.channel_target_id = any(array(${targetsOfProperty(transaction.orgId, id)}))
      )
      select other.id
      from mapped own
      join mapped other
        on other.kind = own.kind
        and other.external_id = own.external_id
        and other.unit_id <> own.unit_id
        and other.channel_target_id <> own.channel_target_id
      where own.channel_target_id = ${id}
      order by other.id
      limit 1`,
  )
