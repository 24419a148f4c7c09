import { Type } from 'typebox'
import { Id, Timestamp, oneOf, text, identifier } from '#schema/fields.ts'
import type { Authenticate } from '#http/authenticate.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { jsonText, sendList, listSchema } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { canSeeContacts } from '#http/permissions.ts'
import { listAudit } from '#features/distribution/audit/queries.ts'
import { type StatusHub, findSyncStatus, listSyncStatuses } from './statuses.ts'
import { streamSyncs } from './status-stream.ts'
import { syncTriggers, syncStates } from '#features/distribution/sync/state.ts'
import {
  AuditEntry,
  SyncStatus,
  SyncTrigger,
  SyncTriggered,
} from '#features/distribution/sync/sync-status.ts'
import { triggerSync } from './trigger-sync.ts'

const tags = ['sync']
const { updated_since: _, ...page } = PageQuery

const statusQuery = {
  ...page,
  sort: sortable('changed_at'),
  channel_target_id: anyOf(Id),
  unit_id: anyOf(Id),
  status: anyOf(oneOf(...syncStates)),
}

const auditQuery = {
  ...page,
  sort: sortable('created_at'),
  account_id: anyOf(Id),
  channel_listing_id: anyOf(Id),
  channel_target_id: anyOf(Id),
  unit_id: anyOf(Id),
  job_id: anyOf(Id),
  status: anyOf(oneOf(...syncStates)),
  action: anyOf(identifier(64)),
  trigger: anyOf(oneOf(...syncTriggers)),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
}

export const syncRoutes =
  ({
    cursorKeys,
    live,
    recognize,
  }: {
    cursorKeys: CursorKeys
    live: StatusHub
    recognize: Authenticate
  }): Routes =>
  async (app) => {
    app.post(
      '/sync/trigger',
      {
        schema: {
          tags,
          summary: 'Push one listing to the PMS now',
          description:
            'Resets waits and attempts. Mode `full` sends everything, otherwise the differences are sent. Without differences the PMS is read back, and corrected if it shows something else.',
          body: SyncTrigger,
          response: { 201: jsonText(SyncTriggered) },
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) => ({
          status: 201,
          body: await triggerSync(scope, request.body.channel_listing_id, request.body.mode),
        })),
    )

    app.get(
      '/sync/status/:listingId',
      {
        schema: {
          tags,
          summary: 'The sync status of one listing',
          params: Type.Object({ listingId: Id }),
          response: { 200: jsonText(SyncStatus) },
        },
      },
      async ({ scope, params }, reply) =>
        reply.type('application/json; charset=utf-8').send(await findSyncStatus(scope, params.listingId)),
    )

    app.get(
      '/sync/status',
      { schema: listSchema('sync', 'sync_statuses', SyncStatus, statusQuery) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys, 'changed_at')
        const rows = await listSyncStatuses(request.scope, request.query, page)
        return sendList(request, reply, 'sync_statuses', page, rows, ({ json }) => json)
      },
    )

    app.get(
      '/sync/audit',
      { schema: listSchema('sync', 'audit', AuditEntry, auditQuery) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys, '-created_at')
        const rows = await listAudit(request.scope, request.query, page)
        const showsReasons = canSeeContacts(request.caller.permissions)
        return sendList(request, reply, 'audit', page, rows, ({ json }) =>
          showsReasons ? json : withoutReasons(json),
        )
      },
    )

    app.get(
      '/sync/stream',
      {
        schema: {
          tags,
          summary: 'Changes of sync states as they happen (server-sent events)',
          description: 'Events `hello` once and `sync` with one sync status each; a comment every 15 s.',
          produces: ['text/event-stream'],
          response: { 200: text(1_048_576) },
        },
      },
      (request, reply) => streamSyncs(live, recognize, request, reply),
    )
  }

/** Reasons of blocked rooms may name guests. */
function withoutReasons(json: string): string {
  const entry = JSON.parse(json) as { action: string; changes: { after?: { reason?: unknown } | null }[] }
  if (!entry.action.startsWith('calendar.')) return json
  for (const { after } of entry.changes) delete after?.reason
  return JSON.stringify(entry)
}
