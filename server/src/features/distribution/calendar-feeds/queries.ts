import { sql } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { buildPageQuery, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import { directions, feedStatuses, type FeedFields } from './calendar-feed.ts'
import type { HeldReading, HeldRemoval, RemovalResult } from './held-removal.ts'
import type { CoveredNights } from './read-calendar.ts'

/** A feed with its encrypted address; the routes decide who may see it. */
export interface StoredFeed extends StoredRecord {
  readonly id: string
  readonly direction: FeedFields['direction']
  readonly address: Buffer
}

const listColumns = {
  columns: ['org_id', 'account_id', 'unit_id', 'direction', 'status'],
  indexed: ['unit_id'],
  findable: ['account_id'],
  together: { direction: directions, status: feedStatuses },
}

export const listFeeds = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    buildPageQuery(
      'feed',
      filter,
      listColumns,
      page,
      (where) => sql<StoredFeed & ListedRecord>`
        select feed.id, feed.json, feed.version, feed.direction, feed.address,
          ${sortColumn('feed', page)} as sort_value
        from calendar_feeds feed
        where feed.org_id = ${scope.orgId}${where}`,
    ),
  )

export async function findFeed(scope: Scope, id: string): Promise<StoredFeed> {
  const feed = await first(
    scope,
    sql<StoredFeed>`
      select id, json, version, direction, address
      from calendar_feeds
      where org_id = ${scope.orgId}
        and id = ${id}`,
  )
  if (!feed) throw new NotFound('calendar feed', id)
  return feed
}

/** Units are locked before their feeds everywhere, which prevents deadlocks. */
export const lockUnit = (transaction: Transaction, id: string) =>
  first(
    transaction,
    sql<{ account_id: string }>`
      select account_id
      from units
      where org_id = ${transaction.orgId}
        and id = ${id}
        and deleted_at is null
      for no key update`,
  )

/** Locks a feed and its unit. @throws NotFound */
export async function lockFeed(transaction: Transaction, id: string) {
  const { orgId } = transaction
  const unit = await first(
    transaction,
    sql<{ unit_id: string }>`
      select unit_id
      from calendar_feeds
      where org_id = ${orgId}
        and id = ${id}`,
  )
  if (unit) await lockUnit(transaction, unit.unit_id)
  const feed = await first(
    transaction,
    sql<Omit<FeedFields, 'address'> & { id: string; sealed: Buffer; version: number }>`
      select id, account_id, unit_id, direction, name, status, address as sealed, version
      from calendar_feeds
      where org_id = ${orgId}
        and id = ${id}
      for update`,
  )
  if (!feed) throw new NotFound('calendar feed', id)
  return feed
}

/** An import, with all that fetching it needs. */
export interface ImportFeed {
  readonly id: string
  readonly account_id: string
  readonly unit_id: string
  readonly name: string
  readonly status: FeedFields['status']
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
  /** When it was loaded, which is before it is fetched. */
  readonly loaded_at: string
}

/** Undefined when the feed is deleted, inactive, or an export. */
export const getImport = (scope: Scope, id: string): Promise<ImportFeed | undefined> =>
  first(
    scope,
    sql<ImportFeed>`
      select feed.id, feed.account_id, feed.unit_id, feed.name, feed.status, feed.version, feed.address, feed.etag,
        feed.last_modified, feed.read_for, space.timezone, (now() at time zone space.timezone)::date as today,
        unit.quantity, feed.held, feed.held_reading, feed.is_replaced, iso(now()) as loaded_at,
        coalesce((feed.held ->> 'since')::timestamptz <= now() - interval '1 hour', false) as is_held_an_hour
      from calendar_feeds feed
      join units unit
        on unit.org_id = feed.org_id
        and unit.id = feed.unit_id
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id
      where feed.org_id = ${scope.orgId}
        and feed.id = ${id}
        and feed.direction = 'import'
        and feed.status <> 'inactive'`,
  )

/** Locks a feed. Returns false when it was changed after it was loaded. */
export async function lockImport(transaction: Transaction, { id, version }: ImportFeed): Promise<boolean> {
  const feed = await first(
    transaction,
    sql`
      select 1
      from calendar_feeds
      where org_id = ${transaction.orgId}
        and id = ${id}
        and version = ${version}
        and status <> 'inactive'
      for update`,
  )
  return feed !== undefined
}

interface Fetched {
  readonly etag: string | null
  readonly lastModified: string | null
  readonly readFor: string
  readonly blocks: number
}

/** Records a successful fetch; null when the calendar had not changed. */
export const recordFetched = (
  transaction: Transaction,
  { id, loaded_at }: ImportFeed,
  fetched: Fetched | null,
) =>
  rows(
    transaction,
    sql`
      update calendar_feeds
      set status = 'active',
        error_message = null,
        last_fetched_at = ${loaded_at}::timestamptz,
        updated_at = now(),
        next_fetch_at = now() + interval '30 minutes'
        ${
          fetched
            ? sql`, etag = ${fetched.etag}, last_modified = ${fetched.lastModified}, read_for = ${fetched.readFor},
              blocks = ${fetched.blocks}`
            : sql``
        }
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )

/** Schedules the next fetch in a minute, because this process has no capacity for it now. */
export const postponeImport = (transaction: Transaction, id: string) =>
  rows(
    transaction,
    sql`
      update calendar_feeds
      set next_fetch_at = now() + interval '1 minute'
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )

/** Records why the calendar could not be read. The blocks of the last successful fetch stay. */
export const recordUnreadable = (transaction: Transaction, { id, loaded_at }: ImportFeed, message: string) =>
  rows(
    transaction,
    sql`
      update calendar_feeds
      set status = 'error',
        error_message = ${message},
        last_fetched_at = ${loaded_at}::timestamptz,
        updated_at = now(),
        next_fetch_at = now() + interval '30 minutes'
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )

/** The coming nights that a feed blocks, with the number of rooms. */
export async function listBlockedNights(
  transaction: Transaction,
  { id, unit_id, today }: { id: string; unit_id: string; today: string },
): Promise<CoveredNights> {
  const blocks = await rows(
    transaction,
    sql<{ night: string; blocked: number }>`
      select night, blocked
      from calendar_blocks
      where org_id = ${transaction.orgId}
        and unit_id = ${unit_id}
        and source = ${id}
        and night >= ${today}::date
      order by night`,
  )
  return blocks.map(({ night, blocked }) => [night, blocked])
}

/** Saves the held removal of a feed, or that nothing is held. */
export const saveHeld = (transaction: Transaction, id: string, { held, reading }: RemovalResult) =>
  rows(
    transaction,
    sql`
      update calendar_feeds
      set updated_at = now(),
        is_replaced = false,
        held = ${
          held
            ? sql`jsonb_set(${JSON.stringify(held)}::jsonb, '{since}', to_jsonb(coalesce(${held.since}, iso(now()))))`
            : sql`null`
        },
        held_reading = ${held ? sql`${JSON.stringify(reading)}::jsonb` : sql`null`}
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )
