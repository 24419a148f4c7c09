import { sql } from 'kysely'
import { rows, type Scope, type Transaction } from '#db/scope.ts'

export interface CalendarUnit {
  readonly id: string
  readonly account_id: string
  readonly quantity: number
  readonly base_price_cents: number
  readonly min_price_cents: number | null
  readonly currency: string
  /** The number of the current night at the unit. */
  readonly today: number
  readonly plans: Readonly<Record<string, { readonly status: string }>>
  readonly default_plan_id: string
}

/**
 * Locks the existing ones of these units in order, so that changes of their nights and rooms run one after the other.
 */
export async function lockUnits(
  transaction: Transaction,
  ids: readonly string[],
): Promise<Map<string, CalendarUnit>> {
  const [, units] = await Promise.all([
    // A statement of its own, because a join that waits for a lock misses a unit that has moved to another space.
    rows(
      transaction,
      sql`select 1 from units where org_id = ${transaction.orgId} and id = any(array(select unnest(${ids}::uuid[])))
        order by id for no key update`,
    ),
    readUnits(transaction, ids),
  ])
  return units
}

/** The same units without locks, for reads. */
export async function readUnits(scope: Scope, ids: readonly string[]): Promise<Map<string, CalendarUnit>> {
  const units = await rows(
    scope,
    sql<CalendarUnit>`select u.id, u.account_id, u.quantity, u.base_price_cents::float8, u.min_price_cents::float8,
        u.currency, (now() at time zone s.timezone)::date - date '1970-01-01' as today, p.plans, p.default_plan_id
      from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id,
      lateral (select json_object_agg(p.id, json_build_object('status', p.status)) as plans,
        (array_agg(p.id) filter (where p.is_default))[1] as default_plan_id
        from rate_plans p where p.org_id = u.org_id and p.unit_id = u.id) p
      where u.org_id = ${scope.orgId} and u.id = any(array(select unnest(${ids}::uuid[])))
        and u.deleted_at is null order by u.id`,
  )
  return new Map(units.map((unit) => [unit.id, unit]))
}

/** The time of the change with this audit entry. */
export async function changeStamp(scope: Scope, id: string): Promise<string> {
  const [entry] = await rows(
    scope,
    sql<{ created_at: string }>`select iso(created_at) as created_at from sync_audit
      where org_id = ${scope.orgId} and id = ${id}`,
  )
  return entry!.created_at
}
