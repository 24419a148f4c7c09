import { Type } from 'typebox'
import { Id, oneOf } from '#schema/fields.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { sendList, listSchema, sendRecord, getSchema } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { Alert, alertKinds, alertStatuses, hiddenAlertKinds } from './alert.ts'
import { findAlert, listAlerts } from './queries.ts'

const { updated_since: _, ...page } = PageQuery

const query = {
  ...page,
  sort: sortable('first_at', 'last_at'),
  account_id: anyOf(Id),
  kind: anyOf(oneOf(...alertKinds)),
  status: anyOf(oneOf(...alertStatuses)),
  channel_listing_id: anyOf(Id),
  channel_target_id: anyOf(Id),
  unit_id: anyOf(Id),
  standalone: Type.Optional(
    Type.Boolean({
      description:
        'true leaves out alerts of booking conflicts and of failing listings, which have lists of their own.',
    }),
  ),
}

export const alertRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    app.get('/alerts', { schema: listSchema('sync', 'alerts', Alert, query) }, async (request, reply) => {
      const page = pageRequest(request, cursorKeys, '-last_at')
      const rows = await listAlerts(request.scope, hiddenAlertKinds(request.caller), request.query, page)
      return sendList(request, reply, 'alerts', page, rows, ({ json }) => json)
    })

    app.get('/alerts/:id', { schema: getSchema('sync', 'alert', Alert) }, async (request, reply) =>
      sendRecord(
        request,
        reply,
        'alert',
        await findAlert(request.scope, hiddenAlertKinds(request.caller), request.params.id),
      ),
    )
  }
