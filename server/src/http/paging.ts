import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { sql, type RawBuilder } from 'kysely'
import { Type, type TSchema } from 'typebox'
import { Malformed } from '#errors.ts'
import { Id, Timestamp } from '#fields.ts'

/** Keyset paging: a page begins behind the last row of the one before, whatever was added meanwhile. */

/** The form of a cursor; what it means is nobody's business but ours. */
export const cursorText = { maxLength: 1024, pattern: '^[\\w-]+$' }

/** A filter by equality. Repeated, it finds the records that have any of the values; a comma is part of a value. */
export function anyOf<T extends TSchema>(value: T) {
  const { description, ...items } = value as T & { description?: string }
  return Type.Optional(
    Type.Array(items as unknown as T, {
      minItems: 1,
      maxItems: 100,
      description: `${description ? `${description} ` : ''}Repeat it for any of several.`,
    }),
  )
}

export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, format: 'int32', description: 'Records per page (50).' }),
  ),
  cursor: Type.Optional(
    Type.String({
      ...cursorText,
      minLength: 1,
      description: '`next_cursor` of the page before.',
    }),
  ),
  org_id: anyOf(Id),
  updated_since: Type.Optional(Timestamp),
}

export const sortable = <const T extends string[]>(...fields: T) =>
  Type.Optional(
    Type.Unsafe<T[number] | `-${T[number]}`>({
      type: 'string',
      enum: fields.flatMap((field) => [field, `-${field}`]),
      description: 'Field to sort by; a minus in front turns the order.',
    }),
  )

export interface PageRequest {
  readonly limit: number
  readonly sort: string
  readonly after: { value: string; id: string } | null
  /** Makes the cursor that continues behind a row. */
  readonly cursorAt: (value: string, id: string) => string
}

/** Reads limit, sort and cursor. A cursor works only for the caller, path, sort and filters it was made for. */
export function pageRequest(
  request: {
    query: { limit?: number; cursor?: string; sort?: string }
    scope: { orgId: string }
    routeOptions: { url?: string | undefined }
  },
  key: Buffer,
  defaultSort = 'created_at',
): PageRequest {
  const { limit = 50, cursor, sort = defaultSort, ...given } = request.query
  // The same values in another order are the same filter.
  const filters = Object.entries(given).map(([name, value]: [string, unknown]) => {
    const values = [value].flat()
    return [name, values.length === 1 ? values[0] : values.sort()]
  })
  // Only asked for when there is a cursor to read or to make: most lists fit on one page.
  const purpose = () =>
    createHash('sha256')
      .update(JSON.stringify([request.scope.orgId, request.routeOptions.url, sort, filters.sort()]))
      .digest()
  const cursorAt = (value: string, id: string) => {
    const payload = Buffer.from(JSON.stringify([value, id]))
    return Buffer.concat([seal(payload, purpose(), key), payload]).toString('base64url')
  }
  return { limit, sort, after: cursor === undefined ? null : opened(cursor, purpose(), key), cursorAt }
}

const sealBytes = 16
const keyBytes = 32
const seal = (payload: Buffer, purpose: Buffer, key: Buffer) =>
  createHmac('sha256', key.subarray(0, keyBytes))
    .update(purpose)
    .update(payload)
    .digest()
    .subarray(0, sealBytes)

function opened(cursor: string, purpose: Buffer, key: Buffer): { value: string; id: string } {
  const bytes = Buffer.from(cursor, 'base64url')
  const payload = bytes.subarray(sealBytes)
  if (
    bytes.length <= sealBytes ||
    !keysIn(key).some((one) => timingSafeEqual(bytes.subarray(0, sealBytes), seal(payload, purpose, one)))
  )
    throw new Malformed(
      'invalid-cursor',
      'The cursor does not belong to this list with these filters and this sort.',
    )
  const [value, id] = JSON.parse(payload.toString()) as [string, string]
  return { value, id }
}

/** Keys one after the other: the first seals, each of them opens, so that they are changed while readers go on. */
const keysIn = (keys: Buffer): Buffer[] =>
  Array.from({ length: keys.length / keyBytes }, (_, at) => keys.subarray(at * keyBytes, (at + 1) * keyBytes))

