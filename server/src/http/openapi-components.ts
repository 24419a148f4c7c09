import { Id, nullable } from '#schema/fields.ts'
import { descriptionOf, withDescriptions } from './describe-members.ts'
import { responseHeaders } from './openapi-operation.ts'
import { problemCodesIn } from './problem-schemas.ts'

/**
 * Moves what is repeated into components, which makes the document smaller. Schemas are named by their title; responses
 * and parameters become components when they are repeated.
 */
export function withComponents(document: object): object {
  const whole = withNamedSchemas(document) as Document
  addHeaders(whole)
  describeParameters(whole)
  Object.assign(whole.components.schemas, shareMembers(whole))
  const components = {
    ...whole.components,
    headers: Object.fromEntries(
      Object.entries(responseHeaders).map(([name, { description, ...schema }]) => [
        shortNameOf(name),
        { description, schema },
      ]),
    ),
    responses: shareResponses(whole),
    parameters: shareParameters(whole),
  }
  return { ...whole, components }
}

type Part = Record<string, unknown>
type Answer = Part & { headers?: object }
interface Document {
  paths?: Record<string, Record<string, { responses: Record<string, Answer>; parameters?: Part[] }>>
  components: { schemas: Part }
}

const operationsOf = ({ paths = {} }: Document) => Object.values(paths).flatMap((path) => Object.values(path))

/** Schemas with a title become components, so that clients get named types. Every member gets a description. */
function withNamedSchemas(document: object): object {
  const schemas: Part = {}
  const hoist = (part: unknown, owner: string): unknown => {
    if (Array.isArray(part)) return part.map((one) => hoist(one, owner))
    if (part === null || typeof part !== 'object') return part
    const title = 'title' in part ? part.title : undefined
    const inside = typeof title === 'string' ? title : owner
    const parts = Object.entries(part).map(([key, value]) => [key, hoist(value, inside)])
    const done = withDescriptions(Object.fromEntries(parts) as Part, inside)
    if (typeof title !== 'string' || done['type'] !== 'object') return done
    if (schemas[title] && JSON.stringify(schemas[title]) !== JSON.stringify(done))
      throw new Error(`Two schemas are called ${title}.`)
    schemas[title] = done
    return { $ref: `#/components/schemas/${title}` }
  }
  const whole = hoist(document, '') as Document
  Object.assign(whole.components.schemas, schemas)
  return whole
}

function describeParameters(document: Document): void {
  for (const { parameters = [] } of operationsOf(document))
    for (const parameter of parameters) {
      const schema = parameter['schema'] as Part
      parameter['description'] ??=
        schema['description'] ?? descriptionOf(String(parameter['name']), schema, '')
      // The default.
      if (parameter['required'] === false) delete parameter['required']
    }
}

/** Members that many schemas have. The most frequent form of each becomes a component: `Id`, `CreatedAt`. */
const sharedMembers = [
  ...['id', 'name', 'currency', 'timezone', 'country', 'amenities', 'event_types', 'date_from', 'date_to'],
  ...['created_at', 'updated_at', 'timestamp', 'next_attempt_at', 'next_cursor', 'has_more'],
  ...['base_price_cents', 'min_price_cents', 'free_of_charge', 'quantity', 'max_guests', 'max_stay'],
  ...['arrival', 'departure', 'guests', 'rooms', 'nights', 'checkIn', 'actor', 'error_code'],
  ...['applies_to', 'warnings', 'notes', 'basis', 'bathrooms', 'ratePlanId', 'full_sync_cron'],
  ...['hint', 'error_message', 'amount', 'rate_plans', 'url'],
  ...['bedrooms', 'rate_limit', 'externalId', 'cancellationReason', 'guestEmail', 'guestPhone', 'adr_cents'],
]

function shareMembers(document: Document): Part {
  const all = propertiesIn(document)
  const forms = sharedMembers.flatMap((name) => {
    const members = all.flatMap((properties) =>
      name in properties ? [JSON.stringify(properties[name])] : [],
    )
    const [text] = repeated(members)
    const title = name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
    return text === undefined ? [] : [[text, title] as const]
  })
  forms.push([JSON.stringify(nullable(Id)), 'IdOrNull'])
  const shared = new Map(forms)
  for (const properties of all)
    for (const [name, member] of Object.entries(properties)) {
      const title = shared.get(JSON.stringify(member))
      if (title !== undefined) properties[name] = { $ref: `#/components/schemas/${title}` }
    }
  return Object.fromEntries(forms.map(([text, title]) => [title, JSON.parse(text) as Part]))
}

