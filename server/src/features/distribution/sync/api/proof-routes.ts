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
          summary: 'What is desired, what the PMS accepted, and what it shows',
          description:
            'Asks the PMS now. When it cannot be asked, `differences` and `checked_at` are those of the last look, and `error_message` says why.',
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
          summary: 'What the next push would say',
          description: 'A dry run: nothing is sent. With mode `full`, what a whole push would say.',
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
