import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { text } from '#schema/fields.ts'
import type { Authenticate } from '#http/authenticate.ts'
import { helloData, openEventStream } from '#http/event-stream.ts'
import { permissionTable } from '#http/permissions.ts'
import type { Routes } from '#http/routes.ts'
import type { StatusHub } from '#features/distribution/sync/api/statuses.ts'
import type { ChangedRecords, RecordKind, ChangeHub } from '#features/messaging/events/changed-records.ts'
import { findMissedChanges, type LastReceived } from './missed-changes.ts'

interface Live {
  readonly changes: ChangeHub
  readonly statuses: StatusHub
  readonly recognize: Authenticate
}

export const liveRoutes =
  (live: Live): Routes =>
  async (app) => {
    app.get(
      '/events/stream',
      {
        schema: {
          tags: ['events'],
          summary: 'Changes of records as they happen (server-sent events)',
          description:
            'For screens that stay current. `hello` is sent once. `changes` has the ids of changed records by kind, as far as the caller may read them: `{"booking":["<id>"],"rate_plan":null}`. Ids of `calendar` are those of units; null stands for any record of the kind, as do more than 100 of them. `sync` has one sync status each. With `Last-Event-ID` the stream continues after an interruption: missed changes are sent as `changes`, and `reset` means that everything must be read again. A comment is sent every 15 s.',
          headers: Type.Object({
            'last-event-id': Type.Optional(
              Type.String({ maxLength: 64, description: 'The last id that was received.' }),
            ),
          }),
          produces: ['text/event-stream'],
          response: { 200: text(1_048_576) },
        },
      },
      (request, reply) => streamChanges(live, request, reply),
    )
  }

async function streamChanges(
  { changes, statuses, recognize }: Live,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { scope, caller } = request
  const lastId = request.headers['last-event-id']
  const unfollow: (() => void)[] = []
  const stream = openEventStream({
    ...{ request, reply, recognize },
    isAllowed: ({ permissions }) => isSame(permissions, caller.permissions),
    onClose: () => unfollow.forEach((end) => end()),
  })
  if (!stream) return
  /** Messages that wait until the missed changes are sent; null afterwards. */
  let waiting: (() => void)[] | null = []
  const inOrder = (send: () => void) => (waiting ? waiting.push(send) : send())
  /** Known before the first message. */
  let serverStart = ''
  const idOf = (place: string) => `${serverStart}-${place}`
  const sendChanges = (changed: ChangedRecords, place?: string) => {
    const readable = Object.entries(changed).filter(([kind]) =>
      caller.permissions.has(permissionTable[listPaths[kind as RecordKind]]),
    )
    if (readable.length > 0)
      stream.send('changes', JSON.stringify(Object.fromEntries(readable)), place && idOf(place))
  }
  const { id: orgId } = caller.organization
  unfollow.push(
    changes.follow(orgId, (changed, place) => inOrder(() => sendChanges(changed, place))),
    statuses.follow(orgId, {
      changed: (status) =>
        caller.permissions.has(syncPermission) && inOrder(() => stream.send('sync', status)),
      ended: stream.end,
      recheck: stream.recheck,
    }),
  )
  try {
    const start = await findMissedChanges(scope, readId(lastId))
    const { place, missed } = start
    serverStart = start.serverStart
    stream.send('hello', helloData, idOf(place))
    if (missed) sendChanges(missed, place)
    else if (lastId !== undefined) stream.send('reset', '{}', idOf(place))
    waiting.forEach((send) => send())
    waiting = null
  } catch {
    // The client reconnects.
    stream.end()
  }
}

/** The id of a message; null for none, and for one that is not ours. */
function readId(id: unknown): LastReceived | null {
  const [, serverStart, place] = /^(\d{1,20})-(\d{1,18})$/.exec(String(id)) ?? []
  return serverStart === undefined || place === undefined ? null : { serverStart, place }
}

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  one.size === other.size && [...one].every((permission) => other.has(permission))

const syncPermission = permissionTable['GET /api/v1/sync/status']

/** The operation that lists the records of a kind; its permission is needed to receive their changes. */
const listPaths = {
  alert: 'GET /api/v1/alerts',
  booking: 'GET /api/v1/bookings',
  booking_conflict: 'GET /api/v1/booking-conflicts',
  calendar: 'GET /api/v1/calendar',
  calendar_feed: 'GET /api/v1/calendar-feeds',
  channel_listing: 'GET /api/v1/channel-listings',
  channel_target: 'GET /api/v1/channel-targets',
  charge: 'GET /api/v1/charges',
  payment_intent: 'GET /api/v1/payment-intents',
  quote: 'GET /api/v1/quotes',
  rate_plan: 'GET /api/v1/rate-plans',
  refund: 'GET /api/v1/refunds',
  sales_stop: 'GET /api/v1/sales-stops',
  season: 'GET /api/v1/seasons',
  space: 'GET /api/v1/spaces',
  unit: 'GET /api/v1/units',
  webhook_endpoint: 'GET /api/v1/webhook-endpoints',
} as const satisfies Record<RecordKind, keyof typeof permissionTable>
