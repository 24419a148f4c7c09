import { Type } from 'typebox'
import { Id } from '#fields.ts'
import type { Routes } from '#http/routes.ts'
import { answers } from '#http/replies.ts'
import type { Connections } from '../channel-targets/connect-target.ts'
import { listOffers } from './list-offers.ts'
import { Offer } from './offer.ts'
import { Preflight } from './preflight.ts'
import { preflightListing, preflightTarget } from './run-preflight.ts'

const params = Type.Object({ id: Id })
const preflight = { 200: answers(Type.Object({ preflight: Preflight })) }

export const linkingRoutes =
  (connections: Connections): Routes =>
  async (app) => {
    app.get(
      '/channel-targets/:id/offers',
      {
        schema: {
          tags: ['channel targets'],
          summary: 'What the PMS has to link to',
          description: 'Asks the PMS now, within its limits.',
          params,
          response: { 200: answers(Type.Object({ offers: Type.Array(Offer, { maxItems: 100_000 }) })) },
        },
      },
      async ({ scope, params }) => ({ offers: await listOffers(scope, connections, params.id) }),
    )

    app.get(
      '/channel-targets/:id/preflight',
      {
        schema: {
          tags: ['channel targets'],
          summary: 'What is wrong with a target and its listings',
          description: 'Compares all of them with what the PMS has now. Nothing is pushed.',
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
          summary: 'What is wrong with a listing before it goes live',
          description: 'Compares it with what the PMS has now. Nothing is pushed.',
          params,
          response: preflight,
        },
      },
      async ({ scope, params }) => ({ preflight: await preflightListing(scope, connections, params.id) }),
    )
  }
