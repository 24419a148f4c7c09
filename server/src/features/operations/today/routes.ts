import { Type } from 'typebox'
import { Id } from '#schema/fields.ts'
import { anyOf } from '#http/paging.ts'
import { jsonText } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { hiddenAlertKinds } from '#features/messaging/alerts/alert.ts'
import { readToday } from './read-today.ts'
import { Today } from './today.ts'

export const todayRoutes: Routes = async (app) => {
  app.get(
    '/today',
    {
      schema: {
        tags: ['today'],
        summary: 'Read the tasks of today',
        description:
          'Arrivals, departures, current stays, unpaid stays, open conflicts and alerts, and failing listings by cause: counts, and the first records of each. With `space_id`, only those of the units of these spaces.',
        querystring: Type.Object({ space_id: anyOf(Id) }),
        response: { 200: jsonText(Type.Object({ today: Today })) },
      },
    },
    async ({ scope, query, caller }) => {
      const today = await readToday(scope, query.space_id, {
        payments: caller.permissions.has('payments:read'),
        sync: caller.permissions.has('sync:read'),
        hiddenAlertKinds: hiddenAlertKinds(caller),
      })
      return { today }
    },
  )
}
