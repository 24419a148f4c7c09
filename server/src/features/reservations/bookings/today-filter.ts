import { sql, type RawBuilder } from 'kysely'

/** Stays that are somebody's task today. */
export const todaySets = ['arrivals', 'departures', 'in_house', 'unpaid'] as const
export type TodaySet = (typeof todaySets)[number]

/** How many days before and after its arrival an unpaid booking is a task. */
export const paidBeforeDays = 7
export const overdueDays = 30

/** The date of UTC. At the space it may be the day before or after. */
export const utcDay = sql`(now() at time zone 'UTC')::date`

/** Which of these stays are in a set; `today` is the local date of the space. Whether they are unpaid is not decided here. */
export function isInTodaySet(set: TodaySet, alias: string, today: RawBuilder<unknown>): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  const [status, arrival, departure] = [column('status'), column('arrival'), column('departure')]
  switch (set) {
    case 'arrivals':
      return sql`${status} in ('confirmed', 'checked_in', 'checked_out') and ${arrival} = ${today}`
    case 'departures':
      return sql`${status} in ('confirmed', 'checked_in', 'checked_out') and ${departure} = ${today}`
    case 'in_house':
      return sql`(
        ${status} = 'checked_in' and ${departure} >= ${today}
        or ${status} = 'confirmed' and ${arrival} < ${today} and ${departure} > ${today}
      )`
    case 'unpaid':
      return sql`${status} in ('confirmed', 'checked_in', 'checked_out')
        and ${arrival} between ${today} - ${overdueDays}::int and ${today} + ${paidBeforeDays}::int`
  }
}

/** What an index can find of a set: every stay that may be in it anywhere on earth. */
export function mayBeInTodaySet(set: TodaySet, alias: string): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  const [arrival, departure, isLong] = [column('arrival'), column('departure'), column('is_long')]
  switch (set) {
    case 'arrivals':
      return sql`${arrival} between ${utcDay} - 1 and ${utcDay} + 1`
    case 'departures':
      // The index of departures has is_long before departure.
      return sql`${isLong} in (true, false) and ${departure} between ${utcDay} - 1 and ${utcDay} + 1`
    case 'in_house':
      return sql`${isLong} in (true, false) and ${departure} >= ${utcDay} - 1 and ${arrival} <= ${utcDay} + 1`
    case 'unpaid':
      return sql`${arrival} between ${utcDay} - ${overdueDays + 1}::int and ${utcDay} + ${paidBeforeDays + 1}::int`
  }
}
