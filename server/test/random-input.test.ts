import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import fc from 'fast-check'
import { expectProblem } from './expect.ts'
import { dateOf } from '#nights.ts'
import { openOnslaught, type Onslaught } from './onslaught.ts'
import { operations, resolved, type Operation, type Schema } from './operations.ts'
import { unknownId } from './records.ts'

// Requests drawn at random from the contract, most of them nearly right: never a 5xx, always a stated status.

const requests = 400
const seed = 20_260_501

let onslaught: Onslaught

before(async () => {
  onslaught = await openOnslaught()
})
after(() => onslaught[Symbol.asyncDispose]())

const tried = operations.filter(({ isStream, path }) => !isStream && path !== '/api/v1/auth/logout')

const named = (name: string) => tried.find((operation) => operation.name === name)!

/** Characters that have broken somebody's program before. */
const odd = fc.string({
  unit: fc.constantFrom(
    'a',
    ' ',
    '\n',
    '\0',
    '\ud800',
    '\udfff',
    '\u200b',
    '\u202e',
    '🏠',
    'ﷺ',
    "'",
    '%',
    '\\',
    '"',
  ),
  maxLength: 20,
})
const odder = fc.oneof(
  odd,
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'infinity',
    'NaN',
    '1e400',
    '-0',
    '300000-01-01T00:00:00Z',
    '../..',
    '{{7*7}}',
    '; drop table spaces',
  ),
  fc.constantFrom(0, -1, 0.1, 2 ** 31, 2 ** 53, -(2 ** 63), 5e-324, 1.7e308, true, false, null),
  fc.jsonValue(),
)

/** An id that the draw leaves to be chosen among those that exist. */
const oneOfIds = fc
  .constantFrom(...Array<string>(8).fill('own'), 'foreign', 'unknown')
  .map((whose) => ({ whose }))

/** A value that the schema takes, as far as the schema says. */
function fitting(found: Schema): fc.Arbitrary<unknown> {
  const schema = resolved(found)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.format === 'uuid') return oneOfIds
  if (schema.format === 'date-time')
    return fc.date({ min: new Date(0), max: new Date('2200-12-31') }).map((date) => date.toISOString())
  if (schema.format === 'date') return fc.integer({ min: 21_000, max: 24_000 }).map(dateOf)
  if (schema.format === 'currency') return fc.constantFrom('eur', 'usd', 'jpy')
  if (schema.format === 'country') return fc.constantFrom('PT', 'DE')
  if (schema.format === 'time-zone') return fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns')
  if (schema.format === 'uri') return fc.webUrl()
  if (schema.type === 'string') return textFor(schema)
  if (schema.type === 'integer') return numberFor(schema)
  if (schema.type === 'number') return numberFor(schema).map((value) => Math.round(value) / 2)
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'array') return fc.array(fitting(schema['items'] as Schema), { maxLength: 5 })
  if (schema.properties) return members(schema)
  return seldom(20, odder, undefined)
}

const textFor = ({ pattern, maxLength = 50 }: Schema) =>
  typeof pattern === 'string' && pattern !== '\\S' && !/\\u0000|\(\?[!=]/.test(pattern)
    ? fc.stringMatching(new RegExp(pattern), { size: 'small' })
    : fc.string({ unit: 'grapheme', maxLength: Math.min(Number(maxLength), 300) })

const numberFor = ({ minimum = 0, maximum }: Schema) =>
  fc.oneof(
    fc.integer({ min: minimum, max: Number(maximum ?? 1_000) }),
    fc.constantFrom(minimum, Number(maximum ?? 0)),
  )

function members({ properties = {}, required = [] }: Schema): fc.Arbitrary<Record<string, unknown>> {
  const each = Object.entries(properties).map(([name, schema]) => [name, nearly(schema)] as const)
  return fc.record(Object.fromEntries(each), { requiredKeys: required })
}

/** One time in so many; else nothing. */
const seldom = <T, N>(oneIn: number, arbitrary: fc.Arbitrary<T>, nothing: N) =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(nothing) }, { weight: 1, arbitrary })

/** Most of the time right. */
const nearly = (schema: Schema) =>
  fc.oneof({ weight: 30, arbitrary: fitting(schema) }, { weight: 1, arbitrary: odder })

