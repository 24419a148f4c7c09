import { Type } from 'typebox'
import { Id, oneOf, text } from '#fields.ts'
import { refuseForeignIdentity } from '#http/echoes.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import {
  changes,
  created,
  creates,
  list,
  lists,
  pauses,
  removes,
  resumes,
  show,
  shows,
} from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { ChannelListing, ChannelListingInput, listingStatuses } from './channel-listing.ts'
import { pauseListing, resumeListing } from './pause-queries.ts'
import { findListing, listListings, listingText } from './find-queries.ts'
import { addListing, changeListing, removeListing } from './queries.ts'

const tag = 'channel listings'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'status'),
  q: Type.Optional(text(255, 'Part of the external id or of the name of the unit.')),
  account_id: anyOf(Id),
  status: anyOf(oneOf(...listingStatuses)),
  unit_id: anyOf(Id),
  channel_target_id: anyOf(Id),
  external_id: anyOf(text(255)),
}

export const channelListingRoutes =
  (cursorKey: Buffer): Routes =>
  async (app) => {
    app.get(
      '/channel-listings',
      { schema: lists(tag, 'channel_listings', ChannelListing, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey)
        const rows = await listListings(request.scope, request.query, page)
        return list(request, reply, 'channel_listings', page, rows, listingText)
      },
    )

    app.get(
      '/channel-listings/:id',
      { schema: shows(tag, 'channel_listing', ChannelListing) },
      async (request, reply) =>
        show(request, reply, 'channel_listing', await findListing(request.scope, request.params.id)),
    )

    app.post(
      '/channel-listings',
      { schema: creates(tag, 'channel_listing', ChannelListing, ChannelListingInput) },
      (request, reply) =>
        once(request, reply, async (scope) => {
          refuseForeignIdentity(scope, request.body)
          const listing = await addListing(scope, request.body)
          return created('channel_listing', '/api/v1/channel-listings', listing.id, listing)
        }),
    )

    app.put(
      '/channel-listings/:id',
      { schema: changes(tag, 'channel_listing', ChannelListing, ChannelListingInput) },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        refuseForeignIdentity(scope, body, params.id)
        const listing = await changeListing(scope, params.id, headers['if-match'], body)
        return show(request, reply, 'channel_listing', listing)
      },
    )

    app.delete(
      '/channel-listings/:id',
      { schema: removes(tag, 'channel_listing') },
      async (request, reply) => {
        await removeListing(request.scope, request.params.id, request.headers['if-match'])
        return reply.code(204).send()
      },
    )

    app.post(
      '/channel-listings/:id/pause',
      { schema: pauses(tag, 'channel_listing', ChannelListing) },
      (request, reply) =>
        once(request, reply, async (scope) => {
          const { json } = await pauseListing(scope, request.params.id)
          return { status: 201, headers: {}, body: `{"channel_listing":${json}}` }
        }),
    )

    app.delete(
      '/channel-listings/:id/pause',
      { schema: resumes(tag, 'channel_listing') },
      async ({ scope, params }, reply) => {
        await resumeListing(scope, params.id)
        return reply.code(204).send()
      },
    )
  }
