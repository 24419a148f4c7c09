import { pageRequest, type CursorKeys } from '#http/paging.ts'
import { listSchema, sendPage } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { AvailabilityQuery, AvailableUnit } from './availability.ts'
import { searchAvailability } from './search.ts'

export const availabilityRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    app.get(
      '/availability',
      {
        schema: {
          ...listSchema('quotes', 'availability', AvailableUnit, AvailabilityQuery),
          summary: 'Search available units',
          description:
            'Every unit of the organization that can be booked for the whole stay, with its price. A page may have fewer than `limit` units while `has_more` is true, when many units do not match; the cursor continues after them.',
        },
      },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys)
        const { offers, next } = await searchAvailability(request.scope, request.query, page)
        const texts = offers.map(({ json }) => json)
        return sendPage(request, reply, 'availability', texts, next)
      },
    )
  }
