import { Type } from 'typebox'
import { Id, oneOf } from '#fields.ts'
import { once } from '#http/idempotency.ts'
import { pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { answers, list, lists, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import type { PmsDirectory } from '#outside/pms/pms.ts'
import { BookingConflict, conflictReasons, conflictStatuses, DismissalInput } from './booking-conflict.ts'
import { dismiss, retryConflict } from './close-conflict.ts'
import { findConflict, listConflicts } from './conflict-queries.ts'

const tag = 'booking conflicts'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at'),
  account_id: Type.Optional(Id),
  channel_target_id: Type.Optional(Id),
  unit_id: Type.Optional(Id),
  status: Type.Optional(oneOf(...conflictStatuses)),
  reason: Type.Optional(oneOf(...conflictReasons)),
}
const params = Type.Object({ id: Id })
const response = { 201: answers(Type.Object({ booking_conflict: BookingConflict })) }

export const bookingConflictRoutes =
  ({ cursorKey, pms }: { cursorKey: Buffer; pms: PmsDirectory }): Routes =>
  async (app) => {
    app.get(
      '/booking-conflicts',
      { schema: lists(tag, 'booking_conflicts', BookingConflict, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey, '-created_at')
        const rows = await listConflicts(request.scope, request.query, page)
        return list(request, reply, 'booking_conflicts', page, rows, ({ json }) => json)
      },
    )

    app.get(
      '/booking-conflicts/:id',
      { schema: shows(tag, 'booking_conflict', BookingConflict) },
      async (request, reply) =>
        show(request, reply, 'booking_conflict', await findConflict(request.scope, request.params.id)),
    )

    app.post(
      '/booking-conflicts/:id/retry',
      {
        schema: {
          tags: [tag],
          summary: 'Try again to apply a booking of the PMS',
          description: 'The answer says whether it fits now.',
          params,
          response,
        },
      },
      (request, reply) =>
        once(request, reply, async (scope) => answer(await retryConflict(scope, pms, request.params.id))),
    )

    app.post(
      '/booking-conflicts/:id/dismissal',
      {
        schema: {
          tags: [tag],
          summary: 'Dismiss a booking conflict',
          description: 'It opens again when the PMS changes the booking and it still does not fit.',
          params,
          body: DismissalInput,
          response,
        },
      },
      (request, reply) =>
        once(request, reply, async (scope) =>
          answer(await dismiss(scope, request.params.id, request.body.reason)),
        ),
    )
  }

const answer = ({ json }: { json: string }) => ({
  status: 201,
  headers: {},
  body: `{"booking_conflict":${json}}`,
})
