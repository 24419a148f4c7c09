import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { text, word } from '#fields.ts'
import { catalogue } from './catalogue.ts'
import { described, headersOfAll, headersOfAnswers, type Described } from './operation.ts'

/** OpenAPI 3.0 from the route schemas: register before the routes, read with `app.swagger()`. */
export async function describe(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.0.3',
      info: {
        title: 'Vacancy',
        version,
        description:
          'Channel and inventory management for operators of rentable properties. Amounts are whole minor units, times are UTC, ids are UUIDs. Additions stay in v1; clients ignore members they do not know.',
        contact: { name: 'Vacancy', url: 'https://vacancy.example/support' },
        license: { name: 'Proprietary', url: 'https://vacancy.example/terms' },
      },
      servers: [
        {
          url: '/',
          description: 'Where the document was read: local, staging or production',
          'x-internal': false,
        } as never,
      ],
      tags: tags.map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'Access token of the identity provider (RFC 9068); RFC8725 is followed.',
          },
        },
        schemas: { Problem: problem as never },
      },
    },
    hideUntagged: true,
    transformObject: (document) => named('openapiObject' in document ? document.openapiObject : {}) as never,
    transform: ({ schema, url, route }) => {
      const methods = [route.method].flat()
      const method = methods.find((one) => one !== 'HEAD') ?? methods[0]!
      return { schema: described(schema as Described, method, url), url }
    },
  })
}

const tags: readonly [string, string][] = [
  ['session', 'Who is calling.'],
  ['organizations', 'Businesses; made outside of the API.'],
  ['accounts', 'Parts of an organization; made outside of the API.'],
  ['spaces', 'Properties.'],
  ['units', 'What guests book, inside a space.'],
  ['media', 'Photos and documents of properties and units.'],
  ['rate plans', 'Ways to sell a unit, each with its own prices and terms.'],
  ['charges', 'Fees, taxes, discounts and deposits of a stay.'],
  ['calendar', 'What is decided night by night, and the rooms that are left.'],
  ['quotes', 'What a stay would cost, line by line, and rooms kept free meanwhile.'],
  ['bookings', 'Stays of guests, wherever they were sold.'],
  ['guests', 'What is held of a guest, and its erasure.'],
  ['booking conflicts', 'Bookings of a PMS that found no place here.'],
  ['payments', 'Payments of bookings, and what went back.'],
  ['sales stops', 'Sales stopped at once, with an exact way back.'],
  [
    'calendar feeds',
    'Calendars (iCalendar) that other programs read of a unit, and that are read of theirs.',
  ],
  ['channel targets', 'Connections to a property at the PMS.'],
  ['channel listings', 'Units offered through targets.'],
  ['sync', 'Pushing to the PMS, its state and its history.'],
  ['webhooks', 'Where a PMS and the payment provider tell what happens there.'],
  ['webhook messages', 'What a PMS told, and what was made of it.'],
  ['events', 'What happened here, in order.'],
  ['webhook endpoints', 'Where events are sent, and each delivery.'],
  ['notifications', 'Mails and short messages to guests and operators.'],
  ['analytics', 'Occupancy, revenue, and how well the sync does.'],
  ['health', 'How the service is, and its figures.'],
]

const problem = {
  type: 'object',
  description: 'RFC 9457 problem document.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'errors', 'request_id'],
  properties: {
    type: { type: 'string', format: 'uri', maxLength: 2048, description: 'A page that explains this kind.' },
    title: text(255),
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599 },
    detail: text(100_000),
    instance: text(255, 'The request, as a URN.'),
    code: { type: 'string', enum: Object.keys(catalogue) },
    errors: {
      type: 'array',
      maxItems: 50,
      items: {
        type: 'object',
        required: ['pointer', 'code', 'message'],
        properties: {
          pointer: text(10_000, 'JSON pointer into the body or query.'),
          code: word(64),
          message: text(10_000),
        },
      },
    },
    request_id: text(64),
  },
}

/** Schemas with a title become components, so that clients get types with names. */
function named(document: object): object {
  const schemas: Record<string, unknown> = {}
  const hoist = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(hoist)
    if (part === null || typeof part !== 'object') return part
    const done = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, hoist(value)]))
    const title = done['title']
    if (typeof title !== 'string' || done['type'] !== 'object') return done
    if (schemas[title] && JSON.stringify(schemas[title]) !== JSON.stringify(done))
      throw new Error(`Two schemas are called ${title}.`)
    schemas[title] = done
    return { $ref: `#/components/schemas/${title}` }
  }
  const whole = hoist(document) as { components: { schemas: object } }
  Object.assign(whole.components.schemas, schemas)
  return withHeaders(whole)
}

type Answers = { responses: Record<string, { headers?: object }> }

/** Every answer says which headers it carries, by name. */
function withHeaders(document: { paths?: Record<string, Record<string, Answers>>; components: object }) {
  for (const operations of Object.values(document.paths ?? {}))
    for (const { responses } of Object.values(operations))
      for (const answer of Object.values(responses)) {
        const names = [...Object.keys(answer.headers ?? {}), ...headersOfAll]
        answer.headers = Object.fromEntries(
          names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
        )
      }
  const headers = Object.entries(headersOfAnswers).map(([name, { description, ...schema }]) => [
    name,
    { description, schema },
  ])
  return {
    ...document,
    components: { ...document.components, headers: Object.fromEntries(headers) as Record<string, object> },
  }
}
