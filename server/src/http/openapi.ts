import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { describeDeprecation } from './deprecation.ts'
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
          'Channel and inventory management for operators of rentable properties. Amounts are whole minor units, times are UTC, ids are UUIDs. Every response has the header `X-Request-Id`, the id of the request in our logs. Additions stay in v1; clients ignore members they do not know.',
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
      security: [{ bearer: [] }],
      tags: tags.map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description:
              'Access token of the identity provider (RFC 9068); RFC8725 is followed. A token that is for several organizations needs the header `X-Organization` with the id of one of them; the session lists them.',
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
      const described = describeOperation(schema as RouteSchema, method, url)
      return { schema: describeDeprecation(described, route.config?.deprecation), url }
    },
  })
}

const tags: readonly [string, string][] = [
  ['session', 'The caller.'],
  ['organizations', 'Businesses. They are created with the command line.'],
  ['accounts', 'Parts of an organization. They are created with the command line.'],
  ['members', 'Who may use it.'],
  ['spaces', 'Properties.'],
  ['units', 'What guests book inside a space.'],
  ['media', 'Photos and documents of properties and units.'],
  ['rate plans', 'Ways to sell a unit, each with its own prices and terms.'],
  ['seasons', 'Named sets of values for the calendar, applied to units.'],
  ['charges', 'Fees, taxes, discounts and deposits of a stay.'],
  ['calendar', 'Prices, restrictions and available rooms, night by night.'],
  ['quotes', 'The price of a stay, line by line, and held rooms.'],
  ['bookings', 'Stays of guests, from all channels.'],
  ['guests', 'Export and erasure of the data of guests.'],
  ['booking conflicts', 'Bookings of a PMS that could not be applied.'],
  ['payments', 'Payments of bookings, and refunds.'],
  ['sales stops', 'Stops of sales, which can be lifted exactly.'],
  [
    'calendar feeds',
    'Calendars (iCalendar) of a unit that other programs read, and imported calendars of other programs.',
  ],
  ['channel targets', 'Connections to a property at the PMS.'],
  ['channel listings', 'Units offered through targets.'],
  ['imports', 'Portfolios taken over from a PMS.'],
  ['file imports', 'Units, rates and bookings from CSV and JSON files.'],
  ['exports', 'Files with everything of an organization.'],
  ['sync', 'Pushes to the PMS, their state and history.'],
  ['webhooks', 'Webhooks of PMSs and the payment provider.'],
  ['webhook messages', 'Messages of PMSs, and the results of processing them.'],
  ['events', 'What happened here, in order.'],
  ['webhook endpoints', 'Webhook endpoints and their deliveries.'],
  ['notifications', 'E-mails and SMS to guests and operators.'],
  ['search', 'Search in all kinds of records.'],
  ['audit', 'Who changed what.'],
  ['today', 'The tasks of today.'],
  ['agents', 'Tools for programs with a language model.'],
  ['analytics', 'Occupancy, revenue, and the state of the sync.'],
  ['health', 'Health and metrics of the service.'],
]
