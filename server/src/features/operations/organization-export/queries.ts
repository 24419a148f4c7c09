import { sql, type NotNull } from '#db/sql.ts'
import { filterClause, pageClause, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import type { ExportError, ExportStage } from './export.ts'

const source = sql`
  from exports export,
  lateral (
    select row_to_json(record)::text as json
    from (
      select export.id, export.org_id, export.status, export.stage, export.done, export.total,
        export.size_bytes, export.checksum, export.missing_files,
        case when export.status = 'failed' then export.error_code end as error_code,
        iso(export.finished_at) as finished_at, iso(export.expires_at) as expires_at,
        iso(export.created_at) as created_at, iso(export.updated_at) as updated_at) record) shown`

export const listExports = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<ListedRecord>`
      select export.id, shown.json, ${sortColumn('export', page)} as sort_value
      ${source}
      where export.org_id = ${scope.orgId}
        ${filterClause('export', filter, ['org_id', 'status'])}
      ${pageClause('export', page)}`,
  )

export async function findExport(scope: Scope, id: string): Promise<StoredRecord> {
  const found = await first(
    scope,
    sql<StoredRecord>`
      select shown.json, export.version
      ${source}
      where export.org_id = ${scope.orgId}
        and export.id = ${id}`,
  )
  if (!found) throw new NotFound('export', id)
  return found
}

/** Undefined when another export is not finished. */
export const insertExport = (transaction: Transaction) =>
  first(
    transaction,
    sql<{ id: string }>`
      insert into exports (org_id)
      values (${transaction.orgId})
      on conflict do nothing
      returning id`,
  )

export const countExports = async (scope: Scope): Promise<number> =>
  (await first(
    scope,
    sql<{ count: number }>`
      select count(*)::int as count
      from exports
      where org_id = ${scope.orgId}`,
  ))!.count

/** The attempt that wrote the file of a completed export. */
export const getCompletedExport = (scope: Scope, id: string) =>
  first(
    scope,
    sql<{ attempts: number; created_on: string }>`
      select attempts, to_char(created_at, 'YYYY-MM-DD') as created_on
      from exports
      where org_id = ${scope.orgId}
        and id = ${id}
        and status = 'completed'`,
  )

/** Counts an attempt; undefined when the export has ended, or is gone. */
export const beginAttempt = async (scope: Scope, id: string): Promise<number | undefined> =>
  (
    await first(
      scope,
      sql<{ attempts: number }>`
        update exports
        set status = 'running',
          attempts = attempts + 1,
          stage = 'records',
          done = 0,
          total = 0,
          version = version + 1,
          updated_at = now()
        where org_id = ${scope.orgId}
          and id = ${id}
          and status in ('pending', 'running')
        returning attempts`,
    )
  )?.attempts

export interface ExportProgress {
  readonly stage: ExportStage
  readonly done: number
  readonly total: number
}

export interface Attempt {
  readonly id: string
  readonly attempt: number
}

export const saveProgress = (scope: Scope, at: Attempt, { stage, done, total }: ExportProgress) =>
  rows(
    scope,
    sql`
      update exports
      set stage = ${stage},
        done = ${done}::bigint,
        total = ${total}::bigint,
        version = version + 1,
        updated_at = now()
      where ${isCurrent(scope, at)}`,
  )

export interface WrittenFile {
  readonly sizeBytes: number
  readonly checksum: string
  readonly missingFiles: number
}

/** Returns when it is deleted; undefined when another attempt has begun meanwhile. */
export const completeExport = (transaction: Transaction, at: Attempt, file: WrittenFile) =>
  first(
    transaction,
    sql<{ expires_at: NotNull<string> }>`
      update exports
      set status = 'completed',
        stage = 'file',
        done = ${file.sizeBytes}::bigint,
        total = ${file.sizeBytes}::bigint,
        size_bytes = ${file.sizeBytes}::bigint,
        checksum = ${file.checksum},
        missing_files = ${file.missingFiles}::int,
        error_code = null,
        ${ended}
      where ${isCurrent(transaction, at)}
      returning expires_at`,
  )

export const recordError = (scope: Scope, at: Attempt, code: ExportError) =>
  rows(scope, sql`update exports set error_code = ${code} where ${isCurrent(scope, at)}`)

/** Without a code, the last one that was recorded. */
export const failExport = (transaction: Transaction, at: Attempt, code: ExportError | null) =>
  first(
    transaction,
    sql<{ expires_at: NotNull<string> }>`
      update exports
      set status = 'failed',
        error_code = coalesce(${code}, error_code, 'interrupted'),
        ${ended}
      where ${isCurrent(transaction, at)}
      returning expires_at`,
  )

const ended = sql`
  finished_at = now(),
  expires_at = now() + interval '7 days',
  version = version + 1,
  updated_at = now()`

const isCurrent = ({ orgId }: Scope, { id, attempt }: Attempt) => sql`
  org_id = ${orgId}
  and id = ${id}
  and attempts = ${attempt}::int
  and status = 'running'`

/** The attempts of an export that is past its time. */
export const lockExpiredExport = (transaction: Transaction, id: string) =>
  first(
    transaction,
    sql<{ attempts: number }>`
      select attempts
      from exports
      where org_id = ${transaction.orgId}
        and id = ${id}
        and expires_at <= now()
      for update`,
  )

export const deleteExport = (transaction: Transaction, id: string) =>
  rows(
    transaction,
    sql`
      delete from exports
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )
