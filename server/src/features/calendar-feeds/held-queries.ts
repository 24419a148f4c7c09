import { sql } from 'kysely'
import { first, rows, type Transaction } from '#db/scope.ts'
import type { HeldRemoval, RemovalVerdict } from './held-removal.ts'
import type { CoveredNights } from './read-calendar.ts'

/** The coming nights that a feed blocks, with the number of rooms. */
export async function listBlockedNights(
  transaction: Transaction,
  { id, unit_id, today }: { id: string; unit_id: string; today: string },
): Promise<CoveredNights> {
  const found = await rows(
    transaction,
    sql<{ night: string; blocked: number }>`select night, blocked from calendar_blocks
      where org_id = ${transaction.orgId} and unit_id = ${unit_id} and source = ${id} and night >= ${today}::date
      order by night`,
  )
  return found.map(({ night, blocked }) => [night, blocked])
}

/** Keeps what is held of a feed, or that nothing is any more. */
export const saveHeld = (transaction: Transaction, id: string, { held, reading }: RemovalVerdict) =>
  rows(
    transaction,
    held
      ? sql`update calendar_feeds set updated_at = now(), is_replaced = false, held_reading = ${JSON.stringify(reading)}::jsonb,
            held = jsonb_set(${JSON.stringify(held)}::jsonb, '{since}', to_jsonb(coalesce(${held.since}, iso(now()))))
          where org_id = ${transaction.orgId} and id = ${id}`
      : sql`update calendar_feeds set updated_at = now(), is_replaced = false, held = null, held_reading = null
          where org_id = ${transaction.orgId} and id = ${id}`,
  )

export interface HeldFeed {
  readonly id: string
  readonly account_id: string
  readonly unit_id: string
  readonly name: string
  readonly today: string
  readonly held: HeldRemoval | null
  readonly found: CoveredNights | null
}

/** What is held of a feed; it is locked by the caller. */
export const findHeld = (transaction: Transaction, id: string): Promise<HeldFeed | undefined> =>
  first(
    transaction,
    sql<HeldFeed>`select feed.id, feed.account_id, feed.unit_id, feed.name, feed.held, feed.held_reading -> 'found' as found,
        (now() at time zone space.timezone)::date as today
      from calendar_feeds feed
      join units unit on unit.org_id = feed.org_id and unit.id = feed.unit_id
      join spaces space on space.org_id = unit.org_id and space.id = unit.space_id
      where feed.org_id = ${transaction.orgId} and feed.id = ${id}`,
  )

/** A person has decided: a fetch that is under way counts no more. */
export const saveDecision = (
  transaction: Transaction,
  id: string,
  decided: { decision: 'keep' } | { decision: 'accept'; blocks: number },
) =>
  rows(
    transaction,
    decided.decision === 'keep'
      ? sql`update calendar_feeds set held = held || '{"decision": "keep"}', version = version + 1, updated_at = now()
          where org_id = ${transaction.orgId} and id = ${id}`
      : sql`update calendar_feeds set held = null, held_reading = null, blocks = ${decided.blocks}, version = version + 1,
            updated_at = now()
          where org_id = ${transaction.orgId} and id = ${id}`,
  )

/** The imports of a unit whose held nights wait for a decision. */
export const listUndecided = (transaction: Transaction, unitId: string) =>
  rows(
    transaction,
    sql<{ id: string; account_id: string; name: string; held: HeldRemoval }>`select id, account_id, name, held
      from calendar_feeds
      where org_id = ${transaction.orgId} and unit_id = ${unitId} and status <> 'inactive'
        and held is not null and held ->> 'decision' is null
      order by created_at, id`,
  )
