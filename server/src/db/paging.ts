import { sql, type Fragment, type Statement } from './sql.ts'

/** Keyset pagination: a page begins after the last row of the previous one, whatever was added meanwhile. */

export interface PageRequest {
  readonly limit: number
  readonly sort: string
  readonly after: { value: string; id: string } | null
  /** Builds the cursor of the page that begins after a row. */
  readonly cursorAt: (value: string, id: string) => string
}

/** The end of a statement after `where …`: starts after the cursor, sorts, and reads one row more than the page has. */
export function pageClause(
  table: string,
  { limit, sort, after }: PageRequest,
  { id = 'id', ofFew = false } = {},
): Fragment {
  const descending = sort.startsWith('-')
  const column = orderOf(table, sort)
  const key = sql.ref(`${table}.${id}`)
  const direction = descending ? sql.raw('desc') : sql.raw('asc')
  const type = sql.raw(
    /_at$|check_in$/.test(sort) ? 'timestamptz' : /position$/.test(sort) ? 'integer' : 'text',
  )
  const comparison = descending ? sql.raw('<') : sql.raw('>')
  const order = ofFew ? withoutIndex(column) : column
  const afterCursor = after
    ? sql` and (${column}, ${key}) ${comparison} (cast(${after.value} as ${type}), cast(${after.id} as uuid))`
    : sql``
  return sql`${afterCursor} order by ${order} ${direction}, ${key} ${direction} limit ${limit + 1}`
}

/**
 * An order that no index has, for a page of few records. With a limit of any value, the planner would read all of an index
 * in the order of the page to find few records in it.
 */
export const withoutIndex = (column: Fragment) => sql`coalesce(${column}, ${column})`

/** The sort column for the cursor. Timestamps become text in Node, because PostgreSQL takes 20 times as long. */
export const sortColumn = (table: string, { sort }: PageRequest) => orderOf(table, sort)

/** The order of names has numbers in their order and ignores case and accents. Few records need no column with it. */
function orderOf(table: string, sort: string): Fragment {
  const column = sql.ref(`${table}.${orderColumn(table, sort)}`)
  const isComputed = /^-?name$/.test(sort) && ['account', 'organization', 'season', 'target'].includes(table)
  return isComputed ? sql`order_key(${column}) collate "C"` : column
}

/** Units and spaces have a column with the order of their names. */
export function orderColumn(table: string, sort: string): string {
  const field = sort.replace(/^-/, '')
  return field === 'name' && (table === 'unit' || table === 'space') ? 'name_order' : field
}

/** The columns that a list can be filtered by. */
export interface ListColumns {
  readonly columns: readonly string[]
  /** Columns with an index that returns the records of each value in the order of their creation. */
  readonly indexed?: readonly string[]
  /** Columns of one such index, with all their values: it also finds the records of one of the columns. */
  readonly together?: Readonly<Record<string, readonly string[]>>
  /** Columns with an index that returns the records of a value in another order. */
  readonly findable?: readonly string[]
  /** Conditions of filters that do not compare a column with values, by the names of the filters. */
  readonly conditions?: Readonly<Record<string, Fragment>>
  /** Filters of which a statement finds the ids of the records with these values: null when they are many. */
  readonly lookups?: Readonly<Record<string, (values: readonly unknown[]) => Fragment>>
  /** Where the list joins other tables, the ids by one filter without them: any plan of the joins may read all. */
  readonly find?: (where: Fragment, by: string) => Fragment
  /** Values that most records have. Those with others have an index, which PostgreSQL uses where it reads its condition. */
  readonly usual?: Readonly<Record<string, { readonly values: readonly string[]; readonly others: Fragment }>>
  /** What `q` searches in: the kind of record that `records_named` finds, and the column, or statements of the list. */
  readonly named?:
    | { readonly kind: 'unit' | 'space' | 'booking'; readonly column: string }
    | {
        readonly ids: (part: string) => Fragment
        readonly has: (part: string) => Fragment
      }
}

