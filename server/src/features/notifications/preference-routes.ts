import { Type } from 'typebox'
import { answers, show } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { findPreferences, replacePreferences } from './people-queries.ts'
import {
  NotificationPreferences,
  NotificationPreferencesInput,
  preferencesIn,
  refuseSilence,
  tidied,
} from './preferences.ts'

const tag = 'notifications'
const response = { 200: answers(Type.Object({ notification_preferences: NotificationPreferences })) }

export const preferenceRoutes: Routes = async (app) => {
  app.get(
    '/notification-preferences',
    { schema: { tags: [tag], summary: 'Read who is told what', response } },
    async (request, reply) =>
      show(request, reply, 'notification_preferences', await findPreferences(request.scope)),
  )

  app.put(
    '/notification-preferences',
    {
      schema: {
        tags: [tag],
        summary: 'Replace who is told what',
        description: 'A failure towards guests must reach somebody, by mail or by SMS.',
        body: NotificationPreferencesInput,
        response,
      },
    },
    async (request, reply) => {
      const preferences = tidied(preferencesIn(request.body))
      refuseSilence(preferences)
      const expected = request.headers['if-match']
      const stored = await replacePreferences(request.scope, expected, preferences)
      return show(request, reply, 'notification_preferences', stored)
    },
  )
}
