import { readFileSync } from 'node:fs'
import { isUuid } from '#schema/fields.ts'

/** All operations of openapi.json, for tests that cover each operation. */

export interface Schema {
  $ref?: string
  type?: string
  format?: string
  enum?: string[]
  required?: string[]
  properties?: Record<string, Schema>
  minimum?: number
  [member: string]: unknown
}

interface Parameter {
  in: 'path' | 'query' | 'header'
  name: string
  required?: boolean
  schema: Schema
}

export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With path parameters in braces. */
  path: string
  name: string
  permission: string
  pathParameters: Parameter[]
  queryParameters: Parameter[]
  headerParameters: Parameter[]
  body: Schema | null
  responses: Record<string, DocumentedResponse>
  isStream: boolean
}

interface DocumentedOperation {
  parameters?: (Parameter | Reference)[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, DocumentedResponse | Reference>
  'x-permission': string
}

interface Reference {
  $ref: string
}

export interface DocumentedResponse {
  headers?: object
  content?: Record<string, { schema: Schema }>
}

export interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, DocumentedResponse>
    parameters: Record<string, Parameter>
  }
}

export const contract = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
) as Document

export const operations: Operation[] = Object.entries(contract.paths).flatMap(([path, found]) =>
  Object.entries(found).map(([method, operation]) => {
    const parameters = (operation.parameters ?? []).map((one) =>
      '$ref' in one ? contract.components.parameters[nameIn(one)]! : one,
    )
    const responses = Object.fromEntries(
      Object.entries(operation.responses).map(([status, one]) => [
        status,
        '$ref' in one ? contract.components.responses[nameIn(one)]! : one,
      ]),
    )
    // Bodies of operations without a token are tested with their parsers.
    const isOpen = operation['x-permission'] === 'none'
    const body = isOpen ? undefined : operation.requestBody?.content['application/json']?.schema
    return {
      method: method.toUpperCase() as Operation['method'],
      path,
      name: `${method.toUpperCase()} ${path}`,
      permission: operation['x-permission'],
      pathParameters: parameters.filter((one) => one.in === 'path'),
      queryParameters: parameters.filter((one) => one.in === 'query'),
      headerParameters: parameters.filter((one) => one.in === 'header'),
      body: body ? resolveSchema(body) : null,
      responses,
      isStream: 'text/event-stream' in (responses['200']?.content ?? {}),
    }
  }),
)

/** The name of the component of a reference. */
function nameIn({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

export function resolveSchema(schema: Schema): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '')
  return name ? contract.components.schemas[name]! : schema
}

export const fillPath = (path: string, value: string) => path.replace(/\{\w+\}/g, value)

/** A URL with a query and the required parameters of the operation. */
export function queryUrl(path: string, query = ''): string {
  const found = operations.find((one) => one.method === 'GET' && one.path === path)
  const needed = (found?.queryParameters ?? [])
    .filter(({ required }) => required)
    .map(({ name, schema }) => `${name}=${exampleFor(name, schema)}`)
  return `${path}?${[...needed, query].filter(Boolean).join('&')}`
}

function exampleFor(name: string, schema: Schema): string {
  const value = schema.enum?.[0] ?? { from: '2031-07-01', to: '2031-07-04', q: 'made' }[name]
  if (!value) throw new Error(`Add an example of the query parameter ${name} to operations.ts.`)
  return value
}

/** Values of a filter of a list: one that no record has, or each that the schema lists. */
export function filterValuesOf(name: string, schema: Schema): string[] {
  const item = (schema['items'] as Schema | undefined) ?? schema
  if (name === 'limit' || name === 'cursor') return []
  if (item.enum) return item.enum
  const examples: Record<string, string> = {
    ...{
      uuid: '00000000-0000-4000-8000-000000000000',
      date: '2031-01-01',
      'date-time': '2031-01-01T00:00:00Z',
      email: 'a@b.example',
    },
  }
  return [
    examples[item.format ?? ''] ?? (item.type === 'boolean' ? 'true' : item.type === 'string' ? 'xyz' : '1'),
  ]
}

