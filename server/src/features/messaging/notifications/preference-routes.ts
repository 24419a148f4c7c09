import { Type } from 'typebox'
import { jsonText, sendRecord } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import {
  findPreferences,
  replacePreferences,
  NotificationPreferences,
  NotificationPreferencesInput,
  parsePreferences,
  assertReachable,
  withoutDuplicates,
} from './preferences.ts'

const tag = 'notifications'
const response = { 200: jsonText(Type.Object({ notification_preferences: NotificationPreferences })) }

export const preferenceRoutes: Routes = async (app) => {
  app.get(
    '/notification-preferences',
    { schema: { tags: [tag], summary: 'Read the notification preferences', response } },
    async (request, reply) =>
      sendRecord(request, reply, 'notification_preferences', await findPreferences(request.scope)),
  )

  app.put(
    '/notification-preferences',
    {
      schema: {
        tags: [tag],
        summary: 'Replace the notification preferences',
        description: 'Notifications of failures that affect guests must reach somebody by e-mail or SMS.',
        body: NotificationPreferencesInput,
        response,
      },
    },
    async (request, reply) => {
      const preferences = withoutDuplicates(parsePreferences(request.body))
      assertReachable(preferences)
      const expected = request.headers['if-match']
      const stored = await replacePreferences(request.scope, expected, preferences)
      return sendRecord(request, reply, 'notification_preferences', stored)
    },
  )
}
