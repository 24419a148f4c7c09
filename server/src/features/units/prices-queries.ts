import { sql } from 'kysely'
import { first, rows, type Transaction } from '#db/scope.ts'
import { Conflict, Invalid } from '#errors.ts'
import { money } from '../pricing/money.ts'
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

const maxNightsNamed = 10

/**
 * A minimum that is raised must not leave nights of the calendar below it. The unit is locked, so that nobody decides
 * one meanwhile. @throws Invalid
 */
export async function assertNightsReachMinimum(
  transaction: Transaction,
  unitId: string,
  minimum: number,
  currency: string,
): Promise<void> {
  const { orgId } = transaction
  const nights = await rows(
    transaction,
    sql<{ night: string; rate_plan_id: string; price_cents: number }>`
      select c.night, c.rate_plan_id, c.price_cents::float8 from calendar_nights c
      where c.org_id = ${orgId} and c.unit_id = ${unitId} and c.price_cents < ${minimum}
        and c.night >= ${tonightOf(orgId, unitId)}
      order by c.night, c.rate_plan_id limit ${maxNightsNamed}`,
  )
  if (nights.length === 0) return
  const [first] = nights
  const message =
    `The calendar sells the night of ${first!.night} for ${money(first!.price_cents, currency)}, below the minimum of ` +
    `${money(minimum, currency)}. Raise the prices of these nights first.`
  throw new Invalid(
    'price-below-minimum',
    [{ pointer: '/min_price_cents', code: 'below_minimum', message }],
    { nights },
  )
}
