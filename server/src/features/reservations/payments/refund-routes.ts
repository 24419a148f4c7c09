import { Type } from 'typebox'
import { Unavailable } from '#errors.ts'
import { Id, oneOf } from '#schema/fields.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { createdReply, createSchema, sendList, listSchema, sendRecord, getSchema } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import type { Payments } from '#integrations/payments/payments.ts'
import { PaymentRefund, PaymentRefundInput, refundReasons, refundStatuses } from './payment-refund.ts'
import { listRefunds } from './list-refunds.ts'
import { createRefund, findRefund } from './refund-queries.ts'

const tag = 'payments'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at'),
  account_id: anyOf(Id),
  payment_intent_id: anyOf(Id),
  status: anyOf(oneOf(...refundStatuses)),
  reason: anyOf(oneOf(...refundReasons)),
}

export const refundRoutes =
  (cursorKeys: CursorKeys, payments: Payments): Routes =>
  async (app) => {
    app.post(
      '/payment-intents/:id/refunds',
      {
        schema: {
          ...createSchema(tag, 'refund', PaymentRefund, PaymentRefundInput),
          description:
            'A worker requests it from the provider: the refund is `pending` until the provider confirms it.',
          params: Type.Object({ id: Id }),
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) => {
          if (!payments.isConfigured) throw new Unavailable('No payment provider is configured.')
          const refund = await createRefund(scope, request.params.id, request.body)
          return createdReply('refund', '/api/v1/refunds', refund.id, refund)
        }),
    )

    app.get(
      '/refunds',
      { schema: listSchema(tag, 'refunds', PaymentRefund, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys)
        const rows = await listRefunds(request.scope, request.query, page)
        return sendList(request, reply, 'refunds', page, rows, ({ json }) => json)
      },
    )

    app.get('/refunds/:id', { schema: getSchema(tag, 'refund', PaymentRefund) }, async (request, reply) =>
      sendRecord(request, reply, 'refund', await findRefund(request.scope, request.params.id)),
    )
  }
