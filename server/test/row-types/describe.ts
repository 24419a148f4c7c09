import pg from 'pg'
import { connectionSettings } from '#db/connection-settings.ts'

/** A column that a statement returns. */
export interface Column {
  readonly name: string
  /** The name of its type in PostgreSQL. */
  readonly type: string
  /** What our driver makes of a value of that type. */
  readonly value: unknown
  readonly isJson: boolean
  /** Where it is read from, when that is known to be null sometimes: a column, or a table of an outer join. */
  readonly nullable: string | null
}

export interface Describer extends AsyncDisposable {
  /** @throws what PostgreSQL finds wrong with the statement */
  describe(text: string): Promise<Column[]>
}

/** Asks PostgreSQL what statements return, without executing them. */
export async function openDescriber(url: string): Promise<Describer> {
  const { types } = connectionSettings({
    ...{ url, poolSize: 1, role: null, statementTimeoutMs: 10_000, prepare: false },
    ...{ applicationName: 'row types', onError: () => {} },
  })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // A plan for whatever values: with those that are known, joins could be left out of it.
  await client.query('set plan_cache_mode = force_generic_plan')
  const typeOf = await readTypes(client)
  const nullable = await readNullable(client)
  return {
    async describe(text) {
      try {
        const fields = await prepare(client, text)
        const outer = outerColumns(await explain(client, text))
        return fields.map(({ name, dataTypeID, tableID, columnID }, at) => {
          const type = typeOf.get(dataTypeID)!.name
          return {
            ...{ name, type },
            value: types!.getTypeParser(dataTypeID)(valueOf(dataTypeID, typeOf)),
            isJson: isJson(type),
            nullable: nullable.get(`${tableID}.${columnID}`) ?? outer.get(at) ?? null,
          }
        })
      } finally {
        await client.query('deallocate all')
      }
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

interface Type {
  readonly oid: number
  readonly name: string
  readonly category: string
  /** The type of its elements. */
  readonly element: number
}
type Types = ReadonlyMap<number, Type>

async function readTypes(client: pg.Client): Promise<Types> {
  const { rows } = await client.query<Type>(
    'select oid, format_type(oid, null) as name, typcategory as category, typelem as element from pg_type',
  )
  return new Map(rows.map((type) => [type.oid, type]))
}

/** The names of columns of tables that may be null, by the numbers that a description gives. */
async function readNullable(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ key: string; name: string }>(
    `select attrelid || '.' || attnum as key, relname || '.' || attname as name
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relkind in ('r', 'p') and attnum > 0 and not attnotnull`,
  )
  return new Map(rows.map(({ key, name }) => [key, name]))
}

const isJson = (type: string) => /^jsonb?$/.test(type)

/** A value as PostgreSQL writes it. */
function valueOf(oid: number, types: Types): string {
  const { name, category, element } = types.get(oid)!
  if (category === 'A') return `{${valueOf(element, types)}}`
  if (isJson(name)) return '{}'
  return { B: 't', D: '2026-01-01 00:00:00+00' }[category] ?? '1'
}

/** Speaks the protocol as the driver's own queries do: Parse and Describe, and no Execute. */
function prepare(client: pg.Client, text: string): Promise<pg.FieldDef[]> {
  const name = 'described'
  return new Promise((resolve, reject) => {
    let found: pg.FieldDef[] = []
    client.query({
      submit(connection: pg.Connection) {
        connection.parse({ name, text, types: [] }, true)
        connection.describe({ type: 'S', name }, true)
        connection.sync()
      },
      handleRowDescription: ({ fields }: { fields: pg.FieldDef[] }) => (found = fields),
      handleError: (error: Error) => reject(error),
      handleReadyForQuery: () => resolve(found),
    } as never)
  })
}

interface Plan {
  readonly 'Join Type'?: string
  readonly Alias?: string
  readonly Output?: readonly string[]
  readonly Plans?: readonly Plan[]
}

async function explain(client: pg.Client, text: string): Promise<Plan> {
  const count = Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)))
  const values = count > 0 ? `(${Array<string>(count).fill('null').join(', ')})` : ''
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (verbose, format json) execute described ${values}`,
  )
  return rows[0]!['QUERY PLAN'][0].Plan
}

/** Columns of tables that an outer join may find no row of. One that cannot miss is an inner join in the plan. */
function outerColumns(plan: Plan): ReadonlyMap<number, string> {
  const tables = new Set(outerTables(plan))
  const columns = (plan.Output ?? []).map((column, at) => [at, column] as const)
  return new Map(columns.filter(([, column]) => tables.has(/^(\w+)\.\w+$/.exec(column)?.[1] ?? '')))
}

function outerTables({ Alias, Plans = [], 'Join Type': join = '' }: Plan, isOuter = false): string[] {
  const sides = { Left: [1], Right: [0], Full: [0, 1] }[join] ?? []
  const inner = Plans.flatMap((plan, at) => outerTables(plan, isOuter || sides.includes(at)))
  return isOuter && Alias ? [Alias, ...inner] : inner
}
