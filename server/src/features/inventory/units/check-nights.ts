import { sql } from '#db/sql.ts'
import { first, rows, type Transaction } from '#db/scope.ts'
import { Conflict, Invalid } from '#errors.ts'
import { formatMoney } from '#schema/money.ts'
import { localToday } from './queries.ts'

/** Checks of the calendar before a unit changes. The unit is locked, so that no night is changed or booked meanwhile. */

/** The nights of a unit from today on that have values, each with its plan. More conditions may follow. */
const comingNights = (orgId: string, unitId: string) => sql`
  calendar_nights decided
  join rate_plans plan
    on plan.org_id = decided.org_id
    and plan.id = decided.rate_plan_id
  where decided.org_id = ${orgId}
    and decided.unit_id = ${unitId}
    and decided.night >= ${localToday(orgId, unitId)}`

/** The name of the plan of a night if it is archived: nights of such a plan are not in the calendar. */
const archivedPlan = sql`case when plan.status = 'archived' then plan.name end as archived_plan`

/** The currency of a unit cannot change while future nights have prices in it. @throws Conflict */
export async function assertNoPrices(
  transaction: Transaction,
  unitId: string,
  currency: string,
): Promise<void> {
  const { orgId } = transaction
  const priced = await first(
    transaction,
    sql<{ night: string; archived_plan: string | null }>`
      select decided.night, ${archivedPlan}
      from ${comingNights(orgId, unitId)}
        and decided.price_cents is not null
      order by plan.status = 'archived', decided.night
      limit 1`,
  )
  if (!priced) return
  const { night, archived_plan } = priced
  throw new Conflict(
    'resource-in-use',
    archived_plan === null
      ? `Nights from ${night} have prices in ${currency}. Remove the prices, then change the currency.`
      : `Nights from ${night} of the archived rate plan ${archived_plan} have prices in ${currency}. Make the plan inactive and remove the prices, then change the currency.`,
  )
}

const maxListedNights = 10

/** No future night may have a price below a new minimum, on an archived plan either: it may be sold again. @throws Invalid */
export async function assertNightsReachMinimum(
  transaction: Transaction,
  unitId: string,
  minimum: number,
  currency: string,
): Promise<void> {
  const { orgId } = transaction
  const nights = await rows(
    transaction,
    sql<{ night: string; rate_plan_id: string; price_cents: number; archived_plan: string | null }>`
      select decided.night, decided.rate_plan_id, decided.price_cents::float8, ${archivedPlan}
      from ${comingNights(orgId, unitId)}
        and decided.price_cents < ${minimum}
      order by decided.night, decided.rate_plan_id
      limit ${maxListedNights}`,
  )
  const [firstNight] = nights
  if (!firstNight) return
  const { night, price_cents, archived_plan } = firstNight
  const price = `The night of ${night} has the price ${formatMoney(price_cents, currency)}, below the minimum of ${formatMoney(minimum, currency)}`
  const message =
    archived_plan === null
      ? `${price}. Raise the prices of these nights first.`
      : `${price}, on the archived rate plan ${archived_plan}. Make the plan inactive and change the prices of these nights first.`
  throw new Invalid(
    'price-below-minimum',
    [{ pointer: '/min_price_cents', code: 'below_minimum', message }],
    { nights: nights.map(({ archived_plan: _, ...listed }) => listed) },
  )
}

/**
 * Future nights must not have more booked rooms than the new quantity. Rooms that an operator has blocked are reduced to
 * it. @throws Conflict
 */
export async function reduceRooms(transaction: Transaction, unitId: string, quantity: number): Promise<void> {
  const { orgId } = transaction
  const today = localToday(orgId, unitId)
  const overbooked = await rows(
    transaction,
    sql<{ night: string; booked: number }>`
      select night, booked
      from nights_taken(${orgId}, array[${unitId}::uuid], ${today}, date '2300-01-01')
      where booked > ${quantity}
      order by night
      limit ${maxListedNights}`,
  )
  if (overbooked.length > 0) {
    const nights = overbooked.map(({ night, booked }) => `${night} (${booked})`).join(', ')
    throw new Conflict('resource-in-use', `More than ${quantity} rooms are booked on ${nights}.`, {
      members: { nights: overbooked },
    })
  }
  await rows(
    transaction,
    sql`
      update calendar_blocks
      set blocked = ${quantity}
      where org_id = ${orgId}
        and unit_id = ${unitId}
        and night >= ${today}
        and source = 'operator'
        and blocked > ${quantity}`,
  )
}
