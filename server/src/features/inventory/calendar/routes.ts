import { Type } from 'typebox'
import { canSeeContacts } from '#http/permissions.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { jsonText } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { CalendarChangeInput } from './calendar-change.ts'
import { CalendarChange, CalendarPreview } from './change-record.ts'
import { changeCalendar, previewCalendar } from './change-calendar.ts'
import { CalendarCopyInput } from './copy.ts'
import { copyCalendar, previewCopy } from './copy-calendar.ts'

const tags = ['calendar']
const changeResponses = {
  200: jsonText(Type.Object({ calendar_preview: CalendarPreview })),
  201: jsonText(Type.Object({ calendar_change: CalendarChange })),
}

export const calendarRoutes: Routes = async (app) => {
  app.post(
    '/calendar',
    {
      schema: {
        tags,
        summary: 'Change nights of many units and plans',
        description:
          'One change: all values or none, one entry in the audit. Of two values for a night the later one applies. Past nights (at the unit) are omitted. A price may be derived from the current one. With `dry_run` the response is 200 with what would change.',
        body: CalendarChangeInput,
        response: changeResponses,
      },
    },
    async (request, reply) => {
      const { values, dry_run } = request.body
      if (dry_run) {
        const preview = await previewCalendar(request.scope, values)
        if (!canSeeContacts(request.caller.permissions))
          for (const { before } of preview.ranges) delete before.reason
        return reply.type('application/json; charset=utf-8').send({ calendar_preview: preview })
      }
      return replyIdempotently(request, reply, async (scope) => ({
        status: 201,
        body: JSON.stringify({ calendar_change: await changeCalendar(scope, values) }),
      }))
    },
  )

  app.post(
    '/calendar/copy',
    {
      schema: {
        tags,
        summary: 'Copy nights to other units, or to another year',
        description:
          'One change: of the default plan of each unit. What is not decided for a copied night returns to the default. With `years` the nights go to the same weekdays. Nights that are past where the unit is are left out; blocked rooms are not copied. With `dry_run`, what would change is answered with 200.',
        body: CalendarCopyInput,
        response: changeResponses,
      },
    },
    async (request, reply) => {
      const { body } = request
      if (body.dry_run) {
        const preview = await previewCopy(request.scope, body)
        return reply.type('application/json; charset=utf-8').send({ calendar_preview: preview })
      }
      return replyIdempotently(request, reply, async (scope) => ({
        status: 201,
        body: JSON.stringify({ calendar_change: await copyCalendar(scope, body) }),
      }))
    },
  )
}
