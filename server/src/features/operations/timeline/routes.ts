import { Type } from 'typebox'
import { Id } from '#schema/fields.ts'
import { jsonText } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { readTimeline } from './read-timeline.ts'
import { Timeline } from './timeline.ts'

export const timelineRoutes: Routes = async (app) => {
  app.get(
    '/bookings/:id/timeline',
    {
      schema: {
        tags: ['bookings'],
        summary: 'What happened to a booking',
        description:
          'Its quote, its changes, payments, refunds, notifications and the pushes that they caused. Parts that the caller may not read are left out.',
        params: Type.Object({ id: Id }),
        response: { 200: jsonText(Type.Object({ timeline: Timeline })) },
      },
    },
    async ({ scope, params, caller: { permissions } }) => ({
      timeline: await readTimeline(scope, params.id, {
        payments: permissions.has('payments:read'),
        notifications: permissions.has('notifications:read'),
        sync: permissions.has('sync:read'),
      }),
    }),
  )
}
