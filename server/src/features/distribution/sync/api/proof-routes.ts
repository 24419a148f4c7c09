import { Type } from 'typebox'
import { Day, Id, oneOf } from '#schema/fields.ts'
import type { Routes } from '#http/routes.ts'
import type { Connections } from '#features/distribution/pms-access/connect.ts'
import { Preview, Proof } from './proof.ts'
import { previewListing, proveListing } from './prove-listing.ts'

const tags = ['sync']
const params = Type.Object({ listingId: Id })

export const proofRoutes =
  (connections: Connections): Routes =>
  async (app) => {
    app.get(
      '/sync/proof/:listingId',
      {
        schema: {
          tags,
          summary: 'Compare desired, accepted and shown values',
          description:
            'Reads the PMS now. When it is not available, `differences` and `checked_at` are those of the last read-back, and `error_message` has the reason.',
          params,
          querystring: Type.Object({ from: Type.Optional(Day), to: Type.Optional(Day) }),
          response: { 200: Type.Object({ proof: Proof }) },
        },
      },
      async ({ scope, params, query }) => ({
        proof: await proveListing(scope, connections, params.listingId, query),
      }),
    )

    app.get(
      '/sync/preview/:listingId',
      {
        schema: {
          tags,
          summary: 'Preview the next push',
          description: 'Nothing is sent. With mode `full`, the values of a full push.',
          params,
          querystring: Type.Object({ mode: Type.Optional(oneOf('delta', 'full')) }),
          response: { 200: Type.Object({ preview: Preview }) },
        },
      },
      async ({ scope, params, query }) => ({
        preview: await previewListing(scope, connections, params.listingId, query.mode),
      }),
    )
  }
