import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { NotFound, semanticError } from '#errors.ts'
import type { Egress } from '#egress/egress.ts'
import { Id, oneOf, text, assertSameIdentity } from '#schema/fields.ts'
import type { Scope } from '#db/scope.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { sendProblem } from '#http/problems.ts'
import {
  jsonText,
  updateSchema,
  createdReply,
  createSchema,
  sendList,
  listSchema,
  deleteSchema,
  sendRecord,
  getSchema,
} from '#http/replies.ts'
import { withMembers } from '#db/records.ts'
import type { Caller, Routes } from '#http/routes.ts'
import type { Vault } from '#secrets/vault.ts'
import {
  CalendarFeed,
  CalendarFeedInput,
  CalendarFeedPatch,
  directions,
  exportUrl,
  feedStatuses,
  applyPatch,
  addressContext,
  toHttpsUrl,
} from './calendar-feed.ts'
import { decideRemoval } from './decide-removal.ts'
import { exportCalendar } from './export-calendar.ts'
import { RemovalDecision } from './held-removal.ts'
import { findFeed, listFeeds, type StoredFeed } from './queries.ts'
import { createFeed, deleteFeed, requestFetch, updateFeed } from './save-feed.ts'

const tag = 'calendar feeds'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'name'),
  q: Type.Optional(text(255, 'Part of the name.')),
  account_id: anyOf(Id),
  unit_id: anyOf(Id),
  direction: anyOf(oneOf(...directions)),
  status: anyOf(oneOf(...feedStatuses)),
}

interface RouteOptions {
  cursorKeys: CursorKeys
  vault: Vault
  egress: Egress
  publicUrl: string
  /** The limit for one unit. */
  maxFeeds: number
}

