import { Type } from 'typebox'
import { Id, oneOf } from '#schema/fields.ts'
import { jsonText } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { cancellationReasons } from '#features/reservations/bookings/booking.ts'
import { CancellationPreview, previewCancellation } from './preview-cancellation.ts'

export const cancellationRoutes: Routes = async (app) => {
  app.get(
    '/bookings/:id/cancellation',
    {
      schema: {
        tags: ['bookings'],
        summary: 'What a cancellation would refund',
        description: 'By the cancellation policy, if the booking was cancelled now. Nothing is changed.',
        params: Type.Object({ id: Id }),
        querystring: Type.Object({ reason: Type.Optional(oneOf(...cancellationReasons)) }),
        response: { 200: jsonText(Type.Object({ cancellation: CancellationPreview })) },
      },
    },
    async ({ scope, params, query, caller }) => ({
      cancellation: await previewCancellation(
        scope,
        params.id,
        query.reason ?? null,
        caller.permissions.has('payments:read'),
      ),
    }),
  )
}