function propertiesIn(part: unknown): Part[] {
  if (part === null || typeof part !== 'object') return []
  const { type, properties } = part as Part
  const own = type === 'object' && properties ? [properties as Part] : []
  return [...own, ...Object.values(part).flatMap(propertiesIn)]
}

/** The texts that occur more than once, the most frequent first. */
const repeated = (texts: readonly string[]): string[] =>
  [...Map.groupBy(texts, (text) => text)]
    .filter(([, { length }]) => length > 1)
    .sort(([, left], [, right]) => right.length - left.length)
    .map(([text]) => text)

/** Hundreds of references name these headers. */
const shortNameOf = (header: string): string =>
  header.replace(/^X-RateLimit-|^Access-Control-Allow-|^Idempotent-/, '')

/** Adds the headers of every response, as references. */
function addHeaders(document: Document): void {
  for (const { responses } of operationsOf(document))
    for (const answer of Object.values(responses)) {
      const names = [...Object.keys(answer.headers ?? {}), 'Access-Control-Allow-Origin']
      answer.headers = Object.fromEntries(
        names.map((name) => [name, { $ref: `#/components/headers/${shortNameOf(name)}` }]),
      )
    }
}

/** Shares equal responses: problems are named by their codes, records by the name of their member. */
function shareResponses(document: Document): Part {
  const all = operationsOf(document).flatMap(({ responses }) =>
    Object.entries(responses).map(([status, answer]) => ({
      responses,
      status,
      text: JSON.stringify(answer),
    })),
  )
  const names = new Map<string, string>()
  for (const [text, [first, second]] of Map.groupBy(all, ({ text }) => text)) {
    const name = second && nameOfAnswer(second)
    // The few operations without a rate limit return the same problems without its headers, under no name.
    if (name && first && !names.has(name)) names.set(name, text)
  }
  const shared = new Map([...names].map(([name, text]) => [text, name]))
  for (const { responses, status, text } of all) {
    const name = shared.get(text)
    if (name !== undefined) responses[status] = { $ref: `#/components/responses/${name}` }
  }
  return Object.fromEntries([...shared].map(([text, name]) => [name, JSON.parse(text) as Part]))
}

/** Undefined when the response has no member to be named by. */
function nameOfAnswer({ status, text }: { status: string; text: string }): string | undefined {
  const answer = JSON.parse(text) as { content?: Record<string, { schema?: { properties?: object } }> }
  const members = Object.keys(answer.content?.['application/json']?.schema?.properties ?? {})
  if (['204', '304', '429'].includes(status)) return status
  const codes = problemCodesIn(answer)
  if (codes) {
    const isPublic = status === '400' && !codes.includes('organization-required')
    const others = codes.filter((code) => !usualCodes.has(code)).map((code) => shortCodes[code] ?? code)
    return [status, ...(isPublic ? ['public'] : []), ...others].join('.')
  }
  return members.length > 0 ? [status, ...members].join('.') : undefined
}

/** Every problem of these statuses has the same codes, or these besides others: no response is named after them. */
const usualCodes = new Set([
  ...['bad-request', 'validation-error', 'unauthorized', 'forbidden', 'identity-conflict', 'not-found'],
  'organization-required',
  ...['conflict', 'precondition-failed', 'payload-too-large', 'unsupported-media-type'],
  ...['internal-error', 'unavailable', 'organization-frozen'],
])

/** Hundreds of references name these. */
const shortCodes: Readonly<Record<string, string>> = {
  'malformed-json': 'json',
  'no-such-path': 'path',
  'invalid-cursor': 'cursor',
  'invalid-status-transition': 'transition',
  'idempotency-in-progress': 'in-progress',
  'idempotency-key-reused': 'reused',
  'reference-not-found': 'reference',
  'semantic-error': 'semantic',
}

/** Shares parameters that repeat: the most frequent form of a name under the name, the others with a number. */
function shareParameters(document: Document): Part {
  const all = operationsOf(document).flatMap(({ parameters = [] }) => parameters)
  const shared = new Map<string, string>()
  for (const [name, parameters] of Map.groupBy(all, nameOf))
    for (const [index, text] of repeated(parameters.map((parameter) => JSON.stringify(parameter))).entries())
      shared.set(text, index === 0 ? name : `${name}.${index + 1}`)
  for (const operation of operationsOf(document))
    if (operation.parameters)
      operation.parameters = operation.parameters.map((parameter) => {
        const name = shared.get(JSON.stringify(parameter))
        return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` }
      })
  return Object.fromEntries([...shared].map(([text, name]) => [name, JSON.parse(text) as Part]))
}

/** Hundreds of references name those of queries and headers. */
const nameOf = ({ in: place, name }: Part) => (place === 'path' ? `path.${String(name)}` : String(name))