/** Lookups of columns that a BRIN index with Bloom filters of the table has. */
export const rareValues = (table: string, columns: readonly string[]): NonNullable<ListColumns['lookups']> =>
  Object.fromEntries(
    columns.map((name) => [
      name,
      (values: readonly unknown[]) => sql`select few_records(${table}, ${name}, ${values}::text[])`,
    ]),
  )

/** Builds the statement of a list from the end of its `where …`. */
type BuildQuery<Row> = (where: Fragment) => Statement<Row>

/** Of so many records a page is sorted. With more of them, a page is soon full when all records are read in its order. */
const maxSorted = 3_000

/**
 * The statement for one page of a list; `query` receives the end of its `where …`. The planner cannot know how many
 * records match: it may read all of a million in the order of the page to find none, or all that match to sort them.
 */
export function buildPageQuery<Row>(
  table: string,
  given: object,
  list: ListColumns,
  page: PageRequest,
  build: BuildQuery<Row>,
): Statement<Row> {
  const filter = given as Record<string, unknown>
  const has = (name: string) => filter[name] !== undefined
  const unusual = Object.entries(list.usual ?? {}).filter(
    ([name, { values }]) => has(name) && ![filter[name]].flat().some((one) => values.includes(one as string)),
  )
  const areUnusual = unusual.map(([, { others }]) => sql` and ${others}`)
  const query: BuildQuery<Row> = (where) => build(sql`${sql.join(areUnusual, '')}${where}`)
  const { columns, together = {}, findable = [], conditions = {}, lookups = {}, named, find = query } = list
  const indexed = [...(list.indexed ?? []), ...unusual.map(([name]) => name)]
  const clauseOf = (part: object) => {
    const others = Object.keys(part).filter((name) => name in conditions && has(name))
    const clauses = others.map((name) => sql` and ${conditions[name]!}`)
    return sql`${filterClause(table, part, columns)}${sql.join(clauses, '')}`
  }
  const isAnyOf = (ids: Fragment) => sql` and ${sql.ref(`${table}.id`)} = any(${ids}::uuid[])`
  /** Of few records that match these filters, the page is sorted; of many, it is read as if there were none of them. */
  const few = (names: readonly string[], ids: Fragment, condition = clauseOf(only(filter, names))) => {
    const others = without(filter, names)
    const cte = sql.ref(`few_${names[0]}`)
    const found = sql`(select ${cte}.ids from ${cte})`
    // `is true` keeps the planner from reading all that match by their index, as it expects few of them.
    const whenMany: BuildQuery<Row> = (where) =>
      query(sql` and ${found} is null and (true${condition}) is true${where}`)
    return sql<Row>`
      with ${cte} (ids) as materialized (${ids})
      select page.*
      from (
        (${query(sql`${isAnyOf(found)}${clauseOf(others)}${pageClause(table, page, { ofFew: true })}`)})
        union all
        (${buildPageQuery(table, others, list, page, whenMany)})
      ) page
      ${mergeOrder(page)}`
  }

  const part = filter['q'] as string | undefined
  if (named && part !== undefined) {
    if ('ids' in named) return few(['q'], named.ids(part), named.has(part))
    // What is searched has the name in it, and is stored as it is compared.
    const isFound = sql`${sql.ref(`${table}.search_text`)} like ${searchPattern(part)}`
    const condition = sql` and ${isFound} and ${hasText(sql.ref(`${table}.${named.column}`), part)}`
    return few(['q'], sql`select records_named(${named.kind}, ${part})`, condition)
  }

  const lookedUp = Object.keys(lookups).find(has)
  if (lookedUp !== undefined) return few([lookedUp], lookups[lookedUp]!([filter[lookedUp]].flat()))

  const isInOrder = /(created_at|received_at|changed_at|position)$/.test(page.sort)
  const inOtherOrder = [
    ...(page.sort.endsWith('updated_at') ? [] : ['updated_since']),
    ...findable,
    // With values of the columns together too, the page would be merged from records of which few have this one.
    ...(isInOrder && !Object.keys(together).some(has) ? [] : indexed),
  ]
  const found = inOtherOrder.find(has)
  if (found !== undefined) {
    const order = found === 'updated_since' ? sql` order by ${sql.ref(`${table}.updated_at`)}` : sql``
    return few([found], idsOfFew(find(sql`${clauseOf(only(filter, [found]))}${order}${ofFewLimit}`, found)))
  }

  // An index returns the records of one value in their order, so the page is merged from those of each value.
  const several = indexed.find((name) => Array.isArray(filter[name]) && filter[name].length > 1)
  const names = several === undefined ? Object.keys(together) : [several]
  if (!names.some(has)) return query(sql`${clauseOf(filter)}${pageClause(table, page)}`)
  const values = { ...(several === undefined && together), ...only(filter, names) }
  const ofEach = (end: Fragment) => sql`
    select page.id
    ${ofEachValue(table, values, (equal) => query(sql`${equal}${end}`))}`
  if (!isInOrder) return few(names, idsOfFew(sql`${ofEach(ofFewLimit)}${ofFewLimit}`))
  const others = clauseOf(without(filter, names))
  // Only the rows of the page are read whole.
  const ids = sql`array(${ofEach(sql`${others}${pageClause(table, page)}`)} ${mergeOrder(page)})`
  return query(sql`${isAnyOf(ids)}${pageClause(table, page)}`)
}

