import { Type } from 'typebox'
import { Id, oneOf } from '#schema/fields.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { canSeeContacts } from '#http/permissions.ts'
import { jsonText, sendList, listSchema, sendRecord, getSchema } from '#http/replies.ts'
import { withMembers } from '#db/records.ts'
import type { Caller, Routes } from '#http/routes.ts'
import type { PmsDirectory } from '#integrations/pms/pms-provider.ts'
import { redactContacts } from '#features/reservations/bookings/booking.ts'
import {
  AcceptanceInput,
  BookingConflict,
  conflictReasons,
  conflictStatuses,
  DismissalInput,
} from './booking-conflict.ts'
import { acceptConflict } from './accept-conflict.ts'
import { dismissConflict, retryConflict } from './close-conflict.ts'
import { findConflict, listConflicts, type ConflictNames, type StoredConflict } from './conflict-queries.ts'

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
const response = { 201: jsonText(Type.Object({ booking_conflict: BookingConflict })) }

export const bookingConflictRoutes =
  ({ cursorKeys, pms }: { cursorKeys: CursorKeys; pms: PmsDirectory }): Routes =>
  async (app) => {
    app.get(
      '/booking-conflicts',
      { schema: listSchema(tag, 'booking_conflicts', BookingConflict, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys, '-created_at')
        const rows = await listConflicts(request.scope, request.query, page)
        const format = formatFor(request.caller)
        return sendList(request, reply, 'booking_conflicts', page, rows, format)
      },
    )

    app.get(
      '/booking-conflicts/:id',
      { schema: getSchema(tag, 'booking_conflict', BookingConflict) },
      async (request, reply) => {
        const conflict = await findConflict(request.scope, request.params.id)
        const json = formatFor(request.caller)(conflict)
        return sendRecord(request, reply, 'booking_conflict', { json, version: conflict.version })
      },
    )

    app.post(
      '/booking-conflicts/:id/retry',
      {
        schema: {
          tags: [tag],
          summary: 'Retry a booking of the PMS',
          description: 'The response has the new status of the conflict.',
          params,
          response,
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) =>
          createdReply(await retryConflict(scope, pms, request.params.id)),
        ),
    )

    app.post(
      '/booking-conflicts/:id/acceptance',
      {
        schema: {
          tags: [tag],
          summary: 'Accept a booking of the PMS in another unit',
          description:
            'The booking takes a room of the unit that is named, and the conflict closes. Later changes of the PMS apply to the booking as before; one that does not fit the room it was sold for is a new conflict, and the booking keeps its unit.',
          params,
          body: AcceptanceInput,
          response,
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) =>
          createdReply(await acceptConflict(scope, pms, request.params.id, request.body)),
        ),
    )

    app.post(
      '/booking-conflicts/:id/dismissal',
      {
        schema: {
          tags: [tag],
          summary: 'Dismiss a booking conflict',
          description: 'The conflict reopens when the PMS changes the booking and it still does not fit.',
          params,
          body: DismissalInput,
          response,
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) =>
          createdReply(await dismissConflict(scope, request.params.id, request.body)),
        ),
    )
  }

const createdReply = (conflict: StoredConflict) => ({
  status: 201,
  body: `{"booking_conflict":${withNames(conflict)}}`,
})

/** The booking of the PMS has the name and the contacts of the guest. */
const formatFor =
  ({ permissions }: Caller) =>
  (conflict: { json: string } & ConflictNames): string => {
    const named = withNames(conflict)
    if (canSeeContacts(permissions)) return named
    const { booking, ...rest } = JSON.parse(named) as { booking: object }
    return withMembers(JSON.stringify(rest), { booking: redactContacts(JSON.stringify(booking)) })
  }

const withNames = ({ json, unit, channel_target, calendar_feed }: { json: string } & ConflictNames) =>
  withMembers(json, {
    unit: unit ?? 'null',
    channel_target: channel_target ?? 'null',
    calendar_feed: calendar_feed ?? 'null',
  })
