import { Type } from 'typebox'
import { Day, Id, Timestamp, text } from '#schema/fields.ts'
import { canSeeContacts } from '#http/permissions.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { getSchema, jsonText, listSchema, sendList, sendRecord } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { CalendarChange, CalendarChangeDetail, NightsLeft, maxLeft } from './change-record.ts'
import { findChange, listChanges } from './changes-queries.ts'
import { revertChange } from './revert-change.ts'

const tag = 'calendar'
const { updated_since: _, ...page } = PageQuery
const query = {
  ...page,
  sort: sortable('created_at'),
  account_id: anyOf(Id),
  unit_id: anyOf(Id),
  reverts_id: anyOf(Id),
  season_id: anyOf(Id),
  from: Type.Optional({ ...Day, description: 'Changes of this night or a later one.' }),
  to: Type.Optional({ ...Day, description: 'Changes of this night or an earlier one.' }),
  actor_id: Type.Optional(text(64, 'Who made the change.')),
  created_since: Type.Optional({ ...Timestamp, description: 'Created at this time or later.' }),
  created_before: Type.Optional({ ...Timestamp, description: 'Created before this time.' }),
}
const RevertReply = Type.Object({
  calendar_change: CalendarChange,
  left: Type.Array(NightsLeft, { maxItems: maxLeft, description: 'Nights that were not restored.' }),
})

export const calendarChangeRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    app.get(
      '/calendar-changes',
      {
        schema: {
          ...listSchema(tag, 'calendar_changes', CalendarChange, query),
          description:
            'The changes of the last 90 days, the newest first. Filters by unit and night find changes that replaced a value there.',
        },
      },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys, '-created_at')
        const rows = await listChanges(request.scope, request.query, page)
        return sendList(request, reply, 'calendar_changes', page, rows, ({ json }) => json)
      },
    )

    app.get(
      '/calendar-changes/:id',
      {
        schema: {
          ...getSchema(tag, 'calendar_change', CalendarChangeDetail),
          description:
            'With the replaced values; nights with equal values before and after are one entry. Reasons of blocks are shown to callers who may see contact data of guests.',
          querystring: Type.Object({ unit_id: anyOf(Id) }),
        },
      },
      async (request, reply) => {
        const { scope, params, query, caller } = request
        const showsReasons = canSeeContacts(caller.permissions)
        const json = await findChange(scope, params.id, { unitIds: query.unit_id, showsReasons })
        return sendRecord(request, reply, 'calendar_change', { json, version: 1 })
      },
    )

    app.post(
      '/calendar-changes/:id/revert',
      {
        schema: {
          tags: [tag],
          summary: 'Revert a calendar change',
          description:
            'Restores what it replaced, as one new change. Nights that were changed since, and past nights, are skipped and listed. A change is reverted once: a repeated request returns the first revert with 200.',
          params: Type.Object({ id: Id }),
          response: { 200: jsonText(RevertReply), 201: jsonText(RevertReply) },
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) => {
          const { change, left, isRepeated } = await revertChange(scope, request.params.id)
          return {
            status: isRepeated ? 200 : 201,
            body: JSON.stringify({ calendar_change: change, left }),
          }
        }),
    )
  }
