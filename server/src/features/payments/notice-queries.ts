import { sql } from 'kysely'
import type { Database } from '#db/connect.ts'
import { first, type Transaction } from '#db/scope.ts'
import { isUuid } from '#fields.ts'
import type { Notice } from '#outside/payments/payments.ts'

/** Whose payment a notice is about; nothing when it is none of ours. */
export async function ownerOf(database: Database, { ourId, reference }: Notice) {
  const id = ourId !== null && isUuid(ourId) ? ourId : null
  const [found] = await database.pipelined({ orgId: null }, [
    sql<{
      org_id: string
      payment_intent_id: string
    }>`select * from payment_intent_named(${id}::uuid, ${reference})`,
  ])
  return (found as { org_id: string; payment_intent_id: string }[])[0]
}

/** Keeps that a notice came; false when it had come before. */
export async function keepNotice(
  transaction: Transaction,
  intentId: string,
  { id, type, occurredAt }: Notice,
) {
  const kept = await first(
    transaction,
    sql<{
      copies: number
    }>`insert into payment_notices as n (org_id, notice_id, payment_intent_id, type, occurred_at)
      values (${transaction.orgId}, ${id.slice(0, 255)}, ${intentId}, ${type.slice(0, 255)}, ${occurredAt.toISOString()})
      on conflict (org_id, notice_id) do update set copies = n.copies + 1 returning copies`,
  )
  return kept!.copies === 1
}