/** For members of bookings, which are in camelCase. */
export const inSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The collection of an id, by the name of its parameter or member. */
export function collectionOf(name: string, path: string): string {
  if (name === 'id') return path.replace(/\/\{id\}.*$|\.csv$/, '')
  const collection = collections[inSnakeCase(name)]
  if (!collection) throw new Error(`Add the collection of ${name} of ${path} to operations.ts.`)
  return `/api/v1/${collection}`
}

const collections: Record<string, string> = {
  org_id: 'organizations',
  account_id: 'accounts',
  space_id: 'spaces',
  unit_id: 'units',
  source_unit_id: 'units',
  rate_plan_id: 'rate-plans',
  charge_id: 'charges',
  quote_id: 'quotes',
  booking_id: 'bookings',
  booking_ids: 'bookings',
  payment_intent_id: 'payment-intents',
  channel_target_id: 'channel-targets',
  channel_listing_id: 'channel-listings',
  listing_id: 'channel-listings',
  target_id: 'channel-targets',
  property_id: 'spaces',
  calendar_feed_id: 'calendar-feeds',
  reverts_id: 'calendar-changes',
  season_id: 'seasons',
  import_id: 'imports',
  file_import_id: 'file-imports',
  event_id: 'events',
  webhook_endpoint_id: 'webhook-endpoints',
  // A decision is about any kind of record.
  record_id: 'units',
  actor_id: 'members',
  // Jobs have no operation; sync/audit lists them.
  job_id: 'jobs',
}

/** The paths of members with ids of other records: `unit_id`, or `values/0/unit_id` in a list. */
export const referencesIn = ({ properties = {} }: Schema): string[] =>
  Object.entries(properties).flatMap(([name, found]) => {
    const schema = resolveSchema(found)
    if (schema.format === 'uuid') return [name]
    const entry = schema.type === 'array' ? resolveSchema(schema['items'] as Schema) : undefined
    return entry ? referencesIn(entry).map((inner) => `${name}/0/${inner}`) : []
  })

/** The body with another value at a path of `referencesIn`. */
export function withReference(
  schema: Schema,
  body: Record<string, unknown>,
  path: string,
  value: string,
  idFor: (name: string) => string,
): object {
  const [name, , inner] = path.split('/')
  // Some schemas allow one member only.
  if (inner === undefined)
    return schema['maxProperties'] === 1 ? { [path]: value } : { ...body, [path]: value }
  const entry = resolveSchema(resolveSchema(schema.properties![name!]!)['items'] as Schema)
  const [first = bodyFor(entry, idFor)] = (body[name!] ?? []) as object[]
  return { ...body, [name!]: [{ ...first, [inner]: value }] }
}

let count = 0

/** A valid body of the required members, with ids of `idFor`. */
export function bodyFor(schema: Schema, idFor: (name: string) => string): Record<string, unknown> {
  // The example has members that are valid together; its ids are replaced.
  const body = withOwnIds(schema['example'] ?? {}, idFor) as Record<string, unknown>
  // Listings refer to an existing room of the PMS instead of creating one.
  const members = schema.properties ?? {}
  const either = [
    ...('create' in members ? ['external_id'] : []),
    // Charges are for a unit instead of a space.
    ...('guests_included' in members && schema.required ? ['unit_id'] : []),
  ]
  for (const name of [...(schema.required ?? []), ...either]) {
    const member = resolveSchema(schema.properties![name]!)
    if (member.format === 'uuid') body[name] = idFor(name)
    else if (name in body) continue
    else if (member.type === 'array') body[name] = [bodyFor(resolveSchema(member['items'] as Schema), idFor)]
    else if (member.enum) body[name] = member.enum[0]
    else if (member['example'] !== undefined) body[name] = member['example']
    else if (member.type === 'string') body[name] = `Made ${++count}`
    else if (member.type === 'integer' || member.type === 'number') body[name] = member.minimum ?? 1
    else throw new Error(`Add a value of ${name} to operations.ts.`)
  }
  return body
}

/** Replaces the ids of an example with those of `idFor`. */
function withOwnIds(value: unknown, idFor: (name: string) => string, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withOwnIds(one, idFor, name))
  if (typeof value === 'string') return isUuid(value) ? idFor(name.replace(/_ids$/, '_id')) : value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([member, inside]) => [member, withOwnIds(inside, idFor, member)]),
  )
}