/** The part of a statement behind `where …`: continues behind the cursor, orders, and takes one row more. */
export function pageClause(
  table: string,
  { limit, sort, after }: PageRequest,
  id = 'id',
): RawBuilder<unknown> {
  const descending = sort.startsWith('-')
  const column = sql.ref(`${table}.${descending ? sort.slice(1) : sort}`)
  const key = sql.ref(`${table}.${id}`)
  const direction = descending ? sql.raw('desc') : sql.raw('asc')
  const type = sql.raw(
    /_at$|check_in$/.test(sort) ? 'timestamptz' : /position$/.test(sort) ? 'integer' : 'text',
  )
  const comparison = descending ? sql.raw('<') : sql.raw('>')
  const behind = after
    ? sql` and (${column}, ${key}) ${comparison} (cast(${after.value} as ${type}), cast(${after.id} as uuid))`
    : sql``
  return sql`${behind} order by ${column} ${direction}, ${key} ${direction} limit ${limit + 1}`
}

/** The sort column as the cursor keeps it; times become text in Node, which PostgreSQL does 20 times slower. */
export const sortColumn = (table: string, { sort }: PageRequest) =>
  sql.ref(`${table}.${sort.replace(/^-/, '')}`)

/** What a list can be filtered by, and where several values are looked up one by one. */
export interface ListColumns {
  readonly columns: readonly string[]
  /** Columns with an index that has the records of each value in the order of the list. */
  readonly indexed?: readonly string[]
}

/**
 * One page of a list: `query` is given what belongs behind its `where …`. Of several values of an indexed column, each
 * gives a page from the index, and the pages are merged. Left to the planner, which cannot know how the values are
 * spread, two units without bookings took 1.4 s among 360,000 bookings, and a hundred busy ones as long.
 */
export function pageOf<Row>(
  table: string,
  given: object,
  { columns, indexed = [] }: ListColumns,
  page: PageRequest,
  query: (where: RawBuilder<unknown>) => RawBuilder<Row>,
): RawBuilder<Row> {
  const filter = given as Record<string, unknown>
  const column = indexed.find((name) => Array.isArray(filter[name]) && filter[name].length > 1)
  if (column === undefined) return query(sql`${filters(table, filter, columns)}${pageClause(table, page)}`)
  const { [column]: values, ...others } = filter
  const type = sql.raw(column.endsWith('_id') ? 'uuid' : 'text')
  const ofValue = sql` and ${sql.ref(`${table}.${column}`)} = several.value`
  return sql<Row>`select page.* from (select distinct unnest(${values}::${type}[]) as value) several
    cross join lateral (${query(sql`${ofValue}${filters(table, others, columns)}${pageClause(table, page)}`)}) page
    ${mergedOrder(page)}`
}

const mergedOrder = ({ limit, sort }: PageRequest) => {
  const direction = sort.startsWith('-') ? sql.raw('desc') : sql.raw('asc')
  return sql`order by page.sort_value ${direction}, page.id ${direction} limit ${limit + 1}`
}

/** A column that has the value, or any of the values. */
export const isAnyOf = (column: RawBuilder<unknown>, values: readonly unknown[]) =>
  values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} = any(${values})`

/** `and`-ed conditions for the filters that are given: any of the values, `q` within the name, `updated_since`. */
export function filters(table: string, given: object, columns: readonly string[] = []): RawBuilder<unknown> {
  const parts: RawBuilder<unknown>[] = []
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (name === 'q') parts.push(sql` and ${sql.ref(`${table}.name`)} ilike ${containing(String(value))}`)
    else if (name === 'updated_since')
      parts.push(sql` and ${sql.ref(`${table}.updated_at`)} >= ${value}::timestamptz`)
    else if (columns.includes(name))
      parts.push(sql` and ${isAnyOf(sql.ref(`${table}.${name}`), [value].flat())}`)
  }
  return sql.join(parts, sql``)
}

/** A pattern for `like` that finds the text anywhere, to the letter. */
export const containing = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`
