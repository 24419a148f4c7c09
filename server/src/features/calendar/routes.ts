import { Type } from 'typebox'
import { Day, Id } from '#fields.ts'
import { once } from '#http/idempotency.ts'
import { answers } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { CalendarChange, CalendarChangeInput } from './calendar-change.ts'
import { changeCalendar } from './change-calendar.ts'
import { readCalendar } from './read-calendar.ts'
import { UnitCalendar } from './tile.ts'

const tags = ['calendar']

export const calendarRoutes: Routes = async (app) => {
  app.get(
    '/calendar',
    {
      schema: {
        tags,
        summary: 'Read a tile of the calendar',
        description: 'At most 100 units, 400 nights, and 20,000 nights of all units together.',
        querystring: Type.Object({
          unit_id: Type.Optional(
            Type.Array(Id, { minItems: 1, maxItems: 100, description: 'Repeated for each unit.' }),
          ),
          space_id: Type.Optional({ ...Id, description: 'All units of a space instead.' }),
          from: Day,
          to: { ...Day, description: 'The last night, included.' },
        }),
        response: { 200: answers(Type.Object({ calendar: Type.Array(UnitCalendar, { maxItems: 100 }) })) },
      },
    },
    async ({ scope, query }) => ({ calendar: await readCalendar(scope, query) }),
  )

  app.post(
    '/calendar',
    {
      schema: {
        tags,
        summary: 'Decide nights of many units and plans',
        description:
          'One change: all values or none, one entry in the audit. A later value wins over an earlier one for the same night. Nights that are past where the unit is are left out.',
        body: CalendarChangeInput,
        response: { 201: answers(Type.Object({ calendar_change: CalendarChange })) },
      },
    },
    (request, reply) =>
      once(request, reply, async (scope) => ({
        status: 201,
        headers: {},
        body: JSON.stringify({ calendar_change: await changeCalendar(scope, request.body.values) }),
      })),
  )
}
