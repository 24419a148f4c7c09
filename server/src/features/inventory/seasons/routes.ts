import { Type } from 'typebox'
import { Id, text } from '#schema/fields.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { jsonText } from '#http/replies.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import { CalendarChange, CalendarPreview } from '#features/inventory/calendar/change-record.ts'
import { applySeason, previewSeason } from './apply-season.ts'
import { createSeason, deleteSeason, findSeason, listSeasons, replaceSeason } from './queries.ts'
import { Season, SeasonApplication, SeasonInput } from './season.ts'

export const seasonRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    registerResource(app, cursorKeys, {
      path: '/seasons',
      name: 'season',
      record: Season,
      query: {
        ...PageQuery,
        sort: sortable('created_at', 'updated_at', 'name'),
        q: Type.Optional(text(255, 'Part of the name.')),
      },
      input: SeasonInput,
      list: listSeasons,
      find: findSeason,
      create: createSeason,
      replace: replaceSeason,
      delete: deleteSeason,
    })

    app.post(
      '/seasons/:id/apply',
      {
        schema: {
          tags: ['seasons'],
          summary: 'Apply a season to units',
          description:
            'One change of the calendar, for the default plan of each unit. Past nights (at the unit) are omitted. With `dry_run` the response is 200 with what would change.',
          params: Type.Object({ id: Id }),
          body: SeasonApplication,
          response: {
            200: jsonText(Type.Object({ calendar_preview: CalendarPreview })),
            201: jsonText(Type.Object({ calendar_change: CalendarChange })),
          },
        },
      },
      async (request, reply) => {
        const { params, body } = request
        if (body.dry_run) {
          const preview = await previewSeason(request.scope, params.id, body)
          return reply.type('application/json; charset=utf-8').send({ calendar_preview: preview })
        }
        return replyIdempotently(request, reply, async (scope) => ({
          status: 201,
          body: JSON.stringify({ calendar_change: await applySeason(scope, params.id, body) }),
        }))
      },
    )
  }
