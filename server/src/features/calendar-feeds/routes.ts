import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { NotFound, semanticError } from '#errors.ts'
import type { Egress } from '#egress.ts'
import { Id, oneOf, text } from '#fields.ts'
import type { Scope } from '#db/scope.ts'
import { refuseForeignIdentity } from '#http/echoes.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { sendProblem } from '#http/problems.ts'
import {
  answers,
  changes,
  created,
  creates,
  list,
  lists,
  nested,
  removes,
  show,
  shows,
} from '#http/replies.ts'
import type { Caller, Routes } from '#http/routes.ts'
import type { Vault } from '#secrets.ts'
import {
  CalendarFeed,
  CalendarFeedInput,
  CalendarFeedPatch,
  directions,
  exportUrl,
  feedStatuses,
  patched,
  placeOf,
  webAddress,
} from './calendar-feed.ts'
import { decideRemoval } from './decide-removal.ts'
import { exportCalendar } from './export-calendar.ts'
import { RemovalDecision } from './held-removal.ts'
import { addFeed, changeFeed, findFeed, listFeeds, removeFeed, type StoredFeed } from './queries.ts'

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

interface Means {
  cursorKey: Buffer
  vault: Vault
  egress: Egress
  publicUrl: string
  /** Of one unit. */
  maxFeeds: number
}

export const calendarFeedRoutes =
  ({ cursorKey, vault, egress, publicUrl, maxFeeds }: Means): Routes =>
  async (app) => {
    /** The record as this caller may see it: the address only for who may write. */
    const seenBy = ({ permissions }: Caller, { orgId }: Scope, feed: Omit<StoredFeed, 'version'>) => {
      if (!permissions.has('units:write')) return nested(feed.json, { url: 'null' })
      const address = vault.open<string>(feed.address, placeOf(orgId, feed.id))
      const url = feed.direction === 'export' ? exportUrl(publicUrl, address) : address
      return nested(feed.json, { url: JSON.stringify(url) })
    }
    /** The answer to a repeated POST: it was kept without its address, which only the feed has, sealed. */
    const whole = async (caller: Caller, scope: Scope, kept: string) => {
      const { id } = JSON.parse(kept) as { id: string }
      const json = await findFeed(scope, id).then(
        (feed) => seenBy(caller, scope, { ...feed, json: kept }),
        (error: unknown) => {
          if (error instanceof NotFound) return nested(kept, { url: 'null' })
          throw error
        },
      )
      return `{"calendar_feed":${json}}`
    }
    /** @throws Invalid when we would not call the address. */
    const refuseAddress = (url: string) => {
      const refusal = egress.refusal(webAddress(url))
      if (refusal) throw semanticError('url', refusal, 'address_refused')
    }

    app.get(
      '/calendar-feeds',
      { schema: lists(tag, 'calendar_feeds', CalendarFeed, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey)
        const rows = await listFeeds(request.scope, request.query, page)
        return list(request, reply, 'calendar_feeds', page, rows, (row) =>
          seenBy(request.caller, request.scope, row),
        )
      },
    )

    app.get(
      '/calendar-feeds/:id',
      { schema: shows(tag, 'calendar_feed', CalendarFeed) },
      async (request, reply) => {
        const feed = await findFeed(request.scope, request.params.id)
        const json = seenBy(request.caller, request.scope, feed)
        return show(request, reply, 'calendar_feed', { json, version: feed.version })
      },
    )

    app.post(
      '/calendar-feeds',
      { schema: creates(tag, 'calendar_feed', CalendarFeed, CalendarFeedInput) },
      (request, reply) =>
        once(
          request,
          reply,
          async (scope) => {
            const { body, caller } = request
            if (body.direction === 'import' && !body.url)
              throw semanticError('url', 'An import needs the url of the calendar.', 'required')
            if (body.direction === 'export' && body.url)
              throw semanticError('url', 'The address of an export is made here and cannot be given.')
            if (body.url) refuseAddress(body.url)
            const feed = await addFeed(scope, vault, {
              ...body,
              ...(body.url && { url: webAddress(body.url) }),
              maxFeeds,
            })
            const json = seenBy(caller, scope, feed)
            const { version } = feed
            const answer = created('calendar_feed', '/api/v1/calendar-feeds', feed.id, { json, version })
            return { ...answer, kept: feed.json }
          },
          (scope, kept) => whole(request.caller, scope, kept),
        ),
    )

    app.patch(
      '/calendar-feeds/:id',
      {
        schema: changes(
          tag,
          'calendar_feed',
          CalendarFeed,
          CalendarFeedPatch,
          'Change parts of a calendar feed',
        ),
      },
      async (request, reply) => {
        const { scope, params, body, headers, caller } = request
        refuseForeignIdentity(scope, body, params.id)
        const feed = await changeFeed(scope, vault, params.id, headers['if-match'], (current) => {
          const next = patched(current, body)
          if (next.address !== current.address) refuseAddress(next.address)
          return next
        })
        const json = seenBy(caller, scope, feed)
        return show(request, reply, 'calendar_feed', { json, version: feed.version })
      },
    )

    app.post(
      '/calendar-feeds/:id/decision',
      {
        schema: {
          tags: [tag],
          summary: 'Decide about nights that an imported calendar lacks',
          description:
            'For a feed with `held`: accept makes the nights free at once, keep leaves them blocked until the calendar says something else. After keep, accept is still possible.',
          params: Type.Object({ id: Id }),
          body: RemovalDecision,
          response: { 201: answers(Type.Object({ calendar_feed: CalendarFeed })) },
        },
      },
      (request, reply) =>
        once(
          request,
          reply,
          async (scope) => {
            const feed = await decideRemoval(scope, request.params.id, request.body)
            const body = `{"calendar_feed":${seenBy(request.caller, scope, feed)}}`
            return { status: 201, headers: {}, body, kept: feed.json }
          },
          (scope, kept) => whole(request.caller, scope, kept),
        ),
    )

    app.delete(
      '/calendar-feeds/:id',
      { schema: removes(tag, 'calendar_feed') },
      async ({ scope, params, headers }, reply) => {
        await removeFeed(scope, params.id, headers['if-match'])
        return reply.code(204).send()
      },
    )
  }

/** What other programs read: no token, only the secret in the address. */
export const openCalendarRoutes =
  (stock: Pick<Scope, 'database' | 'outbox'>, publicUrl: string): Routes =>
  async (app) => {
    app.get(
      '/calendars/:token.ics',
      {
        schema: {
          tags: [tag],
          summary: 'The calendar of a unit, for other programs (iCalendar)',
          description: 'Nights without a free room, 500 nights ahead; nothing about guests.',
          params: Type.Object({ token: Type.String({ maxLength: 256, pattern: '^[^/]*$' }) }),
          produces: ['text/calendar'],
          response: { 200: text(1_048_576) },
        },
      },
      async (request, reply) => {
        const calendar = await exportCalendar(stock, request.params.token)
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
