import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { withComponents } from './openapi-components.ts'
import { describeOperation, type RouteSchema } from './openapi-operation.ts'
import { Problem } from './problem-schemas.ts'

/**
 * Builds the OpenAPI 3.0 document from the route schemas. Register it before the routes and read it with `app.swagger()`.
 * Version 3.0 has no webhooks; tools read them from `x-webhooks`.
 */
export async function registerOpenApi(
  app: FastifyInstance,
  version: string,
  webhooks: Record<string, object>,
): Promise<void> {
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
        schemas: { Problem: Problem as never },
      },
    },
    hideUntagged: true,
    transformObject: (document) =>
      withComponents({
        ...('openapiObject' in document && document.openapiObject),
        'x-webhooks': webhooks,
      }) as never,
    transform: ({ schema, url, route }) => {
      const methods = [route.method].flat()
      const method = methods.find((one) => one !== 'HEAD') ?? methods[0]!
      return { schema: describeOperation(schema as RouteSchema, method, url), url }
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
  ['seasons', 'Named sets of values for the calendar, applied to units.'],
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
  ['search', 'Records of all kinds by what is known of them.'],
  ['today', 'What there is to do today.'],
  ['analytics', 'Occupancy, revenue, and how well the sync does.'],
  ['health', 'How the service is, and its figures.'],
]
