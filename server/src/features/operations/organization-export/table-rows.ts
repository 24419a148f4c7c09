import type { Connection } from '#db/connect.ts'
import { secretColumnsOf, type ExportedTable } from './exported-tables.ts'

/** A table as it is in this database. */
export interface TableColumns {
  /** All columns that are not generated, in their order. */
  readonly columns: readonly string[]
  /** The time by which its rows are divided into partitions, if they are. */
  readonly partitionedBy: string | null
  /** Columns that identify a row. */
  readonly key: readonly string[]
  /** The terms of `order by` that give each row its place, whatever the collation of the database. */
  readonly order: readonly string[]
}

const linesPerFetch = 500

/** Tables and columns are names of `exportedTables` or of the catalog, never of a file. */
export async function describeTable(connection: Connection, name: string): Promise<TableColumns> {
  const { rows } = await connection.raw(
    `select
      (
        select array_agg(attname::text order by attnum)
        from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
      ) as columns,
      (
        select quote_ident(attname)
        from pg_partitioned_table
        join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
        where partrelid = $1::regclass
      ) as "partitionedBy",
      (
        select array_agg(attname::text)
        from pg_attribute
        where attrelid = $1::regclass and attnum = any(indkey::int2[])
      ) as key,
      (
        select array_agg(
          quote_ident(attname) || case when attcollation <> 0 then ' collate "C"' else '' end
          order by array_position(indkey::int2[], attnum)
        )
        from pg_attribute
        where attrelid = $1::regclass and attnum = any(indkey::int2[])
      ) as order
    from pg_index
    where indrelid = $1::regclass and indisunique and indpred is null and indexprs is null
    order by indisprimary desc, indexrelid
    limit 1`,
    [name],
  )
  return rows[0] as TableColumns
}

/** The last migration of this database. */
export async function readSchemaVersion(connection: Connection): Promise<string> {
  const { rows } = await connection.raw('select max(name) as name from migrations')
  return (rows[0] as { name: string }).name
}

/** Reads the rows of the organization of the transaction as lines of JSON, a part at a time. */
export async function* readLines(
  connection: Connection,
  table: ExportedTable,
  { columns, partitionedBy, order }: TableColumns,
  withSecrets: boolean,
): AsyncGenerator<string[]> {
  const hidden = withSecrets ? [] : secretColumnsOf(table.name)
  const values = (table.only ?? columns).map((column) => {
    const value = hidden.includes(column) ? 'null' : (table.values?.[column] ?? `source.${quote(column)}`)
    return `${value} as ${quote(column)}`
  })
  // Another installation may have dropped the partition of rows that are past their time. Until the next full hour the same
  // rows are read again, to be compared.
  const isKept = `${partitionedBy} >= date_trunc('hour', now() - coalesce((
    select kept_for from partitioned_tables where name = '${table.name}'
  ), interval '1000 years'))`
  const owner = table.name === 'organizations' ? 'id' : 'org_id'
  // JSON text is stored as it was sent, and may contain line breaks between its members.
  await connection.raw(`
    declare exported no scroll cursor for
    select replace((select row_to_json(record)::text from (select ${values.join(', ')}) record), e'\\n', ' ') as line
    from (
      select * ${table.numberedBy ? `, row_number() over (order by ${table.numberedBy}) as place` : ''}
      from ${quote(table.name)}
      where ${owner} = current_org()
        ${table.where ? `and ${table.where}` : ''}
    ) source
    ${partitionedBy ? `where ${isKept}` : ''}
    order by ${order.join(', ')}`)
  for (;;) {
    const { rows } = await connection.raw(`fetch ${linesPerFetch} from exported`)
    if (rows.length === 0) break
    yield (rows as { line: string }[]).map(({ line }) => line)
  }
  await connection.raw('close exported')
}

/** Inserts rows that were read as lines. */
export async function insertLines(
  connection: Connection,
  { name, only, later = [] }: ExportedTable,
  { columns }: TableColumns,
  lines: readonly string[],
): Promise<void> {
  const names = (only ?? columns)
    .filter((column) => !later.includes(column))
    .map(quote)
    .join(', ')
  await connection.raw(
    `insert into ${quote(name)} (${names})
    select ${names}
    from json_populate_recordset(null::${quote(name)}, $1::json)`,
    [`[${lines.join(',')}]`],
  )
}

/** Updates rows to what was read as lines, by their key. */
export async function updateLines(
  connection: Connection,
  { name, later = [] }: ExportedTable,
  { columns, key }: TableColumns,
  lines: readonly string[],
): Promise<void> {
  const values = columns
    .filter((column) => !key.includes(column))
    .map((column) => `${quote(column)} = ${later.includes(column) ? 'null' : `source.${quote(column)}`}`)
  await connection.raw(
    `update ${quote(name)} target
    set ${values.join(', ')}
    from json_populate_recordset(null::${quote(name)}, $1::json) source
    where ${isSameRow(key)}`,
    [`[${lines.join(',')}]`],
  )
}

/** Deletes rows that were read as lines. */
export async function deleteLines(
  connection: Connection,
  { name }: ExportedTable,
  { key }: TableColumns,
  lines: readonly string[],
): Promise<void> {
  await connection.raw(
    `delete from ${quote(name)} target
    using json_populate_recordset(null::${quote(name)}, $1::json) source
    where ${isSameRow(key)}`,
    [`[${lines.join(',')}]`],
  )
}

const isSameRow = (key: readonly string[]) =>
  key.map((column) => `target.${quote(column)} = source.${quote(column)}`).join(' and ')

/** Sets the references that `insertLines` and `updateLines` have left out. */
export async function updateReferences(
  connection: Connection,
  { name, later = [] }: ExportedTable,
  lines: readonly string[],
): Promise<void> {
  await connection.raw(
    `update ${quote(name)} target
    set ${later.map((column) => `${quote(column)} = source.${quote(column)}`).join(', ')}
    from json_populate_recordset(null::${quote(name)}, $1::json) source
    where target.org_id = current_org()
      and target.id = source.id
      and num_nonnulls(${later.map((column) => `source.${quote(column)}`).join(', ')}) > 0`,
    [`[${lines.join(',')}]`],
  )
}

/** A table of another schema is named with it. */
const quote = (name: string) =>
  name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')
