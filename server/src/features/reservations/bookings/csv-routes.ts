import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { canSeeContacts } from '#http/permissions.ts'
import type { Routes } from '#http/routes.ts'
import { text } from '#schema/fields.ts'
import { replaceQueryAliases } from './aliases.ts'
import { exportBookings } from './export-bookings.ts'
import { assertMayFilter, bookingFilters } from './routes.ts'

const { limit: _limit, cursor: _cursor, ...filters } = bookingFilters

export const bookingCsvRoutes: Routes = async (app) => {
  app.get(
    '/bookings.csv',
    {
      schema: {
        tags: ['bookings'],
        summary: 'Export bookings as CSV',
        description:
          'All bookings that match the filters of the list, with the names of their units and spaces. Amounts are in minor units. The contact columns are omitted for callers without `guest_contacts:read` or `bookings:write`.',
        querystring: Type.Object(filters),
        produces: ['text/csv'],
        response: { 200: Type.Unsafe<unknown>(text(2_147_483_647)) },
      },
    },
    async (request, reply) => {
      assertMayFilter(request.caller, request.query)
      const query = replaceQueryAliases(request.query) as { sort?: string }
      const { sort = 'created_at', ...filter } = query
      const withContacts = canSeeContacts(request.caller.permissions)
      const lines = exportBookings(request.scope, filter, { sort, withContacts })
      void reply.header('content-disposition', 'attachment; filename="bookings.csv"')
      return reply.type('text/csv; charset=utf-8').send(Readable.from(lines))
    },
  )
}
