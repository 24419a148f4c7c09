import { sql } from 'kysely'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import type { HeldReading, HeldRemoval } from './held-removal.ts'
import type { CoveredNights } from './read-calendar.ts'

/** An import as it is to be fetched. */
export interface ImportFeed {
  readonly id: string
  readonly account_id: string
  readonly unit_id: string
  readonly name: string
  readonly version: number
  readonly address: Buffer
  readonly etag: string | null
  readonly last_modified: string | null
  readonly read_for: string | null
  readonly timezone: string
  /** The local date of the space. */
  readonly today: string
  readonly quantity: number
  readonly held: HeldRemoval | null
  readonly held_reading: HeldReading | null
  readonly is_held_an_hour: boolean
  readonly is_replaced: boolean
}

/** Undefined when it is gone, switched off, or goes out. */
export const lookForImport = (scope: Scope, id: string): Promise<ImportFeed | undefined> =>
  first(
    scope,
    sql<ImportFeed>`select f.id, f.account_id, f.unit_id, f.name, f.version, f.address, f.etag, f.last_modified, f.read_for,
        s.timezone, (now() at time zone s.timezone)::date as today, u.quantity,
        f.held, f.held_reading, f.is_replaced,
        coalesce((f.held ->> 'since')::timestamptz <= now() - interval '1 hour', false) as is_held_an_hour
      from calendar_feeds f
      join units u on u.org_id = f.org_id and u.id = f.unit_id
      join spaces s on s.org_id = u.org_id and s.id = u.space_id
      where f.org_id = ${scope.orgId} and f.id = ${id} and f.direction = 'import' and f.status <> 'inactive'`,
  )

/** Whether the feed is still the one that was fetched; if so, nobody changes it meanwhile. */
export async function holdImport(transaction: Transaction, { id, version }: ImportFeed): Promise<boolean> {
  const held = await first(
    transaction,
    sql`select 1 from calendar_feeds where org_id = ${transaction.orgId} and id = ${id} and version = ${version}
      and status <> 'inactive' for update`,
  )
  return held !== undefined
}

export interface BlocksChange {
  readonly written: number
  readonly removed: number
  readonly before: number
  readonly after: number
  /** The nights between which something changed; null when nothing did. */
  readonly from: string | null
  readonly to: string | null
}

/**
 * Makes these the blocks of a feed from one night on (from the beginning for null), never more rooms than there are.
 * Only what differs is written. The unit is locked by the caller.
 */
export async function replaceBlocks(
  transaction: Transaction,
  {
    feedId,
    unitId,
    from,
    nights,
  }: { feedId: string; unitId: string; from: string | null; nights: CoveredNights },
): Promise<BlocksChange> {
  const { orgId } = transaction
  const row = await first(
    transaction,
    sql<BlocksChange>`with wanted as (
        select w.night, least(w.events, u.quantity) as blocked
        from unnest(${nights.map(([night]) => night)}::date[], ${nights.map(([, events]) => events)}::int[]) w (night, events)
        join units u on u.org_id = ${orgId} and u.id = ${unitId}),
      had as (
        select night, blocked from calendar_blocks
        where org_id = ${orgId} and unit_id = ${unitId} and source = ${feedId}
          and night >= coalesce(${from}::date, '-infinity')),
      removed as (
        delete from calendar_blocks b using had h
        where b.org_id = ${orgId} and b.unit_id = ${unitId} and b.source = ${feedId} and b.night = h.night
          and not exists (select 1 from wanted w where w.night = h.night)
        returning b.night),
      written as (
        insert into calendar_blocks as b (org_id, unit_id, night, source, blocked)
        select ${orgId}, ${unitId}, w.night, ${feedId}, w.blocked from wanted w
        where not exists (select 1 from had h where h.night = w.night and h.blocked = w.blocked)
        on conflict (org_id, unit_id, night, source) do update set blocked = excluded.blocked
        returning b.night),
      changed as (select night from removed union all select night from written)
      select (select count(*)::int from written) as written, (select count(*)::int from removed) as removed,
        (select count(*)::int from had) as before, (select count(*)::int from wanted) as after,
        min(night) as from, max(night) as to from changed`,
  )
  return row!
}

export interface Fetched {
  readonly etag: string | null
  readonly lastModified: string | null
  readonly readFor: string
  readonly blocks: number
}

/** Notes that the calendar was read, or was as it had been (null). */
export const noteFetched = (transaction: Transaction, id: string, fetched: Fetched | null) =>
  rows(
    transaction,
    sql`update calendar_feeds set status = 'active', error_message = null, last_fetched_at = now(),
        updated_at = now(), next_fetch_at = now() + interval '30 minutes'
        ${
          fetched
            ? sql`, etag = ${fetched.etag}, last_modified = ${fetched.lastModified}, read_for = ${fetched.readFor},
              blocks = ${fetched.blocks}`
            : sql``
        }
      where org_id = ${transaction.orgId} and id = ${id}`,
  )

/** Has the calendar fetched in a minute: this process has no room for it now. */
export const postponeImport = (transaction: Transaction, id: string) =>
  rows(
    transaction,
    sql`update calendar_feeds set next_fetch_at = now() + interval '1 minute'
      where org_id = ${transaction.orgId} and id = ${id}`,
  )

/** Notes why the calendar could not be read. What was read before stays. */
export const noteUnreadable = (transaction: Transaction, id: string, message: string) =>
  rows(
    transaction,
    sql`update calendar_feeds set status = 'error', error_message = ${message}, last_fetched_at = now(),
        updated_at = now(), next_fetch_at = now() + interval '30 minutes'
      where org_id = ${transaction.orgId} and id = ${id}`,
  )
