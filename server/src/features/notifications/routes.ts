import { Id, oneOf } from '#fields.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { answers, list, lists, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { answerTooMany, TooManyRequests } from '#http/too-many-requests.ts'
import {
  audiences,
  channels,
  Notification,
  notificationKinds,
  notificationStatuses,
  testKind,
} from './notification.ts'
import { preferenceRoutes } from './preference-routes.ts'
import { findNotification, listNotifications } from './queries.ts'
import { QueuedMail, sendTest, TestMail, TooManyTests, type Limits } from './send-test.ts'
import { templateRoutes } from './template-routes.ts'

const tag = 'notifications'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at'),
  account_id: anyOf(Id),
  event_id: anyOf(Id),
  kind: anyOf(oneOf(...notificationKinds, testKind)),
  channel: anyOf(oneOf(...channels)),
  audience: anyOf(oneOf(...audiences)),
  status: anyOf(oneOf(...notificationStatuses)),
}

interface Means {
  cursorKey: Buffer
  limits: Limits
  publicUrl: string
}

export const notificationRoutes =
  ({ cursorKey, limits, publicUrl }: Means): Routes =>
  async (app) => {
    app.get(
      '/notifications',
      { schema: lists(tag, 'notifications', Notification, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey, '-created_at')
        const rows = await listNotifications(request.scope, request.query, page)
        return list(request, reply, 'notifications', page, rows, ({ json }) => json)
      },
    )

    app.get(
      '/notifications/:id',
      { schema: shows(tag, 'notification', Notification) },
      async (request, reply) =>
        show(request, reply, 'notification', await findNotification(request.scope, request.params.id)),
    )

    app.post(
      '/test/send-email',
      {
        schema: {
          tags: [tag],
          summary: 'Send a test mail',
          description: `At most ${limits.perHour} in an hour.`,
          body: TestMail,
          response: { 201: answers(QueuedMail), 429: answers(TooManyRequests) },
        },
      },
      async (request, reply) => {
        try {
          return await once(request, reply, async (scope) => ({
            status: 201,
            headers: {},
            body: JSON.stringify(await sendTest(scope, limits, request.body, !request.isInternal)),
          }))
        } catch (error) {
          if (error instanceof TooManyTests)
            return answerTooMany(reply, error.retryAfter.getTime() - Date.now())
          throw error
        }
      },
    )

    await app.register(preferenceRoutes)
    await app.register(templateRoutes(publicUrl))
  }
