import { Type } from 'typebox'
import { Id, oneOf } from '#fields.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { maySeeContacts } from '#http/permissions.ts'
import { answers, list, lists, nested, show, shows } from '#http/replies.ts'
import type { Caller, Routes } from '#http/routes.ts'
import type { PmsDirectory } from '#outside/pms/pms.ts'
import { withoutContacts } from '../bookings/guest-contacts.ts'
import { BookingConflict, conflictReasons, conflictStatuses, DismissalInput } from './booking-conflict.ts'
import { dismiss, retryConflict } from './close-conflict.ts'
import { findConflict, listConflicts } from './conflict-queries.ts'

const tag = 'booking conflicts'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at'),
  account_id: anyOf(Id),
  channel_target_id: anyOf(Id),
  calendar_feed_id: anyOf(Id),
  unit_id: anyOf(Id),
  status: anyOf(oneOf(...conflictStatuses)),
  reason: anyOf(oneOf(...conflictReasons)),
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
        const shown = shownTo(request.caller)
        return list(request, reply, 'booking_conflicts', page, rows, ({ json }) => shown(json))
      },
    )

    app.get(
      '/booking-conflicts/:id',
      { schema: shows(tag, 'booking_conflict', BookingConflict) },
      async (request, reply) => {
        const { json, version } = await findConflict(request.scope, request.params.id)
        return show(request, reply, 'booking_conflict', { json: shownTo(request.caller)(json), version })
      },
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

/** The booking of the PMS names whom it is for, and how they are reached. */
const shownTo =
  ({ permissions }: Caller) =>
  (conflict: string): string => {
    if (maySeeContacts(permissions)) return conflict
    const { booking, ...rest } = JSON.parse(conflict) as { booking: object }
    return nested(JSON.stringify(rest), { booking: withoutContacts(JSON.stringify(booking)) })
  }
