import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { assertVersion, type ExpectedVersion, type StoredRecord } from '#db/records.ts'
import { Conflict, NotFound, semanticError } from '#errors.ts'
import { enqueue } from '#queue/job.ts'
import { resolveAccountId } from '#features/tenancy/organizations/queries.ts'
import type {
  DateOrder,
  FileImportPatch,
  FileImportStatus,
  MappedColumn,
  UploadQuery,
} from './file-import.ts'
import { importFields, suggestMapping } from './import-fields.ts'
import { ContinueFileImport } from './jobs.ts'
import type { ParsedFile } from './parse-file.ts'
import { suggestDateOrder } from './read-row.ts'
import {
  findFileImport,
  insertFileImport,
  lockFileImport,
  saveWhatWasRead,
  updateFileImport,
  type FileImportChange,
  type FileImportState,
} from './queries.ts'
import { insertRows, resetRows } from './file-rows.ts'

const rowsPerInsert = 1_000

/** Stores the rows of a file, and plans them in the background. @throws Invalid */
export const createFileImport = (
  scope: Scope,
  { kind, file_name, account_id }: UploadQuery,
  { format, columns, rows }: ParsedFile,
): Promise<StoredRecord & { id: string }> =>
  atomically(scope, async (transaction) => {
    const id = await insertFileImport(transaction, {
      ...{ kind, format, columns, mapping: suggestMapping(kind, columns) },
      file_name: file_name ?? null,
      account_id: await resolveAccountId(transaction, account_id),
    })
    let count = 0
    let batch: { position: number; cells: ParsedRow['cells'] }[] = []
    const flush = async () => {
      if (batch.length > 0) await insertRows(transaction, id, batch)
      count += batch.length
      batch = []
    }
    const orders = new Set<DateOrder>()
    for await (const row of rows) {
      batch.push(row)
      const order = suggestDateOrder(row.cells)
      if (order) orders.add(order)
      if (batch.length === rowsPerInsert) await flush()
    }
    await flush()
    if (count === 0) throw semanticError('', 'The file has no rows below its header.', 'no_rows')
    const isMonthFirst = orders.has('mdy') && !orders.has('dmy')
    await saveWhatWasRead(transaction, id, { row_count: count, date_order: isMonthFirst ? 'mdy' : 'dmy' })
    await enqueue(transaction, ContinueFileImport, [{ payload: { importId: id } }])
    return { id, ...(await findFileImport(transaction, id)) }
  })

type ParsedRow = ParsedFile['rows'] extends AsyncIterable<infer Row> ? Row : never

/** Plans again with other columns. @throws NotFound, Conflict, Invalid, PreconditionFailed */
export const remapFileImport = (
  scope: Scope,
  id: string,
  expected: ExpectedVersion,
  { mapping, date_order }: FileImportPatch,
): Promise<StoredRecord> =>
  changeFileImport(
    scope,
    id,
    ['planning', 'planned', 'failed'],
    'planned again',
    async (transaction, current) => {
      assertVersion(expected, current.version)
      if (mapping) assertMappingFits(mapping, current)
      await resetRows(transaction, id)
      await enqueue(transaction, ContinueFileImport, [{ payload: { importId: id } }])
      return {
        ...{ status: 'planning', planned_to: 0 },
        ...(mapping && { mapping }),
        ...(date_order && { date_order }),
      }
    },
  )

function assertMappingFits(mapping: readonly MappedColumn[], { kind, columns }: FileImportState): void {
  for (const [at, { field, column }] of mapping.entries()) {
    if (!Object.hasOwn(importFields[kind], field))
      throw semanticError(`mapping/${at}/field`, `A file of ${kind} has no field ${field}.`)
    if (!columns.includes(column))
      throw semanticError(`mapping/${at}/column`, 'The file has no column with this name.')
    if (mapping.findIndex((other) => other.field === field) < at)
      throw semanticError(`mapping/${at}/field`, `The field ${field} has two columns.`, 'duplicate')
  }
}

/** Makes what was planned, or continues. @throws NotFound, Conflict */
export const runFileImport = (scope: Scope, id: string): Promise<StoredRecord> =>
  changeFileImport(scope, id, ['planned', 'running'], 'run', async (transaction) => {
    await enqueue(transaction, ContinueFileImport, [{ payload: { importId: id } }])
    return { status: 'running' }
  })

/** Stops an import; what it has made stays. @throws NotFound, Conflict */
export const cancelFileImport = (scope: Scope, id: string): Promise<StoredRecord> =>
  changeFileImport(scope, id, ['planning', 'planned', 'running', 'failed'], 'cancelled', () =>
    Promise.resolve({ status: 'cancelled' }),
  )

const changeFileImport = (
  scope: Scope,
  id: string,
  allowed: readonly FileImportStatus[],
  verb: string,
  change: (transaction: Transaction, current: FileImportState) => Promise<FileImportChange>,
): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const current = await lockFileImport(transaction, id)
    if (!current) throw new NotFound('file import', id)
    if (!allowed.includes(current.status))
      throw new Conflict(
        'invalid-status-transition',
        `An import that is ${current.status} cannot be ${verb}.`,
      )
    await updateFileImport(transaction, id, await change(transaction, current))
    return await findFileImport(transaction, id)
  })
