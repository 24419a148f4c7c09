import { sql, type RawBuilder } from 'kysely'
import { first, rows, type Transaction } from '#db/scope.ts'
import type { BookingStatus } from '../bookings/booking.ts'
import { soldStatuses, type Part, type Period } from './analytics.ts'

/**
 * Which plan is good depends on the period, so none is kept for all of them; and there is room to count a year of
 * many stays in memory.
 */
export const planForMany = (transaction: Transaction) =>
  rows(
    transaction,
    sql`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('work_mem', '32MB', true)`,
  )

/** What stays have in common, and how much of them lies in the period. */
export interface StayGroup {
  readonly by: 'status' | 'start' | 'end' | 'channel'
  readonly status: BookingStatus | null
  readonly day: string | null
  readonly currency: string | null
  readonly source: 'direct' | 'pms' | 'api' | 'manual' | null
  readonly channel_target_id: string | null
  readonly name: string | null
  readonly stays: number
  readonly rooms: number
  readonly nights: number
  /** Of one night of them all, and what their first nights have beside that. */
  readonly nightly_cents: number
  readonly rest_cents: number
  readonly revenue_cents: number
}

/**
 * Every stay that touches the period is read once, from the index alone, and joined with those like it; what is left
 * is counted by status, by channel, by the day on which it begins to count and by the day on which it ends. From the
 * last two follow all days between, so no night becomes a row. Counting all stays four ways took 2.6 times as long.
 */
export const groupStays = (transaction: Transaction, { from, to }: Period, part: Part) =>
  rows(
    transaction,
    sql<StayGroup>`select g.*, t.name from (
      select case when grouping(status) = 0 then 'status' when grouping(starts) = 0 then 'start'
          when grouping(ends) = 0 then 'end' else 'channel' end as by,
        status, coalesce(starts, ends) as day, currency, source, channel_target_id, sum(stays)::bigint as stays,
        sum(rooms)::bigint as rooms, sum(rooms * (ends - starts))::bigint as nights, sum(nightly)::bigint as nightly_cents,
        sum(rest)::bigint as rest_cents, sum(nightly * (ends - starts) + rest)::bigint as revenue_cents
      from (
        select status, status = any(${soldStatuses}) as sold, currency, source, channel_target_id,
          greatest(arrival, ${from}::date) as starts, least(departure, ${to}::date + 1) as ends,
          count(*) as stays, sum(rooms) as rooms, sum(total_cents / (departure - arrival)) as nightly,
          sum(case when arrival >= ${from}::date then total_cents % (departure - arrival) else 0 end) as rest
        from (${staysOf(transaction, { from, to }, part)}) b group by 1, 2, 3, 4, 5, 6, 7) s
      group by grouping sets ((status), (sold, currency, starts), (sold, currency, ends),
        (sold, currency, source, channel_target_id))
      having grouping(status) = 0 or sold) g
      left join channel_targets t on t.org_id = ${transaction.orgId} and t.id = g.channel_target_id`,
  )

/** Short stays leave within a fortnight after the period; the long ones, which are few, whenever they like. */
const staysOf = ({ orgId }: Transaction, { from, to }: Period, part: Part) => {
  const stays = (which: RawBuilder<unknown>) => sql`
    select arrival, departure, status, rooms, total_cents, currency, source, channel_target_id from bookings b
    where org_id = ${orgId} and deleted_at is null and departure > ${from}::date and arrival <= ${to}::date
      and ${which}${within('b', part, sql`unit_id`)}`
  return sql`${stays(sql`not is_long and departure <= ${to}::date + 14`)} union all ${stays(sql`is_long`)}`
}

/** Of the part that is asked for. */
function within(table: string, { account_id, unit_id, space_id }: Part, unit: RawBuilder<unknown>) {
  const account = sql.ref(`${table}.account_id`)
  return sql.join(
    [
      account_id ? sql` and ${account} = ${account_id}` : sql``,
      unit_id ? sql` and ${unit} = ${unit_id}` : sql``,
      space_id
        ? sql` and ${unit} in (select u.id from units u where u.org_id = current_org() and u.space_id = ${space_id})`
        : sql``,
    ],
    sql``,
  )
}

export interface Stock {
  readonly spaces: number
  readonly active_spaces: number
  readonly units: number
  readonly active_units: number
  /** Rooms of the active units. */
  readonly rooms: number
}

const isSold = sql`u.status = 'active' and s.status = 'active'`
const ofSpaces = ({ account_id, space_id, unit_id }: Part) =>
  sql`${
    account_id ? sql` and s.account_id = ${account_id}` : sql``
  }${space_id ? sql` and s.id = ${space_id}` : sql``}${
    unit_id
      ? sql` and s.id = (select space_id from units where org_id = s.org_id and id = ${unit_id})`
      : sql``
  }`

export async function countStock(transaction: Transaction, part: Part): Promise<Stock> {
  const counted = await first(
    transaction,
    sql<Stock>`select * from
      (select count(*) as spaces, count(*) filter (where s.status = 'active') as active_spaces from spaces s
        where s.org_id = ${transaction.orgId} and s.deleted_at is null${ofSpaces(part)}) a,
      (select count(*) as units, count(*) filter (where ${isSold}) as active_units,
        coalesce(sum(u.quantity) filter (where ${isSold}), 0) as rooms
        from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id
        where u.org_id = ${transaction.orgId} and u.deleted_at is null${within('u', part, sql`u.id`)}) b`,
  )
  return counted!
}

/** Rooms of active units that are out of sale, by night: never more of a unit than it has. */
export const countBlocked = (transaction: Transaction, { from, to }: Period, part: Part) =>
  rows(
    transaction,
    sql<{ night: string; rooms: number }>`select c.night, sum(least(c.blocked, u.quantity))::bigint as rooms
      from (select unit_id, night, sum(blocked) as blocked from calendar_blocks
        where org_id = ${transaction.orgId} and night between ${from}::date and ${to}::date
        group by night, unit_id) c
      join units u on u.org_id = ${transaction.orgId} and u.id = c.unit_id
      join spaces s on s.org_id = u.org_id and s.id = u.space_id
      where ${isSold}${within('u', part, sql`u.id`)} group by c.night`,
  )

/** Whether the account, the space or the unit that is asked for exists. */
export async function findPart(transaction: Transaction, part: Part) {
  const exists = (table: string, id: string | undefined) =>
    id
      ? sql`exists (select 1 from ${sql.ref(table)} where org_id = ${transaction.orgId} and id = ${id})`
      : sql`true`
  const found = await first(
    transaction,
    sql<Record<keyof Part, boolean>>`select ${exists('accounts', part.account_id)} as account_id,
      ${exists('spaces', part.space_id)} as space_id, ${exists('units', part.unit_id)} as unit_id`,
  )
  return found!
}
