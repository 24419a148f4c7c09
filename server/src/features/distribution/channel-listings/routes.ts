import { Type } from 'typebox'
import { Id, oneOf, text } from '#schema/fields.ts'
import { anyOf, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import { ChannelListing, ChannelListingInput, listingStatuses } from './channel-listing.ts'
import { pauseListing, resumeListing } from './pause-listing.ts'
import { findListing, listListings } from './queries.ts'
import { createListing, updateListing, deleteListing } from './save-listing.ts'

export const channelListingRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    registerResource(app, cursorKeys, {
      path: '/channel-listings',
      name: 'channel_listing',
      record: ChannelListing,
      query: {
        ...PageQuery,
        sort: sortable('created_at', 'updated_at', 'status'),
        q: Type.Optional(text(255, 'Part of the external id or of the name of the unit.')),
        account_id: anyOf(Id),
        status: anyOf(oneOf(...listingStatuses)),
        unit_id: anyOf(Id),
        channel_target_id: anyOf(Id),
        external_id: anyOf(text(255)),
      },
      input: ChannelListingInput,
      list: listListings,
      find: findListing,
      create: (scope, input) => createListing(scope, input),
      replace: updateListing,
      delete: deleteListing,
      pause: { begin: pauseListing, end: resumeListing },
    })
  }
