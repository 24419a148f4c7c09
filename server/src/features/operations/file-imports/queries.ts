import { sql } from '#db/sql.ts'
import { first, rows, type Actor, type Scope, type Transaction } from '#db/scope.ts'
import { filterClause, pageClause, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import { NotFound } from '#errors.ts'
import type { DateOrder, FileFormat, FileImportStatus, ImportKind, MappedColumn } from './file-import.ts'

/** What the job knows of its import. */
export interface FileImportState {
  id: string
  account_id: string
  kind: ImportKind
  format: FileFormat
  columns: string[]
  mapping: MappedColumn[]
  date_order: DateOrder
  status: FileImportStatus
  planned_to: number
  version: number
  actor: Actor
}

const countRows = sql`
  select coalesce(json_agg(part order by part.action), '[]')
  from (
    select row.action, count(*)::int as total, count(row.done_at)::int as done
    from file_import_rows row
    where row.org_id = import.org_id
      and row.import_id = import.id
      and row.action is not null
    group by row.action) part`

const source = sql`
  from file_imports import,
  lateral (
    select case when import.counted_version = import.version then import.counts else (${countRows}) end as counts) counted,
  lateral (
    select coalesce(sum((part ->> 'total')::int), 0)::int as count
    from json_array_elements(counted.counts) part) planned,
  lateral (
    select row_to_json(record)::text as json
    from (
      select import.id, import.org_id, import.account_id, import.kind, import.file_name, import.columns,
        import.mapping, import.date_order, import.row_count, planned.count as planned_count, counted.counts,
        import.status, import.error_message, iso(import.started_at) as started_at,
        iso(import.finished_at) as finished_at, iso(import.created_at) as created_at,
        iso(import.updated_at) as updated_at) record) shown`

export const listFileImports = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<ListedRecord>`
      select import.id, shown.json, ${sortColumn('import', page)} as sort_value
      ${source}
      where import.org_id = ${scope.orgId}
        ${filterClause('import', filter, ['org_id', 'account_id', 'kind', 'status'])}
      ${pageClause('import', page)}`,
  )

export async function findFileImport(scope: Scope, id: string): Promise<StoredRecord> {
  const found = await first(
    scope,
    sql<StoredRecord>`
      select shown.json, import.version
      ${source}
      where import.org_id = ${scope.orgId}
        and import.id = ${id}`,
  )
  if (!found) throw new NotFound('file import', id)
  return found
}

const stateColumns = sql`
  import.id, import.account_id, import.kind, import.format, import.columns, import.mapping, import.date_order,
  import.status, import.planned_to, import.version, import.actor`

export const getFileImport = (scope: Scope, id: string) =>
  first(
    scope,
    sql<FileImportState>`
      select ${stateColumns}
      from file_imports import
      where import.org_id = ${scope.orgId}
        and import.id = ${id}`,
  )

export const lockFileImport = (transaction: Transaction, id: string) =>
  first(
    transaction,
    sql<FileImportState>`
      select ${stateColumns}
      from file_imports import
      where import.org_id = ${transaction.orgId}
        and import.id = ${id}
      for no key update`,
  )

export interface NewFileImport {
  readonly account_id: string
  readonly kind: ImportKind
  readonly format: FileFormat
  readonly file_name: string | null
  readonly columns: readonly string[]
  readonly mapping: readonly MappedColumn[]
}

export const insertFileImport = async (
  transaction: Transaction,
  { account_id, kind, format, file_name, columns, mapping }: NewFileImport,
): Promise<string> =>
  (await first(
    transaction,
    sql<{ id: string }>`
      insert into file_imports (org_id, account_id, kind, format, file_name, columns, mapping, row_count, actor)
      values (${transaction.orgId}, ${account_id}, ${kind}, ${format}, ${file_name}, ${columns}::text[],
        ${JSON.stringify(mapping)}::jsonb, 0, ${JSON.stringify(transaction.actor)})
      returning id`,
  ))!.id

export const saveWhatWasRead = (
  transaction: Transaction,
  id: string,
  { row_count, date_order }: { row_count: number; date_order: DateOrder },
) =>
  rows(
    transaction,
    sql`
      update file_imports
      set row_count = ${row_count},
        date_order = ${date_order}
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )

export interface FileImportChange {
  readonly status?: FileImportStatus
  readonly planned_to?: number
  readonly mapping?: readonly MappedColumn[]
  readonly date_order?: DateOrder
  readonly error_message?: string
}

export const updateFileImport = (transaction: Transaction, id: string, change: FileImportChange) => {
  const { status = null, planned_to = null, mapping, date_order = null, error_message = null } = change
  // Otherwise the rows stay as they are, and their numbers are kept.
  const isInWork = status === null || status === 'planning' || status === 'running'
  const isEnd = status !== null && ['completed', 'failed', 'cancelled'].includes(status)
  return rows(
    transaction,
    sql`
      update file_imports import
      set status = coalesce(${status}, status),
        ${isInWork ? sql`` : sql`counts = (${countRows}), counted_version = version + 1,`}
        planned_to = coalesce(${planned_to}, planned_to),
        mapping = coalesce(${mapping ? JSON.stringify(mapping) : null}::jsonb, mapping),
        date_order = coalesce(${date_order}, date_order),
        error_message = ${error_message},
        started_at = case when ${status === 'running'} then coalesce(started_at, now()) else started_at end,
        finished_at = case when ${isEnd} then now() end,
        version = version + 1,
        updated_at = now()
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )
}
