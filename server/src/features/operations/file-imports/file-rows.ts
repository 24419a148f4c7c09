import { sql } from '#db/sql.ts'
import { rows, type Scope, type Transaction } from '#db/scope.ts'
import { pageClause, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord } from '#db/records.ts'
import type { ImportKind, RowAction, RowError } from './file-import.ts'
import type { Cells } from './parse-file.ts'

/**
 * With actions, the page is merged from the rows of each: an index has them in their order. Not by `buildPageQuery`, which
 * finds the records of a page by their ids: rows have no index of these.
 */
export function listRows(
  scope: Scope,
  importId: string,
  { action }: { action?: readonly RowAction[] },
  page: PageRequest,
) {
  const ofImport = sql`row.org_id = ${scope.orgId} and row.import_id = ${importId}`
  const source = action
    ? sql`
      (select distinct unnest(${action}::text[]) as value) one
      cross join lateral (
        select *
        from file_import_rows row
        where ${ofImport} and row.action = one.value${pageClause('row', page)}) row`
    : sql`file_import_rows row`
  return rows(
    scope,
    sql<ListedRecord>`
      select row.id, ${sortColumn('row', page)}::text as sort_value,
        json_build_object('id', row.id, 'position', row."position", 'cells', row.cells, 'action', row.action,
          'errors', row.errors, 'record_id', row.record_id, 'done_at', iso(row.done_at))::text as json
      from ${source}
      where ${ofImport}${pageClause('row', page)}`,
  )
}

export const insertRows = (
  transaction: Transaction,
  importId: string,
  found: readonly { position: number; cells: Cells }[],
) =>
  rows(
    transaction,
    sql`
      insert into file_import_rows (org_id, import_id, "position", cells)
      select ${transaction.orgId}, ${importId}, row."position", row.cells
      from jsonb_to_recordset(${JSON.stringify(found)}::jsonb) as row ("position" integer, cells jsonb)`,
  )

export interface FileRow {
  position: number
  /** Null when the data of a guest in it was erased. */
  cells: Cells | null
}

/** The rows after a position. */
export const listRowsToPlan = (
  scope: Scope,
  { id, planned_to }: { id: string; planned_to: number },
  limit: number,
) =>
  rows(
    scope,
    sql<FileRow>`
      select row."position", row.cells
      from file_import_rows row
      where row.org_id = ${scope.orgId}
        and row.import_id = ${id}
        and row."position" > ${planned_to}
      order by row."position"
      limit ${limit}`,
  )

/** The next rows to run; rates come unit by unit, so that a unit is changed once. */
export const listRowsToRun = (
  transaction: Transaction,
  { id, kind }: { id: string; kind: ImportKind },
  limit: number,
) =>
  rows(
    transaction,
    sql<FileRow>`
      select row."position", row.cells
      from file_import_rows row
      where row.org_id = ${transaction.orgId}
        and row.import_id = ${id}
        and row.done_at is null
        and row.action in ('create', 'update', 'match')
      order by ${kind === 'rates' ? sql`row.record_id, ` : sql``}row."position"
      limit ${limit}`,
  )

/** What became of a row. */
export interface RowResult {
  readonly position: number
  readonly action: RowAction
  readonly key?: string | null
  readonly errors?: readonly RowError[]
  readonly record_id?: string | null
}

export const saveResults = (
  transaction: Transaction,
  importId: string,
  results: readonly RowResult[],
  isDone: boolean,
) =>
  rows(
    transaction,
    sql`
      update file_import_rows row
      set action = result.action,
        key = coalesce(result.key, row.key),
        errors = coalesce(result.errors, '[]'),
        record_id = result.record_id,
        done_at = case when ${isDone} then now() end,
        cells = case when ${isDone} and result.action <> 'error' then null else row.cells end
      from jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
        as result ("position" integer, action text, key text, errors jsonb, record_id uuid)
      where row.org_id = ${transaction.orgId}
        and row.import_id = ${importId}
        and row."position" = result."position"`,
  )

/** Between the keys of a row that has several. */
const keySeparator = '\u001f'
export const joinKeys = (keys: readonly string[]): string =>
  keys.map((key) => key.replaceAll(keySeparator, ' ')).join(keySeparator)

/** A row that repeats a key of an earlier one has an error. */
export const markRepeatedRows = (transaction: Transaction, importId: string) =>
  rows(
    transaction,
    sql`
      update file_import_rows row
      set action = 'error',
        record_id = null,
        errors = jsonb_build_array(jsonb_build_object(
          'column', null, 'code', 'duplicate', 'value', null,
          'message', 'Row ' || repeated.first || ' is about the same record, or has the same name.'))
      from (
        select keyed."position", min(keyed.first) as first
        from (
          select given."position", min(given."position") over (partition by part.key) as first
          from file_import_rows given
          cross join unnest(string_to_array(given.key, ${keySeparator})) as part (key)
          where given.org_id = ${transaction.orgId}
            and given.import_id = ${importId}
            and given.action <> 'error') keyed
        group by keyed."position"
        having min(keyed.first) < keyed."position") repeated
      where row.org_id = ${transaction.orgId}
        and row.import_id = ${importId}
        and row."position" = repeated."position"`,
  )

/** Forgets the plan, so that the rows are planned again. */
export const resetRows = (transaction: Transaction, importId: string) =>
  rows(
    transaction,
    sql`
      update file_import_rows
      set action = null,
        key = null,
        errors = '[]',
        record_id = null
      where org_id = ${transaction.orgId}
        and import_id = ${importId}
        and action is not null`,
  )
