import { Type } from 'typebox'
import { Id } from '#schema/fields.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { NotFound } from '#errors.ts'
import { jsonText, listSchema, sendList } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { Retry } from './bulk-sync.ts'
import { listFailingListings, listFailures } from './failure-queries.ts'
import { retryCause } from './run-bulk-sync.ts'
import { FailingListing, SyncFailures } from './sync-failure.ts'

const tags = ['sync']
const { limit, cursor } = PageQuery
const listingsQuery = { limit, cursor, sort: sortable('unit_name') }

/** The failing listings by cause, so that an operator can correct each cause once. */
export const syncFailureRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    app.get(
      '/sync/failures',
      {
        schema: {
          tags,
          summary: 'Failing listings by cause',
          description:
            'Listings fail with one cause when the code, the target and the message are the same apart from names and numbers. Paused listings and inactive targets are left out.',
          querystring: Type.Object({ channel_target_id: anyOf(Id), space_id: anyOf(Id) }),
          response: { 200: jsonText(SyncFailures) },
        },
      },
      async ({ scope, query }) => listFailures(scope, query),
    )

    app.get(
      '/sync/failures/:id/listings',
      {
        schema: {
          ...listSchema('sync', 'failing_listings', FailingListing, listingsQuery),
          summary: 'The listings that fail with one cause',
          params: Type.Object({ id: Id }),
        },
      },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys, 'unit_name')
        const rows = await listFailingListings(request.scope, request.params.id, page)
        if (rows.length === 0 && !request.query.cursor) throw new NotFound('sync failure', request.params.id)
        return sendList(request, reply, 'failing_listings', page, rows, ({ json }) => json)
      },
    )

    app.post(
      '/sync/failures/:id/retry',
      {
        schema: {
          tags,
          summary: 'Retry all listings with one cause',
          description: 'Listings that wait for another attempt are retried at once, too.',
          params: Type.Object({ id: Id }),
          response: { 201: jsonText(Type.Object({ retry: Retry })) },
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) => ({
          status: 201,
          body: JSON.stringify({ retry: await retryCause(scope, request.params.id) }),
        })),
    )
  }
