import { sql } from 'kysely'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { filterClause, pageClause, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import type { FeedFields } from './calendar-feed.ts'

/** A feed with its encrypted address; the routes decide who may see it. */
export interface StoredFeed extends StoredRecord {
  readonly id: string
  readonly direction: FeedFields['direction']
  readonly address: Buffer
}

const filterColumns = ['org_id', 'account_id', 'unit_id', 'direction', 'status']

export const listFeeds = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<StoredFeed & ListedRecord>`
      select feed.id, feed.json, feed.version, feed.direction, feed.address,
        ${sortColumn('feed', page)} as sort_value
      from calendar_feeds feed
      where feed.org_id = ${scope.orgId}
        ${filterClause('feed', filter, filterColumns)}
      ${pageClause('feed', page)}`,
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
export const lockUnit = (
  transaction: Transaction,
  id: string,
): Promise<{ account_id: string; quantity: number } | undefined> =>
  first(
    transaction,
    sql<{ account_id: string; quantity: number }>`
      select account_id, quantity
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
