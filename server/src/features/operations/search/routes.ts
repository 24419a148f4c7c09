import { Type } from 'typebox'
import { oneOf, text } from '#schema/fields.ts'
import { anyOf } from '#http/paging.ts'
import { canSeeContacts } from '#http/permissions.ts'
import { jsonText } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { defaultFound, maxFound, Search, searchKinds, type SearchKind } from './search.ts'
import { searchRecords } from './search-records.ts'

const permissionOf: Record<SearchKind, string> = {
  unit: 'units:read',
  space: 'spaces:read',
  booking: 'bookings:read',
  guest: 'bookings:read',
  listing: 'channel_listings:read',
}

export const searchRoutes: Routes = async (app) => {
  app.get(
    '/search',
    {
      schema: {
        tags: ['search'],
        summary: 'Search units, spaces, bookings, guests and listings',
        description:
          'Finds records that contain every word, ignoring case and accents, and records whose id begins with the text (eight characters or more). Records that begin with the text are first. Addresses and phone numbers of guests are searched for callers who may see them.',
        querystring: Type.Object({
          q: text(100, 'What to search for: a part of a name, an address, a number or an id.', 2),
          kind: anyOf(oneOf(...searchKinds)),
          limit: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: maxFound,
              default: defaultFound,
              format: 'int32',
              description: 'How many records of each kind.',
            }),
          ),
        }),
        response: { 200: jsonText(Type.Object({ search: Search })) },
      },
    },
    async ({ scope, query, caller: { permissions } }) => {
      const { q, kind = searchKinds, limit = defaultFound } = query
      const kinds = searchKinds.filter((one) => kind.includes(one) && permissions.has(permissionOf[one]))
      const withContacts = canSeeContacts(permissions)
      return { search: await searchRecords(scope, { query: q, kinds, withContacts, limit }) }
    },
  )
}
