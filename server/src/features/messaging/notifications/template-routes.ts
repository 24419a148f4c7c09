import { Type } from 'typebox'
import { oneOf, text } from '#schema/fields.ts'
import { jsonText } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { languages } from '#schema/language.ts'
import { audiences, channels, isMandatory, notificationKinds } from './notification.ts'
import { render } from './render-notification.ts'
import { audiencesFor, sampleData } from './templates.ts'

const tag = 'notifications'
const formats = ['html', 'text', 'sms'] as const

const NotificationTemplate = Type.Object(
  {
    kind: oneOf(...notificationKinds),
    audiences: Type.Array(oneOf(...audiences), { maxItems: 2 }),
    channels: Type.Array(oneOf(...channels), { maxItems: 2 }),
    locales: Type.Array(oneOf(...languages), { maxItems: 10 }),
    never_silent: Type.Boolean({ description: 'Whether it cannot be turned off.' }),
  },
  { title: 'NotificationTemplate' },
)

/** A preview has no origin, runs no scripts and loads nothing. */
const previewPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"

export const templateRoutes =
  (publicUrl: string): Routes =>
  async (app) => {
    app.get(
      '/notification-templates',
      {
        schema: {
          tags: [tag],
          summary: 'List notification templates',
          response: {
            200: jsonText(
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
              audiences: audiencesFor(kind),
              channels,
              locales: languages,
              never_silent: isMandatory(kind),
            })),
          }),
        ),
    )

    app.get(
      '/notification-templates/preview',
      {
        schema: {
          tags: [tag],
          summary: 'Preview a template with sample data',
          querystring: Type.Object({
            kind: oneOf(...notificationKinds),
            locale: Type.Optional(oneOf(...languages)),
            audience: Type.Optional(oneOf(...audiences)),
            format: Type.Optional(oneOf(...formats)),
          }),
          produces: ['text/html', 'text/plain'],
          response: { 200: text(200_000, 'HTML, or plain text for `text` and `sms`.') },
        },
      },
      async ({ query }, reply) => {
        const { kind, locale = 'en', audience = 'operator', format = 'html' } = query
        const rendered = render({ kind, audience, locale, data: sampleData(kind) }, publicUrl)
        void reply.header('content-security-policy', previewPolicy)
        return reply
          .type(format === 'html' ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8')
          .send(rendered[format])
      },
    )
  }
