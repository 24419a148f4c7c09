import { Type } from 'typebox'
import { semanticError } from '#errors.ts'
import { Id, oneOf } from '#schema/fields.ts'
import { BulkChange, bulkChangeBody, maxBulkRecords } from '#http/bulk-results.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { jsonText } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { cancellationReasons } from './booking.ts'
import { bulkActions, changeBookings } from './bulk-bookings.ts'

const BulkBookingsInput = Type.Object(
  {
    action: { ...oneOf(...bulkActions), description: 'The action for each booking.' },
    booking_ids: Type.Array(Id, {
      minItems: 1,
      maxItems: maxBulkRecords,
      uniqueItems: true,
      description: 'The bookings.',
    }),
    cancellation_reason: Type.Optional({
      ...oneOf(...cancellationReasons),
      description: 'Only with the action `cancel`.',
    }),
  },
  {
    title: 'BulkBookingsInput',
    additionalProperties: false,
    example: { action: 'check_in', booking_ids: ['5b0c1d2e-3f4a-4b6c-8d7e-9f0a1b2c3d4e'] },
  },
)

export const bulkBookingRoutes: Routes = async (app) => {
  app.post(
    '/bookings/bulk',
    {
      schema: {
        tags: ['bookings'],
        summary: 'Confirm, cancel, check in or check out many bookings',
        description:
          'Each booking is changed by the rules of a single change. A refused booking stays unchanged, with its problem in `results`; the others change. A booking that has the requested state already succeeds.',
        acts: true,
        body: BulkBookingsInput,
        response: { 200: jsonText(BulkChange) },
      },
    },
    (request, reply) =>
      replyIdempotently(request, reply, async (scope) => {
        const { action, booking_ids: ids, cancellation_reason: reason = null } = request.body
        if (reason && action !== 'cancel')
          throw semanticError('cancellation_reason', 'Only the action cancel has a cancellation_reason.')
        const outcomes = await changeBookings(scope, ids, action, reason)
        return { status: 200, body: JSON.stringify(bulkChangeBody(outcomes)) }
      }),
  )
}
