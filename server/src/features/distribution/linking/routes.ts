import { Type } from 'typebox'
import type { Egress } from '#egress/egress.ts'
import { Id } from '#schema/fields.ts'
import type { Routes } from '#http/routes.ts'
import { jsonText } from '#http/replies.ts'
import type { Connections } from '#features/distribution/pms-access/connect.ts'
import { TargetConfigInput } from '#features/distribution/channel-targets/channel-target.ts'
import { checkConnection, ConnectionCheck } from './check-connection.ts'
import { listOffers } from './list-offers.ts'
import { Offer } from './offer.ts'
import { Preflight } from './preflight.ts'
import { preflightListing, preflightTarget } from './run-preflight.ts'

const params = Type.Object({ id: Id })
const preflight = { 200: jsonText(Type.Object({ preflight: Preflight })) }

export const linkingRoutes =
  (connections: Connections, egress: Pick<Egress, 'addressProblem'>): Routes =>
  async (app) => {
    app.post(
      '/channel-targets/checks',
      {
        schema: {
          tags: ['channel targets'],
          summary: 'Check a connection before it is created',
          description: 'Calls the PMS with the configuration and counts its rooms. Nothing is stored.',
          body: Type.Object(
            { config: TargetConfigInput },
            {
              title: 'ConnectionCheckInput',
              additionalProperties: false,
              example: { config: { provider: 'generic' } },
            },
          ),
          response: { 200: Type.Object({ connection_check: ConnectionCheck }) },
        },
      },
      async ({ scope, body }) => ({
        connection_check: await checkConnection(scope, connections, egress, body.config),
      }),
    )

    app.get(
      '/channel-targets/:id/offers',
      {
        schema: {
          tags: ['channel targets'],
          summary: 'List the rooms at the PMS',
          description: 'Calls the PMS now, within its rate limits.',
          params,
          response: { 200: jsonText(Type.Object({ offers: Type.Array(Offer, { maxItems: 100_000 }) })) },
        },
      },
      async ({ scope, params }) => ({ offers: await listOffers(scope, connections, params.id) }),
    )

    app.get(
      '/channel-targets/:id/preflight',
      {
        schema: {
          tags: ['channel targets'],
          summary: 'Check a target and its listings',
          description: 'Compares them with what the PMS shows now. Nothing is pushed.',
          params,
          response: preflight,
        },
      },
      async ({ scope, params }) => ({ preflight: await preflightTarget(scope, connections, params.id) }),
    )

    app.get(
      '/channel-listings/:id/preflight',
      {
        schema: {
          tags: ['channel listings'],
          summary: 'Check a listing before it goes live',
          description: 'Compares it with what the PMS shows now. Nothing is pushed.',
          params,
          response: preflight,
        },
      },
      async ({ scope, params }) => ({ preflight: await preflightListing(scope, connections, params.id) }),
    )
  }
