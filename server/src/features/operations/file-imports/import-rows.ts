import { atSavepoint, type Transaction } from '#db/scope.ts'
import { DomainError } from '#errors.ts'
import type { RowError } from './file-import.ts'
import { openRow, type RowReader } from './read-row.ts'
import type { Cells } from './parse-file.ts'
import type { FileImportState } from './queries.ts'
import type { FileRow, RowResult } from './file-rows.ts'

/** Makes records of rows. An error in one row stops no other. */
export type RowImporter = (
  transaction: Transaction,
  state: FileImportState,
  found: readonly FileRow[],
) => Promise<RowResult[]>

/** What a row makes, unless it has errors. */
type RowWork = (
  transaction: Transaction,
  row: RowReader,
) => Promise<Omit<RowResult, 'position' | 'errors'> | undefined>

/** Imports rows one after the other; the errors of a row undo what it made. */
export async function importEach(
  transaction: Transaction,
  state: FileImportState,
  found: readonly FileRow[],
  work: RowWork,
): Promise<RowResult[]> {
  const results: RowResult[] = []
  for (const row of found) results.push(await importOne(transaction, state, row, work))
  return results
}

async function importOne(
  transaction: Transaction,
  state: FileImportState,
  { position, cells }: FileRow,
  work: RowWork,
): Promise<RowResult> {
  if (!cells) return { position, action: 'error', errors: [erased] }
  const row = openRow(cells, state)
  try {
    return await atSavepoint(transaction, async (inner) => {
      const result = await work(inner, row)
      if (!result || row.errors.length > 0) throw new RowRefused()
      return { position, ...result }
    })
  } catch (error) {
    if (error instanceof DomainError) row.errors.push(...toRowErrors(error, state, cells))
    else if (!(error instanceof RowRefused)) throw error
    return { position, action: 'error', errors: row.errors.slice(0, 100) }
  }
}

class RowRefused extends Error {}

export const erased: RowError = {
  column: null,
  code: 'erased',
  message: 'The data of the guest was erased.',
  value: null,
}

/** A rule of the records that a row breaks, at the column that it is about. */
export const toRowErrors = (
  { code, message, errors }: DomainError,
  { columns, mapping }: Pick<FileImportState, 'columns' | 'mapping'>,
  cells: Cells = [],
): RowError[] =>
  errors.length === 0
    ? [{ column: null, code, message: message.slice(0, 2_000), value: null }]
    : errors.map((one) => {
        const field = fieldOf(one.pointer)
        const column = mapping.find((mapped) => mapped.field === field)?.column ?? null
        const value = (column !== null && cells[columns.indexOf(column)]?.slice(0, 255)) || null
        return { column, code: one.code, message: one.message.slice(0, 2_000), value }
      })

/** The field of a member such as `/base_price_cents` or `/guestEmail`. */
function fieldOf(pointer: string): string {
  const member = pointer.slice(pointer.lastIndexOf('/') + 1)
  const name = member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/_cents$/, '')
  return { check_in: 'arrival', check_out: 'departure', unit_id: 'unit' }[name] ?? name
}
