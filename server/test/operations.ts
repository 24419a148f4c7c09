import { readFileSync } from 'node:fs'
import { isUuid } from '#fields.ts'

/** The contract as tests walk it: every operation of openapi.json, so that a new one is never forgotten. */

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
  /** With its parameters in braces. */
  path: string
  name: string
  permission: string
  pathParameters: Parameter[]
  queryParameters: Parameter[]
  headerParameters: Parameter[]
  body: Schema | null
  responses: Record<string, Answer>
  isStream: boolean
}

interface Found {
  parameters?: (Parameter | Reference)[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Answer | Reference>
  'x-permission': string
}

interface Reference {
  $ref: string
}

export interface Answer {
  headers?: object
  content?: Record<string, { schema: Schema }>
}

export interface Document {
  paths: Record<string, Record<string, Found>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Answer>
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
    // What anybody may send, whatever its form, is tried where it is read.
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
      body: body ? resolved(body) : null,
      responses,
      isStream: 'text/event-stream' in (responses['200']?.content ?? {}),
    }
  }),
)

/** The last segment of a reference is the name of the component. */
function nameIn({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

export function resolved(schema: Schema): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '')
  return name ? contract.components.schemas[name]! : schema
}

export const filled = (path: string, value: string) => path.replace(/\{\w+\}/g, value)

/** An address with a query, and with what its operation cannot do without. */
export function asked(path: string, query = ''): string {
  const found = operations.find((one) => one.method === 'GET' && one.path === path)
  const needed = (found?.queryParameters ?? [])
    .filter(({ required }) => required)
    .map(({ name, schema }) => `${name}=${exampleFor(name, schema)}`)
  return `${path}?${[...needed, query].filter(Boolean).join('&')}`
}

function exampleFor(name: string, schema: Schema): string {
  const value = schema.enum?.[0] ?? { from: '2031-07-01', to: '2031-07-04' }[name]
  if (!value) throw new Error(`No value for ${name} in a query: teach operations.ts one.`)
  return value
}

/** Members of bookings are in camelCase. */
export const inSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The collection that an id names, by the name of the parameter or member that holds it. */
export function collectionOf(name: string, path: string): string {
  if (name === 'id') return path.replace(/\/\{id\}.*$/, '')
  const collection = collections[inSnakeCase(name)]
  if (!collection)
    throw new Error(`Which collection does ${name} of ${path} refer to? Say so in operations.ts.`)
  return `/api/v1/${collection}`
}

const collections: Record<string, string> = {
  org_id: 'organizations',
  account_id: 'accounts',
  space_id: 'spaces',
  unit_id: 'units',
  rate_plan_id: 'rate-plans',
  charge_id: 'charges',
  quote_id: 'quotes',
  booking_id: 'bookings',
  payment_intent_id: 'payment-intents',
  channel_target_id: 'channel-targets',
  channel_listing_id: 'channel-listings',
  listing_id: 'channel-listings',
  target_id: 'channel-targets',
  property_id: 'spaces',
  calendar_feed_id: 'calendar-feeds',
  event_id: 'events',
  webhook_endpoint_id: 'webhook-endpoints',
  // Jobs have no page; sync/audit tells of them.
  job_id: 'jobs',
}

/** Members that hold the id of something else, by their form: `unit_id`, or `values/0/unit_id` inside of a list. */
export const referencesIn = ({ properties = {} }: Schema): string[] =>
  Object.entries(properties).flatMap(([name, found]) => {
    const schema = resolved(found)
    if (schema.format === 'uuid') return [name]
    const entry = schema.type === 'array' ? resolved(schema['items'] as Schema) : undefined
    return entry ? referencesIn(entry).map((inner) => `${name}/0/${inner}`) : []
  })

/** The body with another value at one of `referencesIn`. */
export function withReference(
  schema: Schema,
  body: Record<string, unknown>,
  path: string,
  value: string,
  idFor: (name: string) => string,
): object {
  const [name, , inner] = path.split('/')
  // Some are named by one member only.
  if (inner === undefined)
    return schema['maxProperties'] === 1 ? { [path]: value } : { ...body, [path]: value }
  const entry = resolved(resolved(schema.properties![name!]!)['items'] as Schema)
  const [first = bodyFor(entry, idFor)] = (body[name!] ?? []) as object[]
  return { ...body, [name!]: [{ ...first, [inner]: value }] }
}

let made = 0

/** A body that fits: what is required, with the ids that `idFor` knows. */
export function bodyFor(schema: Schema, idFor: (name: string) => string): Record<string, unknown> {
  // What a schema cannot say of members that go together, its example does; the ids in it are nobody's.
  const body = withOwnIds(schema['example'] ?? {}, idFor) as Record<string, unknown>
  // What is either made or named at the PMS is named.
  const members = schema.properties ?? {}
  const either = [
    ...('create' in members ? ['external_id'] : []),
    // And a charge for a space or a unit is for a unit.
    ...('guests_included' in members && schema.required ? ['unit_id'] : []),
  ]
  for (const name of [...(schema.required ?? []), ...either]) {
    const member = resolved(schema.properties![name]!)
    if (member.format === 'uuid') body[name] = idFor(name)
    else if (name in body) continue
    else if (member.type === 'array') body[name] = [bodyFor(resolved(member['items'] as Schema), idFor)]
    else if (member.enum) body[name] = member.enum[0]
    else if (member['example'] !== undefined) body[name] = member['example']
    else if (member.type === 'string') body[name] = `Made ${++made}`
    else if (member.type === 'integer' || member.type === 'number') body[name] = member.minimum ?? 1
    else throw new Error(`No value for ${name}: teach operations.ts how to make one.`)
  }
  return body
}

/** The same with the ids that `idFor` knows in the place of those of an example. */
function withOwnIds(value: unknown, idFor: (name: string) => string, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withOwnIds(one, idFor, name))
  if (typeof value === 'string') return isUuid(value) ? idFor(name) : value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([member, inside]) => [member, withOwnIds(inside, idFor, member)]),
  )
}
