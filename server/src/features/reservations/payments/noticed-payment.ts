import { sql } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import type { PaymentEvent } from '#integrations/payments/payments.ts'
import { isUuid } from '#schema/fields.ts'

/** The payment that a notice is about; undefined when it is unknown. */
export async function findNoticedPayment(
  database: Database,
  { ourId, reference }: Pick<PaymentEvent, 'ourId' | 'reference'>,
) {
  const id = ourId !== null && isUuid(ourId) ? ourId : null
  const [found] = await database.pipelined({ orgId: null }, [
    sql<{
      org_id: string
      payment_intent_id: string
    }>`select * from payment_intent_named(${id}::uuid, ${reference})`,
  ])
  return found[0]
}
