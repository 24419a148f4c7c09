import type { Database } from '#db/connect.ts'
import { sql } from '#db/sql.ts'
import type { OpenedPayment } from '#integrations/payments/payments.ts'
import { isUuid } from '#schema/fields.ts'

/**
 * The payments at the provider that have no record here, as those that were opened after the moment that the database was
 * restored to. Payments of organizations that are not here are left out: cells share an account at the provider.
 */
export async function listUnknownPayments(
  database: Database,
  payments: readonly OpenedPayment[],
): Promise<OpenedPayment[]> {
  const byOrganization = Map.groupBy(
    payments.filter(({ orgId }) => isUuid(orgId)),
    ({ orgId }) => orgId,
  )
  const unknown: OpenedPayment[] = []
  for (const [orgId, opened] of byOrganization) {
    const [found] = await database.pipelined({ orgId }, [
      sql<{ reference: string }>`
        select opened.reference
        from jsonb_to_recordset(${JSON.stringify(opened)}::jsonb) as opened (reference text, "ourId" text)
        where exists (select 1 from organizations where id = ${orgId})
          and not exists (
            select 1
            from payment_intents intent
            where intent.org_id = ${orgId}
              and (intent.id::text = opened."ourId" or intent.provider_reference = opened.reference))`,
    ])
    const references = new Set(found.map(({ reference }) => reference))
    unknown.push(...opened.filter(({ reference }) => references.has(reference)))
  }
  return unknown
}
