import { Type } from 'typebox'
import { Id, oneOf } from '#schema/fields.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { anyOf, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { jsonText } from '#http/replies.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import { sendTooManyRequests, TooManyRequests } from '#http/too-many-requests.ts'
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
import { resendNotification } from './resend-notification.ts'
import { QueuedMail, sendTest, TestMail, TooManyTests, type TestMailLimits } from './send-test.ts'
import { templateRoutes } from './template-routes.ts'

interface NotificationRouteOptions {
  cursorKeys: CursorKeys
  limits: TestMailLimits
  publicUrl: string
}

export const notificationRoutes =
  ({ cursorKeys, limits, publicUrl }: NotificationRouteOptions): Routes =>
  async (app) => {
    registerResource(app, cursorKeys, {
      path: '/notifications',
      name: 'notification',
      record: Notification,
      query: {
        ...PageQuery,
        sort: sortable('created_at', 'updated_at'),
        account_id: anyOf(Id),
        event_id: anyOf(Id),
        kind: anyOf(oneOf(...notificationKinds, testKind)),
        channel: anyOf(oneOf(...channels)),
        audience: anyOf(oneOf(...audiences)),
        status: anyOf(oneOf(...notificationStatuses)),
      },
      defaultSort: '-created_at',
      list: listNotifications,
      find: findNotification,
    })

    app.post(
      '/test/send-email',
      {
        schema: {
          tags: ['notifications'],
          summary: 'Send a test e-mail',
          description: `At most ${limits.perHour} per hour.`,
          body: TestMail,
          response: { 201: jsonText(QueuedMail), 429: jsonText(TooManyRequests) },
        },
      },
      async (request, reply) => {
        try {
          return await replyIdempotently(request, reply, async (scope) => ({
            status: 201,
            body: JSON.stringify(await sendTest(scope, limits, request.body, !request.isInternal)),
          }))
        } catch (error) {
          if (error instanceof TooManyTests)
            return sendTooManyRequests(reply, error.retryAfter.getTime() - Date.now())
          throw error
        }
      },
    )

    app.post(
      '/notifications/:id/resend',
      {
        schema: {
          tags: ['notifications'],
          summary: 'Send a notification again',
          description:
            'A new notification with the same text, to the address that the guest has now. Rejected while the first one is being sent, when the guest has none, and when its text was erased.',
          params: Type.Object({ id: Id }),
          response: { 201: jsonText(Type.Object({ notification: Notification })) },
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) => {
          const { json } = await resendNotification(scope, request.params.id)
          return { status: 201, body: `{"notification":${json}}` }
        }),
    )

    await app.register(preferenceRoutes)
    await app.register(templateRoutes(publicUrl))
  }
