import type { Connection } from '#db/connect.ts'
import { assertNoErasureRuns } from '#features/operations/organization-export/export-organization.ts'
import type { ExportedTable } from '#features/operations/organization-export/exported-tables.ts'
import {
  deleteLines,
  describeTable,
  insertLines,
  readLines,
  updateLines,
  updateReferences,
  type TableColumns,
} from '#features/operations/organization-export/table-rows.ts'
import { openTransferDatabase } from '#features/operations/organization-export/transfer-database.ts'
import type { MoveOptions } from './cell.ts'
import { deleteRecords } from './delete-organization.ts'

type CopyOptions = Pick<MoveOptions, 'orgId' | 'source' | 'target' | 'progress'>

/** The two ends of a copy, each in a transaction: that of the source reads the state of one moment. */
interface Ends {
  readonly source: Connection
  readonly target: Connection
  readonly progress: MoveOptions['progress']
}

/** How a table of the target differs from that of the source: rows as lines of JSON, by the text of their key. */
interface Difference {
  readonly table: ExportedTable
  readonly columns: TableColumns
  readonly missing: ReadonlyMap<string, string>
  readonly surplus: ReadonlyMap<string, string>
}

/** Lines of one table that are kept in memory. */
const maxDifferences = 200_000
const linesPerStatement = 500

/**
 * Makes the rows of the tables in the target those of the source, in one transaction; returns how many were different.
 * With 0 the tables were found to be equal: every value of every row is compared, as text.
 */
export async function copyRecords(options: CopyOptions, tables: readonly ExportedTable[]): Promise<number> {
  try {
    return await withEnds(options, async (ends) =>
      (await hasRecords(ends.target)) ? await copyDifferences(ends, tables) : await copyAll(ends, tables),
    )
  } catch (error) {
    // Two rows have exchanged what must be unique, or nearly everything is different.
    if (!(error instanceof TooDifferent) && !violatesConstraint(error)) throw error
    await deleteRecords(options.target.config, options.orgId)
    return await withEnds(options, (ends) => copyAll(ends, tables))
  }
}

class TooDifferent extends Error {}

const violatesConstraint = (error: unknown) =>
  String((error as { code?: unknown } | null)?.code).startsWith('23')

async function withEnds<T>(
  { orgId, source, target, progress }: CopyOptions,
  work: (ends: Ends) => Promise<T>,
): Promise<T> {
  await using from = openTransferDatabase(source.config, 'vacancy_app')
  await using into = openTransferDatabase(target.config, 'vacancy_import')
  return await from.transaction({ orgId, isSnapshot: true }, async (reading) => {
    await assertNoErasureRuns(reading)
    return await into.transaction({ orgId }, (writing) =>
      work({ source: reading, target: writing, progress }),
    )
  })
}

const hasRecords = async (connection: Connection): Promise<boolean> =>
  (await connection.raw('select 1 from organizations where id = current_org()')).rows.length > 0

async function copyAll(
  { source, target, progress }: Ends,
  tables: readonly ExportedTable[],
): Promise<number> {
  let copied = 0
  for (const table of tables) {
    const columns = await describeTable(source, table.name)
    let rows = 0
    for await (const lines of readLines(source, table, columns, true)) {
      await insertLines(target, table, columns, lines)
      progress(table.name, (rows += lines.length))
    }
    copied += rows
  }
  for (const table of tables.filter(({ later }) => later !== undefined))
    for await (const lines of readLines(source, table, await describeTable(source, table.name), true))
      await updateReferences(target, table, lines)
  return copied
}

async function copyDifferences(ends: Ends, tables: readonly ExportedTable[]): Promise<number> {
  const differences: Difference[] = []
  for (const table of tables) differences.push(await compareTable(ends, table))
  for (const { table, columns, missing, surplus } of differences.toReversed())
    for (const lines of partsOf(surplus, (key) => !missing.has(key)))
      await deleteLines(ends.target, table, columns, lines)
  for (const { table, columns, missing, surplus } of differences) {
    for (const lines of partsOf(missing, (key) => !surplus.has(key)))
      await insertLines(ends.target, table, columns, lines)
    for (const lines of partsOf(missing, (key) => surplus.has(key)))
      await updateLines(ends.target, table, columns, lines)
  }
  for (const { table, missing } of differences)
    if (table.later) for (const lines of partsOf(missing)) await updateReferences(ends.target, table, lines)
  return differences.reduce((sum, { missing, surplus }) => sum + missing.size + surplus.size, 0)
}

/** Both ends read at once, in the same order: what they have in common is forgotten as soon as both have shown it. */
async function compareTable({ source, target, progress }: Ends, table: ExportedTable): Promise<Difference> {
  const columns = await describeTable(source, table.name)
  const { numberedBy: _numberedBy, values: _values, ...stored } = table
  const [here, there] = [readLines(source, table, columns, true), readLines(target, stored, columns, true)]
  const [missing, surplus] = [new Set<string>(), new Set<string>()]
  let rows = 0
  for (;;) {
    const [read, found] = await Promise.all([here.next(), there.next()])
    if (read.done && found.done) break
    const lines = read.done ? [] : read.value
    for (const line of lines) if (!surplus.delete(line)) missing.add(line)
    for (const line of found.done ? [] : found.value) if (!missing.delete(line)) surplus.add(line)
    if (missing.size + surplus.size > maxDifferences) throw new TooDifferent(table.name)
    progress(table.name, (rows += lines.length))
  }
  const byKey = (lines: ReadonlySet<string>) =>
    new Map(Array.from(lines, (line) => [keyOf(columns, line), line]))
  return { table, columns, missing: byKey(missing), surplus: byKey(surplus) }
}

function keyOf({ key }: TableColumns, line: string): string {
  const row = JSON.parse(line) as Record<string, unknown>
  return JSON.stringify(key.map((column) => row[column]))
}

function* partsOf(
  lines: ReadonlyMap<string, string>,
  isWanted: (key: string) => boolean = () => true,
): Generator<string[]> {
  const wanted = [...lines].filter(([key]) => isWanted(key)).map(([, line]) => line)
  for (let at = 0; at < wanted.length; at += linesPerStatement) yield wanted.slice(at, at + linesPerStatement)
}