export const calendarFeedRoutes =
  ({ cursorKeys, vault, egress, publicUrl, maxFeeds }: RouteOptions): Routes =>
  async (app) => {
    /** The record as JSON, with its address only for callers who may write units. */
    const formatFor = ({ permissions }: Caller, { orgId }: Scope, feed: Omit<StoredFeed, 'version'>) => {
      if (!permissions.has('units:write')) return withMembers(feed.json, { url: 'null' })
      const address = vault.open<string>(feed.address, addressContext(orgId, feed.id))
      const url = feed.direction === 'export' ? exportUrl(publicUrl, address) : address
      return withMembers(feed.json, { url: JSON.stringify(url) })
    }
    /** The response to a repeated POST. It was stored without the address, which is read from the feed again. */
    const formatReplay = async (caller: Caller, scope: Scope, stored: string) => {
      const { id } = JSON.parse(stored) as { id: string }
      const json = await findFeed(scope, id).then(
        (feed) => formatFor(caller, scope, { ...feed, json: stored }),
        (error: unknown) => {
          if (error instanceof NotFound) return withMembers(stored, { url: 'null' })
          throw error
        },
      )
      return `{"calendar_feed":${json}}`
    }
    /** @throws Invalid when the address must not be called */
    const assertAddressAllowed = (url: string) => {
      const problem = egress.addressProblem(toHttpsUrl(url))
      if (problem) throw semanticError('url', problem, 'address_refused')
    }

    app.get(
      '/calendar-feeds',
      { schema: listSchema(tag, 'calendar_feeds', CalendarFeed, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys)
        const rows = await listFeeds(request.scope, request.query, page)
        return sendList(request, reply, 'calendar_feeds', page, rows, (row) =>
          formatFor(request.caller, request.scope, row),
        )
      },
    )

    app.get(
      '/calendar-feeds/:id',
      { schema: getSchema(tag, 'calendar_feed', CalendarFeed) },
      async (request, reply) => {
        const feed = await findFeed(request.scope, request.params.id)
        const json = formatFor(request.caller, request.scope, feed)
        return sendRecord(request, reply, 'calendar_feed', { json, version: feed.version })
      },
    )

    app.post(
      '/calendar-feeds',
      { schema: createSchema(tag, 'calendar_feed', CalendarFeed, CalendarFeedInput) },
      (request, reply) =>
        replyIdempotently(
          request,
          reply,
          async (scope) => {
            const { body, caller } = request
            if (body.direction === 'import' && !body.url)
              throw semanticError('url', 'An import needs the url of a calendar.', 'required')
            if (body.direction === 'export' && body.url)
              throw semanticError('url', 'The url of an export is generated. Leave it out.')
            if (body.url) assertAddressAllowed(body.url)
            const feed = await createFeed(scope, vault, {
              ...body,
              ...(body.url && { url: toHttpsUrl(body.url) }),
              maxFeeds,
            })
            const json = formatFor(caller, scope, feed)
            const { version } = feed
            const answer = createdReply('calendar_feed', '/api/v1/calendar-feeds', feed.id, { json, version })
            return { ...answer, storedBody: feed.json }
          },
          (scope, stored) => formatReplay(request.caller, scope, stored),
        ),
    )

    app.patch(
      '/calendar-feeds/:id',
      {
        schema: updateSchema(tag, 'calendar_feed', CalendarFeed, CalendarFeedPatch, 'Update a calendar feed'),
      },
      async (request, reply) => {
        const { scope, params, body, headers, caller } = request
        assertSameIdentity(scope, body, params.id)
        const feed = await updateFeed(scope, vault, params.id, headers['if-match'], (current) => {
          const next = applyPatch(current, body)
          if (next.address !== current.address) assertAddressAllowed(next.address)
          return next
        })
        const json = formatFor(caller, scope, feed)
        return sendRecord(request, reply, 'calendar_feed', { json, version: feed.version })
      },
    )

    app.post(
      '/calendar-feeds/:id/decision',
      {
        schema: {
          tags: [tag],
          summary: 'Decide about nights that disappeared from an imported calendar',
          description:
            'For a feed with `held`: accept frees the nights at once, keep leaves them blocked until the calendar changes. After keep, accept is still possible.',
          params: Type.Object({ id: Id }),
          body: RemovalDecision,
          response: { 201: jsonText(Type.Object({ calendar_feed: CalendarFeed })) },
        },
      },
      (request, reply) =>
        replyIdempotently(
          request,
          reply,
          async (scope) => {
            const feed = await decideRemoval(scope, request.params.id, request.body)
            const body = `{"calendar_feed":${formatFor(request.caller, scope, feed)}}`
            return { status: 201, body, storedBody: feed.json }
          },
          (scope, stored) => formatReplay(request.caller, scope, stored),
        ),
    )

    app.post(
      '/calendar-feeds/:id/fetch',
      {
        schema: {
          tags: [tag],
          summary: 'Fetch an imported calendar now',
          params: Type.Object({ id: Id }),
          response: { 201: jsonText(Type.Object({ calendar_feed: CalendarFeed })) },
        },
      },
      (request, reply) =>
        replyIdempotently(
          request,
          reply,
          async (scope) => {
            const feed = await requestFetch(scope, request.params.id)
            const body = `{"calendar_feed":${formatFor(request.caller, scope, feed)}}`
            return { status: 201, body, storedBody: feed.json }
          },
          (scope, stored) => formatReplay(request.caller, scope, stored),
        ),
    )

    app.delete(
      '/calendar-feeds/:id',
      { schema: deleteSchema(tag, 'calendar_feed') },
      async ({ scope, params, headers }, reply) => {
        await deleteFeed(scope, params.id, headers['if-match'])
        return reply.code(204).send()
      },
    )
  }

/** For other programs, without an access token: the address itself is secret. */
export const openCalendarRoutes =
  (connections: Pick<Scope, 'database'>, publicUrl: string): Routes =>
  async (app) => {
    app.get(
      '/calendars/:token.ics',
      {
        schema: {
          tags: [tag],
          summary: 'Get the calendar of a unit (iCalendar)',
          description: 'The nights without a free room, two years ahead, without data of guests.',
          params: Type.Object({ token: Type.String({ maxLength: 256, pattern: '^[^/]*$' }) }),
          produces: ['text/calendar'],
          response: { 200: text(1_048_576) },
        },
      },
      async (request, reply) => {
        const calendar = await exportCalendar(connections, request.params.token)
        if (!calendar) {
          const detail = `There is nothing at ${request.url.split('?')[0]!.slice(0, 200)}.`
          return sendProblem(reply, request, publicUrl, { code: 'no-such-path', detail })
        }
        void reply.headers({ etag: calendar.etag, 'cache-control': 'private, max-age=300' })
        if (request.headers['if-none-match']?.includes(calendar.etag))
          return (reply as FastifyReply).code(304).send()
        return reply.type('text/calendar; charset=utf-8').send(calendar.text)
      },
    )
  }
