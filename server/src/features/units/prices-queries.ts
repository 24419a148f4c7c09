import { sql } from 'kysely'
import { first, type Transaction } from '#db/scope.ts'
import { Conflict } from '#errors.ts'

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
        and c.night >= (select (now() at time zone s.timezone)::date from units u
          join spaces s on s.org_id = u.org_id and s.id = u.space_id where u.org_id = ${orgId} and u.id = ${unitId})
      order by c.night limit 1`,
  )
  if (priced)
    throw new Conflict(
      'resource-in-use',
      `Nights have prices in ${currency}, the first on ${priced.night}: take them away, then change the currency.`,
    )
}
