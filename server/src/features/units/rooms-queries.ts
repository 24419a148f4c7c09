import { sql } from 'kysely'
import { rows, type Transaction } from '#db/scope.ts'
import { Conflict } from '#errors.ts'

/**
 * Waits for whoever decides or takes nights of the unit, and they wait for the caller, who links it: what asks for a
 * push sees every listing whose first push could have missed it.
 */
export const holdUnit = (transaction: Transaction, id: string) =>
  rows(transaction, sql`select 1 from units where org_id = ${transaction.orgId} and id = ${id} for share`)

/** The date where the unit is. */
export const tonightOf = (orgId: string, unitId: string) =>
  sql`(select (now() at time zone s.timezone)::date from units u
    join spaces s on s.org_id = u.org_id and s.id = u.space_id where u.org_id = ${orgId} and u.id = ${unitId})`

/**
 * Fewer rooms must still hold what is booked from tonight on; what the operator has blocked gives way. The unit is
 * locked, so that nobody blocks or books meanwhile. @throws Conflict
 */
export async function giveUpRooms(transaction: Transaction, unitId: string, quantity: number): Promise<void> {
  const { orgId } = transaction
  const tonight = tonightOf(orgId, unitId)
  const overbooked = await rows(
    transaction,
    sql<{ night: string; booked: number }>`select night, booked
      from nights_taken(${orgId}, array[${unitId}::uuid], ${tonight}, date '2300-01-01')
      where booked > ${quantity} order by night limit 10`,
  )
  if (overbooked.length > 0) {
    const nights = overbooked.map(({ night, booked }) => `${night} (${booked})`).join(', ')
    throw new Conflict('resource-in-use', `More than ${quantity} rooms are booked on ${nights}.`, {
      members: { nights: overbooked },
    })
  }
  await rows(
    transaction,
    sql`update calendar_blocks set blocked = ${quantity} where org_id = ${orgId} and unit_id = ${unitId}
      and night >= ${tonight} and source = 'operator' and blocked > ${quantity}`,
  )
}
