import { sql } from 'kysely'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import type { Booking } from '../bookings/booking.ts'
import type { KnownLine } from './match-lines.ts'

/** What was heard of a booking of the PMS before, under its lock. */
export interface Heard {
  /** What its bookings here are called. */
  readonly lines: readonly string[]
  readonly known_lines: readonly KnownLine[]
  readonly cancelled: boolean
  /** What is known is newer. */
  readonly is_late: boolean
  /** Somebody has applied it since then. */
  readonly is_overtaken: boolean
}

interface State {
  readonly targetId: string
  readonly id: string
  readonly revisedAt: string
  readonly isOver: boolean
  /** The time of the database before the PMS was asked; null when what it said cannot change. */
  readonly askedAt: string | null
}

export const timeNow = async (scope: Scope): Promise<string> =>
  (await first(scope, sql<{ now: string }>`select clock_timestamp()::text as now`))!.now

/** Of two states of the same time, the one in which it is over is the later one. */
export async function lockHeard(transaction: Transaction, state: State): Promise<Heard> {
  const { orgId } = transaction
  const { targetId, id, revisedAt, isOver, askedAt } = state
  const key = sql`org_id = ${orgId} and channel_target_id = ${targetId} and external_id = ${id}`
  const [, , found] = await Promise.all([
    rows(
      transaction,
      sql`insert into pms_bookings (org_id, channel_target_id, external_id, heard_at)
        values (${orgId}, ${targetId}, ${id}, '-infinity') on conflict do nothing`,
    ),
    rows(transaction, sql`select 1 from pms_bookings where ${key} for update`),
    rows(
      transaction,
      sql<Heard>`select lines, known_lines, cancelled,
          coalesce(revised_at > ${revisedAt}::timestamptz
            or revised_at = ${revisedAt}::timestamptz and cancelled and not ${isOver}, false) as is_late,
          coalesce(heard_at >= ${askedAt}::timestamptz, false) as is_overtaken
        from pms_bookings where ${key}`,
    ),
  ])
  return found[0]!
}

export const keepHeard = (
  transaction: Transaction,
  { targetId, id, revisedAt, isOver }: State,
  revision: string | null,
  lines: readonly KnownLine[],
) =>
  rows(
    transaction,
    sql`update pms_bookings set revision = ${revision}, revised_at = ${revisedAt}::timestamptz, cancelled = ${isOver},
        lines = ${lines.map(({ external_id }) => external_id)}::text[], known_lines = ${JSON.stringify(lines)}::jsonb,
        heard_at = clock_timestamp()
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId} and external_id = ${id}`,
  )

/** Whether exactly this state was applied before. */
export async function hasHeard(
  scope: Scope,
  targetId: string,
  { id, revisedAt, revision }: { id: string; revisedAt: string | null; revision: string | null },
): Promise<boolean> {
  const row = await first(
    scope,
    sql`select 1 from pms_bookings where org_id = ${scope.orgId} and channel_target_id = ${targetId}
      and external_id = ${id} and revised_at = ${revisedAt}::timestamptz and revision is not distinct from ${revision}`,
  )
  return row !== undefined
}

/** The unit that a target calls by a name, and what its plans are called. */
export interface LinkedRoom {
  readonly external_id: string
  readonly unit_id: string
  readonly account_id: string
  readonly currency: string
  readonly rate_plans: readonly { rate_plan_id: string; external_id: string }[]
}

export const linkedRooms = (transaction: Transaction, targetId: string, names: readonly string[]) =>
  rows(
    transaction,
    sql<LinkedRoom>`select l.external_id, l.unit_id, l.account_id, u.currency, l.rate_plans from channel_listings l
      join units u on u.org_id = l.org_id and u.id = l.unit_id
      where l.org_id = ${transaction.orgId} and l.channel_target_id = ${targetId} and l.external_id = any(${names}::text[])`,
  )

/** The bookings here that stand for lines of one over there. */
export async function bookingsCalled(
  transaction: Transaction,
  targetId: string,
  externalIds: readonly string[],
): Promise<Map<string, Booking>> {
  const found = await rows(
    transaction,
    sql<{ external_id: string; fields: Booking }>`select external_id, json::jsonb as fields from bookings
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId}
        and external_id = any(${externalIds}::text[]) and deleted_at is null`,
  )
  return new Map(found.map(({ external_id, fields }) => [external_id, fields]))
}
