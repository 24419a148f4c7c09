import fc from 'fast-check'
import { contract, operations, resolveSchema, type Operation, type Schema } from '../operations.ts'
import { members, rarely, someId } from './drawn-values.ts'
import { oddHeaders, oddText, oddTexts, oddValues } from './odd-values.ts'

/** Requests drawn from the contract: any operation, most of them nearly right. */

/** Streams do not end, and signing out would end the run. */
export const tried = operations.filter(({ isStream, path }) => !isStream && path !== '/api/v1/auth/logout')

export const operationNamed = (name: string) => tried.find((operation) => operation.name === name)!

const callers = ['owner', 'admin', 'manager', 'staff', 'viewer', 'service', 'nobody'] as const
export type Who = (typeof callers)[number]

/** An ETag or a cursor of an earlier answer, or anything else. */
const remembered = (odd: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 2, arbitrary: someId }, { weight: 1, arbitrary: odd })

const conditions = fc.record(
  {
    'if-match': remembered(oddHeaders),
    // An ETag is seldom that of the record that is asked for.
    'if-none-match': fc.oneof(remembered(oddHeaders), fc.constant('*')),
    // Few of them, so that keys come again.
    'idempotency-key': fc.oneof(
      fc.constantFrom('one', 'two', 'three'),
      fc.constantFrom('x'.repeat(256), '"quoted"', ' ', 'é', 'a,b'),
    ),
    prefer: fc.constantFrom('return=minimal', 'x'),
    accept: fc.constantFrom('text/html', '*/*;q=0', 'application/json', 'x'),
    'accept-encoding': fc.constantFrom('gzip, br', 'identity;q=0', '*'),
    traceparent: fc.constantFrom(
      `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`,
      `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      `ff-${'A'.repeat(32)}-${'b'.repeat(16)}-zz`,
    ),
    'x-request-id': fc.constantFrom('mine', 'x'.repeat(500), '"; rm -rf'),
    'x-http-method-override': fc.constantFrom('DELETE', 'GET'),
    'x-forwarded-for': fc.constantFrom('10.0.0.1', 'x, y', '::1'),
    'content-language': fc.constantFrom('tlh'),
  },
  { requiredKeys: [] },
)

const kinds = fc.constantFrom(
  ...[
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
  ],
  ...[
    'application/JSON',
    'application/json;',
    'application/merge-patch+json',
    'multipart/form-data',
    'a/b',
    '',
  ],
)

const drawnFor = (operation: Operation) =>
  fc.record({
    // By name, so that a failure can be read.
    name: fc.constant(operation.name),
    as: fc.oneof(
      { weight: 30, arbitrary: fc.constant<Who>('owner') },
      { weight: 1, arbitrary: fc.constantFrom<Who>(...callers) },
    ),
    isHead: operation.method === 'GET' ? rarely(20, fc.constant(true), false) : fc.constant(false),
    id: fc.oneof({ weight: 12, arbitrary: someId }, { weight: 1, arbitrary: oddTexts }),
    query: members({
      properties: Object.fromEntries(operation.queryParameters.map(({ name, schema }) => [name, schema])),
      required: operation.queryParameters.filter(({ required }) => required).map(({ name }) => name),
    }),
    /** Laid after the query, as text: names of other operations or of none, or the same again. */
    moreQuery: rarely(20, fc.array(fc.tuple(moreNames(operation), oddTexts), { maxLength: 3 }), []),
    body: bodyOf(operation),
    extra: rarely(
      15,
      fc.dictionary(fc.oneof(oddText, extraNames), oddValues, { maxKeys: 2, noNullPrototype: true }),
      {},
    ),
    /** The body ends after so many characters. */
    cut: rarely(30, fc.nat(60), null),
    contentType: rarely(30, kinds, null),
    headers: rarely(3, conditions, {}),
  })

const moreNames = ({ queryParameters }: Operation) =>
  fc.oneof(
    fc.constantFrom('limit', 'org_id', ...queryParameters.map(({ name }) => name)),
    fc.constantFrom(...allQueryNames),
    oddText,
  )

/** Every name that some operation declares. */
const allQueryNames = [...new Set(operations.flatMap((one) => one.queryParameters.map(({ name }) => name)))]

const extraNames = fc.constantFrom(
  'id',
  'org_id',
  'version',
  'created_at',
  'json',
  '__proto__',
  'constructor',
  'isAdmin',
)

function bodyOf(operation: Operation): fc.Arbitrary<unknown> {
  const schema = operation.body ?? openBodies[operation.name]
  if (schema)
    return fc.oneof(
      { weight: 15, arbitrary: members(resolveSchema(schema)) },
      { weight: 1, arbitrary: oddValues },
    )
  // What takes no body is given one all the same, now and then.
  return operation.method === 'GET'
    ? fc.constant(undefined)
    : rarely(6, fc.oneof(fc.constant({}), oddValues), undefined)
}

const string = (...values: string[]): Schema => ({ type: 'string', enum: values })
const uuid: Schema = { type: 'string', format: 'uuid' }
const stay: Schema = {
  type: 'object',
  required: ['external_id', 'check_in', 'check_out'],
  properties: {
    external_id: string('B-1', 'B-2', 'B-3', ''),
    unit_external_id: string('EXT-1', 'EXT-2', ''),
    rate_plan_external_id: string('EXT-1', 'P-1'),
    check_in: { type: 'string', format: 'day-or-time' },
    check_out: { type: 'string', format: 'day-or-time' },
    status: string('confirmed', 'cancelled', 'nonsense'),
    guest_name: { type: 'string' },
    total_cents: { type: 'integer', minimum: 0 },
  },
}
const notice: Schema = {
  type: 'object',
  required: ['id', 'type'],
  properties: {
    id: string('evt_1', 'evt_2', 'evt_3', 'evt_4'),
    type: string('booking.created', 'booking.updated', 'booking.cancelled', 'ping', 'inventory.changed', ''),
    timestamp: { type: 'string', format: 'date-time' },
    data: stay,
  },
}

/** Values that the contract does not describe, because external services define them. */
const openBodies: Record<string, Schema> = {
  'POST /webhooks/pms': notice,
  'POST /webhooks/pms/{targetId}': notice,
  'POST /webhooks/payments': {
    type: 'object',
    required: ['id', 'object', 'type', 'created', 'data'],
    properties: {
      id: string('evt_1', 'evt_2', 'evt_3'),
      object: string('event', 'thing'),
      type: string(
        'payment_intent.succeeded',
        'payment_intent.canceled',
        'refund.updated',
        'charge.refunded',
      ),
      created: { type: 'integer', minimum: 0 },
      data: {
        type: 'object',
        properties: {
          object: {
            type: 'object',
            properties: {
              id: string('pi_1', 're_1', ''),
              object: string('payment_intent', 'refund', 'charge'),
              status: string('succeeded', 'canceled', 'processing', 'nonsense'),
              amount: { type: 'integer', minimum: 0 },
              amount_received: { type: 'integer', minimum: 0 },
              currency: string('eur', 'usd'),
              metadata: { type: 'object', properties: { payment_intent_id: uuid, refund_id: uuid } },
            },
          },
        },
      },
    },
  },
}

// Cached for each operation, because building the arbitraries is slow.
const drawn = new Map(tried.map((operation) => [operation.name, drawnFor(operation)]))

/** Creates more records than it deletes. */
const names = tried.flatMap(({ name, method }) => (method === 'DELETE' ? [name] : [name, name, name]))

export const anyRequest = fc.constantFrom(...names).chain((name) => drawn.get(name)!)

export type Draw = typeof anyRequest extends fc.Arbitrary<infer T> ? T : never

/** Whether the body of an operation is a form with a file in it. */
export const isUpload = ({ path, method }: Operation): boolean =>
  'multipart/form-data' in
  ((contract.paths[path]?.[method.toLowerCase()]?.requestBody?.content ?? {}) as Record<string, unknown>)
