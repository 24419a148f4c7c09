import { sql } from '#db/sql.ts'
import { rows, type Scope } from '#db/scope.ts'

/** The sums of all payments by currency. */
export const sumPayments = (scope: Scope) =>
  rows(
    scope,
    sql<{
      currency: string
      received_cents: number
      refunded_cents: number
      open_cents: number
      failed: number
    }>`
      select
        intent.currency,
        sum(intent.amount_received)::bigint as received_cents,
        sum(intent.amount_refunded)::bigint as refunded_cents,
        coalesce(sum(intent.amount) filter (where ${isOpen}), 0)::bigint as open_cents,
        count(*) filter (where ${isOpen} and intent.failure_code is not null) as failed
      from payment_intents intent
      where intent.org_id = ${scope.orgId}
      group by intent.currency
      order by intent.currency`,
  )

const isOpen = sql`intent.status not in ('succeeded', 'canceled')`
