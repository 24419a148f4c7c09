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
        summary: 'Occupancy, revenue and the health of the sync',
        description:
          'For owners and admins. Of the last 30 nights, unless said otherwise; 731 at most. `account_id`, `space_id` and `unit_id` narrow all figures but those of messages, which belong to an account.',
        querystring: Type.Object(AnalyticsQuery),
        response: { 200: Type.Object({ analytics: Analytics }) },
      },
    },
    async ({ scope, query }) => ({ analytics: await readAnalytics(scope, query) }),
  )
}
