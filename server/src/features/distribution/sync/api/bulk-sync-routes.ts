import { Type } from 'typebox'
import { Id, oneOf } from '#schema/fields.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { jsonText, sendList, listSchema } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import type { PmsDirectory } from '#integrations/pms/pms-provider.ts'
import { targetStatuses } from '#features/distribution/channel-targets/channel-target.ts'
import { ConnectorSync, ConnectorSyncInput, Replay, ReplayInput, Retry, RetryInput } from './bulk-sync.ts'
import { replay, retryFailed, syncProperty } from './run-bulk-sync.ts'
import { findTargetState, listTargetStates, shownTarget, TargetSync } from './target-status.ts'

const tags = ['sync']
const { updated_since: _, ...page } = PageQuery

const targetQuery = {
  ...page,
  sort: sortable('created_at', 'name'),
  account_id: anyOf(Id),
  status: anyOf(oneOf(...targetStatuses)),
}

/** Retries, replays, and the state of the targets. */
export const bulkSyncRoutes =
  ({ cursorKeys, pms }: { cursorKeys: CursorKeys; pms: PmsDirectory }): Routes =>
  async (app) => {
    app.post(
      '/sync/retries',
      {
        schema: {
          tags,
          summary: 'Retry failed listings',
          description:
            'One failed listing, those of a target, those with a cause, or all. Paused listings and inactive targets are skipped.',
          body: RetryInput,
          response: { 201: jsonText(Type.Object({ retry: Retry })) },
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) =>
          made({ retry: await retryFailed(scope, request.body) }),
        ),
    )

    app.post(
      '/sync/replays',
      {
        schema: {
          tags,
          summary: 'Replay a listing or a target',
          description: 'Sends content and all nights, whatever the PMS has.',
          body: ReplayInput,
          response: { 201: jsonText(Type.Object({ replay: Replay })) },
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) =>
          made({ replay: await replay(scope, request.body) }),
        ),
    )

    app.post(
      '/connectors/pms/sync',
      {
        schema: {
          tags,
          summary: 'Sync all listings of one property',
          description: 'For owners and admins. Sends the differences, and reads the PMS back.',
          body: ConnectorSyncInput,
          response: { 201: jsonText(ConnectorSync) },
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) =>
          made(await syncProperty(scope, request.body.property_id)),
        ),
    )

    app.get(
      '/sync/targets',
      { schema: listSchema('sync', 'sync_targets', TargetSync, targetQuery) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys)
        const rows = await listTargetStates(request.scope, request.query, page)
        return sendList(request, reply, 'sync_targets', page, rows, (row) =>
          JSON.stringify(shownTarget(pms, row)),
        )
      },
    )

    app.get(
      '/sync/targets/:targetId',
      {
        schema: {
          tags,
          summary: 'The PMS of a target: availability, remaining calls, waiting changes',
          params: Type.Object({ targetId: Id }),
          response: { 200: jsonText(Type.Object({ sync_target: TargetSync })) },
        },
      },
      async ({ scope, params }) => ({
        sync_target: shownTarget(pms, await findTargetState(scope, params.targetId)),
      }),
    )
  }

const made = (body: object) => ({ status: 201, body: JSON.stringify(body) })
