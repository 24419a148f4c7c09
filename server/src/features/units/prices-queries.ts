import { sql } from 'kysely'
import { first, type Transaction } from '#db/scope.ts'
import { Conflict } from '#errors.ts'
import { tonightOf } from './rooms-queries.ts'

/**
 * A price in another currency is another price: while the calendar has any from tonight on, the currency stays. The
 * unit is locked, so that nobody decides one meanwhile. @throws Conflict
 */
export async function refusePriced(
  transaction: Transaction,
  unitId: string,
  currency: string,
): Promise<void> {
  const { orgId } = transaction
  const priced = await first(
    transaction,
    sql<{ night: string }>`select c.night from calendar_nights c
      where c.org_id = ${orgId} and c.unit_id = ${unitId} and c.price_cents is not null
        and c.night >= ${tonightOf(orgId, unitId)}
      order by c.night limit 1`,
  )
  if (priced)
    throw new Conflict(
      'resource-in-use',
      `Nights have prices in ${currency}, the first on ${priced.night}: take them away, then change the currency.`,
    )
}