const only = (filter: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(
    Object.entries(filter).filter(([name, value]) => names.includes(name) && value !== undefined),
  )
const without = (filter: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(filter).filter(([name]) => !names.includes(name)))

/** At the end of a statement for `idsOfFew`. */
export const ofFewLimit = sql` limit ${sql.lit(maxSorted + 1)}`

/** The ids of a statement with `ofFewLimit`; null when it has more. */
export const idsOfFew = (found: Fragment) => sql`
  select case when count(*) <= ${sql.lit(maxSorted)} then coalesce(array_agg(found.id), '{}') end
  from (${found}) found`

/**
 * One page from the index for each combination of values, to be merged. A plain `= any(…)` took 1.4 s for two units
 * without bookings among 360,000 bookings.
 */
function ofEachValue(
  table: string,
  values: Record<string, unknown>,
  build: (equal: Fragment) => Fragment,
): Fragment {
  const entries = Object.entries(values)
  const each = entries.map(([name, given]) => {
    const type = sql.raw(name.endsWith('_id') ? 'uuid' : 'text')
    return sql`(select distinct unnest(${[given].flat()}::${type}[]) as value) ${sql.ref(`of_${name}`)}`
  })
  const equal = entries.map(
    ([name]) => sql` and ${sql.ref(`${table}.${name}`)} = ${sql.ref(`of_${name}.value`)}`,
  )
  return sql`from ${sql.join(each, ' cross join ')} cross join lateral (${build(sql.join(equal, ''))}) page`
}

/** The order of pages that are merged. */
const mergeOrder = ({ limit, sort }: PageRequest) => {
  const direction = sort.startsWith('-') ? sql.raw('desc') : sql.raw('asc')
  return sql`order by page.sort_value ${direction}, page.id ${direction} limit ${limit + 1}`
}

/** Whether a column equals the value, or any of the values. */
export const matchesAny = (column: Fragment, values: readonly unknown[]) =>
  values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} = any(${values})`

/** Conditions, each with a leading `and`, for the given filters: equality with any value, `q` in the name, `updated_since`. */
export function filterClause(table: string, given: object, columns: readonly string[] = []): Fragment {
  const parts: Fragment[] = []
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (name === 'q') parts.push(sql` and ${hasText(sql.ref(`${table}.name`), String(value))}`)
    else if (name === 'updated_since')
      parts.push(sql` and ${sql.ref(`${table}.updated_at`)} >= ${value}::timestamptz`)
    else if (columns.includes(name))
      parts.push(sql` and ${matchesAny(sql.ref(`${table}.${name}`), [value].flat())}`)
  }
  return sql.join(parts, '')
}

/** Whether a text contains the other, ignoring case and accents. */
export const hasText = (text: Fragment, part: string) => sql`search_key(${text}) like ${searchPattern(part)}`

/** A `like` pattern for what `search_key` returns, computed once for a statement. */
export const searchPattern = (part: string) => sql`(select search_key(${containsPattern(part)}))`

/** A `like` pattern that matches the literal text anywhere. */
export const containsPattern = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`
