import { sql } from '#db/sql.ts'
import { first, rows, type Actor, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { buildPageQuery, filterClause, pageClause, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import type { FailureCode } from '#integrations/pms/pms-failure.ts'
import { itemActions, itemKinds, type ImportStage, type ImportStatus, type OptionalPart } from './import.ts'

/** What the job knows of its import. */
export interface ImportState {
  id: string
  channel_target_id: string
  account_id: string
  include: OptionalPart[]
  status: ImportStatus
  stage: ImportStage
  cursor: string | null
  actor: Actor
  /** Whether it was run; it is planned before. */
  has_started: boolean
}

/** The record as the API returns it, with the number of its items by kind and action. */
const importJson = sql`
  row_to_json(record)::text as json
  from (
    select import.id, import.org_id, target.account_id, import.channel_target_id, import.include, import.status,
      import.stage, counted.counts, import.bookings_imported, paused.listings_paused, import.error_code,
      import.error_message, iso(import.started_at) as started_at, iso(import.finished_at) as finished_at,
      iso(import.created_at) as created_at, iso(import.updated_at) as updated_at) record`

const countItems = sql`
  select coalesce(json_agg(part order by part.kind, part.action), '[]')
  from (
    select item.kind, item.action, count(*)::int as total, count(item.done_at)::int as done
    from import_items item
    where item.org_id = import.org_id
      and item.import_id = import.id
    group by item.kind, item.action) part`

const source = sql`
  from imports import
  join channel_targets target
    on target.org_id = import.org_id
    and target.id = import.channel_target_id,
  lateral (
    select case when import.counted_version = import.version then import.counts else (${countItems}) end as counts) counted,
  lateral (
    select count(*)::int as listings_paused
    from import_items item
    join channel_listings listing
      on listing.org_id = item.org_id
      and listing.unit_id = item.record_id
      and listing.channel_target_id = import.channel_target_id
      and listing.status = 'paused'
    where item.org_id = import.org_id
      and item.import_id = import.id
      and item.kind = 'unit'
      and item.done_at is not null) paused,
  lateral (select ${importJson}) shown`

export const listImports = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<ListedRecord>`
      select import.id, shown.json, ${sortColumn('import', page)} as sort_value
      ${source}
      where import.org_id = ${scope.orgId}
        ${filterClause('import', filter, ['org_id', 'channel_target_id', 'status'])}
      ${pageClause('import', page)}`,
  )

export async function findImport(scope: Scope, id: string): Promise<StoredRecord> {
  const found = await first(
    scope,
    sql<StoredRecord>`
      select shown.json, import.version
      ${source}
      where import.org_id = ${scope.orgId}
        and import.id = ${id}`,
  )
  if (!found) throw new NotFound('import', id)
  return found
}

const itemColumns = {
  columns: ['kind', 'action'],
  together: { kind: itemKinds, action: itemActions },
}

export const listItems = (scope: Scope, importId: string, filter: object, page: PageRequest) =>
  rows(
    scope,
    buildPageQuery(
      'item',
      filter,
      itemColumns,
      page,
      (where) => sql<ListedRecord<number>>`
        select item.id, ${sortColumn('item', page)} as sort_value,
          json_build_object('id', item.id, 'kind', item.kind,
            'external_id', item.external_id, 'parent_id', item.parent_id, 'position', item."position",
            'name', item.name, 'action', item.action, 'reason', item.reason, 'record_id', item.record_id,
            'done_at', iso(item.done_at))::text as json
        from import_items item
        where item.org_id = ${scope.orgId}
          and item.import_id = ${importId}${where}`,
    ),
  )

const stateColumns = sql`
  import.id, import.channel_target_id, import.include, import.status, import.stage, import.cursor, import.actor,
  import.started_at is not null as has_started`

export const getImport = (scope: Scope, id: string) =>
  first(
    scope,
    sql<ImportState>`
      select ${stateColumns}, target.account_id
      from imports import
      join channel_targets target
        on target.org_id = import.org_id
        and target.id = import.channel_target_id
      where import.org_id = ${scope.orgId}
        and import.id = ${id}`,
  )

export const lockImport = (transaction: Transaction, id: string) =>
  first(
    transaction,
    sql<Omit<ImportState, 'account_id'>>`
      select ${stateColumns}
      from imports import
      where import.org_id = ${transaction.orgId}
        and import.id = ${id}
      for no key update`,
  )

/** Undefined when the target has an import that is not finished. */
export const insertImport = (
  transaction: Transaction,
  { targetId, include }: { targetId: string; include: readonly OptionalPart[] },
) =>
  first(
    transaction,
    sql<{ id: string }>`
      insert into imports (org_id, channel_target_id, include, actor)
      values (${transaction.orgId}, ${targetId}, ${include}::text[], ${JSON.stringify(transaction.actor)})
      on conflict do nothing
      returning id`,
  )

export const getOpenImport = (transaction: Transaction, targetId: string) =>
  first(
    transaction,
    sql<{ id: string }>`
      select id
      from imports
      where org_id = ${transaction.orgId}
        and channel_target_id = ${targetId}
        and status in ('planning', 'planned', 'running')`,
  )

export interface ImportChange {
  status?: ImportStatus
  stage?: ImportStage
  cursor?: string | null
  /** What failed; without it nothing does any more. */
  failure?: { code: FailureCode; message: string }
}

/** Changes members of a locked import; calls of the PMS have worked, so they count as no failure any more. */
export const updateImport = (transaction: Transaction, id: string, change: ImportChange) => {
  const { status, stage, cursor, failure } = change
  return rows(
    transaction,
    sql`
      update imports import
      set status = coalesce(${status ?? null}, status),
        ${keptCounts(status)}
        stage = coalesce(${stage ?? null}, stage),
        cursor = case when ${cursor !== undefined} then ${cursor ?? null} else cursor end,
        error_code = ${failure?.code ?? null},
        error_message = ${failure?.message ?? null},
        failures = 0,
        started_at = case when ${status === 'running'} then coalesce(started_at, now()) else started_at end,
        finished_at = case when ${status !== undefined && isEnd(status)} then now() end,
        version = version + 1,
        updated_at = now()
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )
}

/** The numbers are kept while no item changes. An import that stops early still gets the photos that are being downloaded. */
const keptCounts = (status: ImportStatus | undefined) => {
  if (status === 'planned' || status === 'completed')
    return sql`counts = (${countItems}), counted_version = version + 1,`
  if (status === 'cancelled')
    return sql`counted_version = case when counted_version = version then version + 1 end,`
  return sql``
}

const isEnd = (status: ImportStatus) => ['completed', 'failed', 'cancelled'].includes(status)

/** Counts a failed call, and returns how many have failed in a row. The next step that succeeds forgets them. */
export const countFailure = async (
  scope: Scope,
  id: string,
  { code, message }: NonNullable<ImportChange['failure']>,
): Promise<number> =>
  (await first(
    scope,
    sql<{ failures: number }>`
      update imports
      set failures = failures + 1,
        error_code = ${code},
        error_message = ${message},
        updated_at = now()
      where org_id = ${scope.orgId}
        and id = ${id}
      returning failures`,
  ))!.failures

export const addBookings = (transaction: Transaction, id: string, imported: number) =>
  rows(
    transaction,
    sql`
      update imports
      set bookings_imported = bookings_imported + ${imported}
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )
