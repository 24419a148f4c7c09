import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type, type TSchema } from 'typebox'
import { Forbidden } from '#errors.ts'
import { Day, Id, oneOf, text } from '#schema/fields.ts'
import { compressWell } from '#http/response-headers.ts'
import { canSeeContacts } from '#http/permissions.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { listSchema, sendList } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { unitStatuses } from '#features/inventory/units/unit.ts'
import { readCalendar, tileLimit, type CalendarQuery } from './read-calendar.ts'
import { syncFilters } from './sync-ranges.ts'
import { UnitCalendar } from './tile.ts'

const tag = 'calendar'
const { limit, cursor } = PageQuery

const manyOf = <T extends TSchema>(item: T, maxItems: number) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems }))
const described = <T extends TSchema>(schema: T, description: string) => ({ ...schema, description })

/** The members of a request for a tile, beside its units and spaces. */
const tileQuery = {
  from: Day,
  to: described(Day, 'The last night, inclusive.'),
  limit: Type.Optional(described(limit, 'Units per page; by default the maximum.')),
  cursor,
  sort: sortable('name', 'space'),
  q: Type.Optional(text(255, 'Part of the name of the unit, or of its space.')),
}
const ChannelTarget = described(Id, 'Units with a listing there, and only these listings.')
const Status = oneOf(...unitStatuses)
const SyncState = described(
  oneOf(...syncFilters),
  'Units with a listing in this state; `synced`: all listings without failure or delay; `unlinked`: no listing.',
)

const tileSchema = listSchema(tag, 'calendar', UnitCalendar, {
  ...tileQuery,
  unit_id: anyOf(Id),
  space_id: anyOf(Id),
  channel_target_id: anyOf(ChannelTarget),
  status: anyOf(Status),
  sync_state: anyOf(SyncState),
})
const limits = 'At most 100 units per page, 400 nights, and 20,000 nights of all units of a page.'

export const calendarTileRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    const sendTile = async (request: FastifyRequest, reply: FastifyReply, query: CalendarQuery) => {
      const { permissions } = request.caller
      const access = {
        guests: permissions.has('bookings:read'),
        contacts: canSeeContacts(permissions),
        sync: permissions.has('sync:read'),
      }
      if (query.sync_state && !access.sync)
        throw new Forbidden('Filtering by sync_state needs the permission sync:read.')
      const { scope, routeOptions } = request
      const limited = { ...query, limit: tileLimit(query) }
      const page = pageRequest({ query: limited, scope, routeOptions }, cursorKeys, 'name')
      const units = await readCalendar(scope, query, page, access)
      const isTagged = request.method !== 'POST'
      return sendList(request, reply, 'calendar', page, units, ({ json }) => json, { isTagged })
    }

    app.get(
      '/calendar',
      {
        compress: compressWell,
        schema: {
          ...tileSchema,
          isTagged: true,
          summary: 'Read the calendar',
          description: `${limits} The \`ETag\` changes with anything that is shown.`,
        },
      },
      (request, reply) => sendTile(request, reply, request.query),
    )

    app.post(
      '/calendar/search',
      {
        compress: compressWell,
        schema: {
          tags: [tag],
          summary: 'Read the calendar of many units',
          description: `For more units than a URL can contain. ${limits}`,
          body: Type.Object(
            {
              ...tileQuery,
              unit_id: manyOf(Id, 2_000),
              space_id: manyOf(Id, 2_000),
              channel_target_id: manyOf(ChannelTarget, 100),
              status: manyOf(Status, unitStatuses.length),
              sync_state: manyOf(SyncState, syncFilters.length),
            },
            {
              title: 'CalendarSearch',
              additionalProperties: false,
              example: { from: '2030-07-01', to: '2030-08-25', status: ['active'], sort: 'space', limit: 50 },
            },
          ),
          response: tileSchema.response,
        },
      },
      (request, reply) => sendTile(request, reply, request.body),
    )
  }
