import { Type } from 'typebox'
import type { Routes } from '#http/routes.ts'
import { Analytics, AnalyticsQuery } from './analytics.ts'
import { readAnalytics } from './read-analytics.ts'

export const analyticsRoutes: Routes = async (app) => {
  app.get(
    '/admin/analytics',
    {
      schema: {
        tags: ['analytics'],
        summary: 'Read occupancy, revenue and the state of the sync',
        description:
          'For owners and admins. Covers the last 30 nights by default, at most 731. `account_id`, `space_id` and `unit_id` narrow all figures; those of messages only by account.',
        querystring: Type.Object(AnalyticsQuery),
        response: { 200: Type.Object({ analytics: Analytics }) },
      },
    },
    async ({ scope, query }) => ({ analytics: await readAnalytics(scope, query) }),
  )
}