const header = fc.constantFrom('"1.x"', '*', 'W/"1"', 'x', '', '"key"', 'a b', 'k'.repeat(300))

const anyRequest = fc.constantFrom(...tried).chain((operation) =>
  fc.record({
    // By name, so that a failure can be read.
    name: fc.constant(operation.name),
    id: fc.oneof({ weight: 6, arbitrary: oneOfIds }, { weight: 1, arbitrary: odd }),
    query: fc.record(
      Object.fromEntries(operation.queryParameters.map(({ name, schema }) => [name, nearly(schema)])),
      { requiredKeys: [] },
    ),
    body: operation.body
      ? fc.oneof({ weight: 12, arbitrary: members(operation.body) }, { weight: 1, arbitrary: odder })
      : fc.constant(undefined),
    extra: seldom(12, fc.dictionary(odd, odder, { maxKeys: 2 }), {}),
    cut: seldom(25, fc.nat(60), null),
    headers: seldom(
      6,
      fc.record(
        { 'if-match': header, 'if-none-match': header, 'idempotency-key': header },
        { requiredKeys: [] },
      ),
      {},
    ),
  }),
)

type Draw = typeof anyRequest extends fc.Arbitrary<infer T> ? T : never

suite('random input', () => {
  test(`${requests} requests from the contract: never a 5xx, always a stated status`, async () => {
    const seen = new Map<number, number>()
    const property = fc.asyncProperty(anyRequest, async (draw) => {
      const reply = await send(draw)
      const operation = named(draw.name)
      seen.set(reply.status, (seen.get(reply.status) ?? 0) + 1)
      assert.ok(reply.status < 500, `${operation.name}: ${reply.status} ${reply.text}`)
      assert.ok(
        String(reply.status) in operation.responses,
        `${operation.name}: ${reply.status} is not stated`,
      )
      if (reply.status === 201) remember(reply.body as Record<string, { id?: string } | null>)
      if (reply.status >= 400) expectProblem(reply, reply.status, reply.body.code)
    })
    await fc.assert(property, { numRuns: requests, seed, endOnFailure: true })
    await onslaught.everyList()
    for (const status of [200, 201, 204, 400, 404, 409, 422])
      assert.ok(
        seen.has(status),
        `no ${status} among ${[...seen].join(' ')}: the draw is too tame or too wild`,
      )
  })
})

async function send({ name: called, id, query, body, extra, cut, headers }: Draw) {
  const operation = named(called)
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of [settled(name, value)].flat()) search.append(name, textOf(one))
  const at = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(settled(name === 'id' ? collectionId(operation) : name, id)).toWellFormed()),
  )
  const record = typeof body === 'object' && body !== null && !Array.isArray(body)
  const whole = record ? { ...settledAll(body), ...extra } : body
  const text = whole === undefined ? undefined : JSON.stringify(whole)
  return await onslaught.owner.send(operation.method, `${at}?${search.toString()}`, {
    ...(text !== undefined && { body: cut === null ? text : text.slice(0, cut) }),
    headers: { ...headers, ...(text !== undefined && { 'content-type': 'application/json' }) },
  })
}

/** What was made is drawn from then on, so that the draw does not run out of records. */
function remember(body: Record<string, { id?: string } | null>) {
  for (const [name, record] of Object.entries(body)) if (record?.id) onslaught.ids[`${name}_id`] = record.id
}

const collectionId = ({ path }: Operation) => `${path.split('/')[3]!.replace('-', '_').replace(/s$/, '')}_id`
const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const settledAll = (record: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, settled(name, value)]))

/** Puts an id that exists, belongs to others, or names nothing, where the draw left one open. */
function settled(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => settled(name, entry))
  const whose = (value as { whose?: string } | null)?.whose
  if (!whose) return isRecord(value) ? settledAll(value) : value
  const known =
    name === 'org_id' || name === 'organization_id' ? null : name.replace(/^listingId$/, 'channel_listing_id')
  const { ids, foreignIds, world } = onslaught
  if (whose === 'own') return known ? (ids[known] ?? unknownId) : world.home.id
  if (whose === 'foreign') return known ? (foreignIds[known] ?? unknownId) : world.away.id
  return unknownId
}
