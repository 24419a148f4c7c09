import { Type } from 'typebox'
import { oneOf } from '#schema/fields.ts'
import { cursorFormat, pageRequest, PageQuery, type CursorKeys } from '#http/paging.ts'
import { jsonText, sendRecord, getSchema } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { Event, eventTypes } from './event.ts'
import { findEvent } from './record-events.ts'
import { findEnd, readFeed, type FeedPosition } from './read-feed.ts'

const tag = 'events'
const { limit, cursor, org_id } = PageQuery
const Cursor = (description: string) =>
  Type.Optional(Type.String({ ...cursorFormat, minLength: 1, description }))

export const eventRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    const stopping = new AbortController()
    app.addHook('preClose', (done) => (stopping.abort(), done()))

    app.get(
      '/events',
      {
        schema: {
          tags: [tag],
          summary: 'Read the event feed',
          description:
            'Oldest first, after a cursor. `next_cursor` is always set: store it when the events are processed, and continue with it. No event is missed or repeated, also during concurrent writes.',
          querystring: Type.Object({
            limit,
            after: Cursor(
              '`next_cursor` of an earlier response, or `latest` for events from now on; without it the oldest is first.',
            ),
            cursor: Type.Optional({ ...cursor, description: 'The same as `after`.' }),
            org_id,
            types: Type.Optional(
              Type.Array(oneOf(...eventTypes), {
                minItems: 1,
                maxItems: 50,
                description: 'Repeated for each type.',
              }),
            ),
            wait: Type.Optional(
              Type.Integer({
                minimum: 0,
                maximum: 20,
                format: 'int32',
                description: 'Seconds to wait for an event when there is none.',
              }),
            ),
          }),
          response: {
            200: jsonText(
              Type.Object({
                events: Type.Array(Event, { maxItems: 100 }),
                next_cursor: Type.String(cursorFormat),
                has_more: Type.Boolean({ description: 'Whether there is a next page.' }),
              }),
            ),
          },
        },
      },
      async (request, reply) => {
        const { query, scope, routeOptions } = request
        // A reader may change what it looks for and go on from the same place.
        const asksForNew = query.after === 'latest'
        const asked = { limit: query.limit, cursor: asksForNew ? undefined : (query.after ?? query.cursor) }
        const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
        const { limit, after, cursorAt } = pageRequest({ query: given, scope, routeOptions }, cursorKeys)
        const gone = new AbortController()
        reply.raw.once('close', () => gone.abort())
        const start = asksForNew ? await findEnd(scope) : positionOf(after)
        const isOther = query.org_id !== undefined && !query.org_id.includes(scope.orgId)
        const page = isOther
          ? { events: [], next: start, hasMore: false }
          : await readFeed(scope, {
              ...{ after: start, limit, types: query.types ?? null, waitMs: (query.wait ?? 0) * 1_000 },
              signal: AbortSignal.any([gone.signal, stopping.signal]),
            })
        const next = cursorAt(ofEvent, page.next.eventId ?? '')
        if (page.hasMore) {
          const url = new URL(request.url, 'http://vacancy')
          url.searchParams.delete('after')
          url.searchParams.set('cursor', next)
          void reply.header('link', `<${url.pathname}${url.search}>; rel="next"`)
        }
        const events = page.events.map(({ json }) => json).join(',')
        return reply
          .type('application/json; charset=utf-8')
          .send(`{"events":[${events}],"next_cursor":"${next}","has_more":${page.hasMore}}`)
      },
    )

    app.get('/events/:id', { schema: getSchema(tag, 'event', Event) }, async (request, reply) =>
      sendRecord(request, reply, 'event', await findEvent(request.scope, request.params.id)),
    )
  }

/** The value in cursors that name an event; those of earlier releases have a transaction there, and a position for the id. */
const ofEvent = 'event'

function positionOf(cursor: { value: string; id: string } | null): FeedPosition {
  if (cursor === null || cursor.value === ofEvent) return { eventId: cursor?.id || null }
  return { eventId: null, place: { transaction: cursor.value, position: cursor.id } }
}
