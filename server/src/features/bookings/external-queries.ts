import { sql } from 'kysely'
import { rows, type Transaction } from '#db/scope.ts'
import type { Booking } from './booking.ts'
import type { PmsGuest } from './queries.ts'

export interface KnownExternal {
  readonly fields: Booking
  /** Its hours as the clocks where its space is show them. */
  readonly local_check_in: string
  readonly local_check_out: string
  /** Null: nothing was recorded. */
  readonly pms_guest: PmsGuest | null
  readonly deleted: boolean
  /** Of the revision that is applied, against the one that has come: before, the same time, or after it. */
  readonly order: 'before' | 'same' | 'after'
}

interface Key {
  readonly targetId: string
  readonly externalId: string
  readonly unitId: string
  readonly revisedAt: string
}

/** What is known of it, once nobody else can write it: the key itself is locked, because there may be no row yet. */
export async function lockExternal(transaction: Transaction, key: Key): Promise<KnownExternal | undefined> {
  const { orgId } = transaction
  const mine = sql`b.org_id = ${orgId} and b.channel_target_id = ${key.targetId}::uuid and b.external_id = ${key.externalId}`
  const [, units, , known] = await Promise.all([
    rows(
      transaction,
      sql`select pg_advisory_xact_lock(hashtextextended(${`${orgId} ${key.targetId} ${key.externalId}`}, 11))`,
    ),
    rows(
      transaction,
      sql<{ id: string }>`select id from units where org_id = ${orgId} and id in (${key.unitId}::uuid,
        (select b.unit_id from bookings b where ${mine})) order by id for no key update`,
    ),
    rows(transaction, sql`select 1 from bookings b where ${mine} for update`),
    rows(
      transaction,
      sql<KnownExternal>`select b.json::jsonb || jsonb_build_object('spaceId', u.space_id) as fields,
          to_char(b.check_in at time zone s.timezone, 'YYYY-MM-DD"T"HH24:MI:SS.MS') as local_check_in,
          to_char(b.check_out at time zone s.timezone, 'YYYY-MM-DD"T"HH24:MI:SS.MS') as local_check_out,
          b.pms_guest, b.deleted_at is not null as deleted,
          case when b.external_revised_at > ${key.revisedAt}::timestamptz then 'after'
            when b.external_revised_at = ${key.revisedAt}::timestamptz then 'same' else 'before' end as "order"
        from bookings b join units u on u.org_id = b.org_id and u.id = b.unit_id
          join spaces s on s.org_id = u.org_id and s.id = u.space_id where ${mine}`,
    ),
  ])
  const [found] = known
  if (found && !units.some(({ id }) => id === found.fields.unitId))
    throw Object.assign(new Error('The booking has moved to another unit meanwhile.'), { code: '40001' })
  return found
}

/** A revision that says nothing new. */
export const markRevised = (
  transaction: Transaction,
  id: string,
  { revisedAt, pmsGuest }: { revisedAt: string; pmsGuest: PmsGuest },
) =>
  rows(
    transaction,
    sql`update bookings set external_revised_at = ${revisedAt}::timestamptz,
        pms_guest = ${JSON.stringify(pmsGuest)}::jsonb
      where org_id = ${transaction.orgId} and id = ${id}`,
  )
