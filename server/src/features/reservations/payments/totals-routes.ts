import { Type } from 'typebox'
import { Currency } from '#schema/fields.ts'
import { jsonText } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { sumPayments } from './sum-payments.ts'

const Whole = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, format: 'int64', description })

const PaymentTotal = Type.Object(
  {
    currency: Currency,
    received_cents: Whole('What guests paid.'),
    refunded_cents: Whole('What went back, or is on its way.'),
    open_cents: Whole('What was asked for and is not paid yet.'),
    failed: Whole('Open payments whose last attempt failed.'),
  },
  { title: 'PaymentTotal' },
)

export const paymentTotalRoutes: Routes = async (app) => {
  app.get(
    '/payment-totals',
    {
      schema: {
        tags: ['payments'],
        summary: 'Sums of all payments by currency',
        response: {
          200: jsonText(
            Type.Object({
              payment_totals: Type.Array(PaymentTotal, { maxItems: 400, description: 'By currency.' }),
            }),
          ),
        },
      },
    },
    async ({ scope }) => ({ payment_totals: await sumPayments(scope) }),
  )
}
