import { Type } from 'typebox'
import { oneOf, text } from '#fields.ts'
import { answers } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { languages } from './locale.ts'
import { audiences, channels, isNeverSilent, notificationKinds } from './notification.ts'
import { render } from './render.ts'
import { audiencesOf, sampleOf } from './templates.ts'

const tag = 'notifications'
const forms = ['html', 'text', 'sms'] as const

const NotificationTemplate = Type.Object(
  {
    kind: oneOf(...notificationKinds),
    audiences: Type.Array(oneOf(...audiences), { maxItems: 2 }),
    channels: Type.Array(oneOf(...channels), { maxItems: 2 }),
    locales: Type.Array(oneOf(...languages), { maxItems: 10 }),
    never_silent: Type.Boolean({ description: 'Whether it cannot be switched off.' }),
  },
  { title: 'NotificationTemplate' },
)

/** A page of its own, without an origin: it runs nothing and loads nothing. */
const alone = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"

export const templateRoutes =
  (publicUrl: string): Routes =>
  async (app) => {
    app.get(
      '/notification-templates',
      {
        schema: {
          tags: [tag],
          summary: 'List what people are told of',
          response: {
            200: answers(
              Type.Object({ notification_templates: Type.Array(NotificationTemplate, { maxItems: 100 }) }),
            ),
          },
        },
      },
      async (_request, reply) =>
        reply.type('application/json; charset=utf-8').send(
          JSON.stringify({
            notification_templates: notificationKinds.map((kind) => ({
              kind,
              audiences: audiencesOf(kind),
              channels,
              locales: languages,
              never_silent: isNeverSilent(kind),
            })),
          }),
        ),
    )

    app.get(
      '/notification-templates/preview',
      {
        schema: {
          tags: [tag],
          summary: 'Look at a template with sample data',
          querystring: Type.Object({
            kind: oneOf(...notificationKinds),
            locale: Type.Optional(oneOf(...languages)),
            audience: Type.Optional(oneOf(...audiences)),
            format: Type.Optional(oneOf(...forms)),
          }),
          produces: ['text/html', 'text/plain'],
          response: { 200: text(200_000, 'HTML, or plain text for `text` and `sms`.') },
        },
      },
      async ({ query }, reply) => {
        const { kind, locale = 'en', audience = 'operator', format = 'html' } = query
        const rendered = render({ kind, audience, locale, story: sampleOf(kind) }, publicUrl)
        void reply.header('content-security-policy', alone)
        return reply
          .type(format === 'html' ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8')
          .send(rendered[format])
      },
    )
  }
