import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, semanticError, unknownReference } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import { refuseStale, type Expected } from '#http/preconditions.ts'
import type { Listed, Stored } from '#http/replies.ts'
import { enqueue } from '#queue/job.ts'
import type { Vault } from '#secrets.ts'
import { settleImportedStays } from '../pms-bookings/settle-imported-stays.ts'
import { audited } from './audit-feed.ts'
import { hashOf, placeOf, tokenIn, type CalendarFeedInput, type FeedFields } from './calendar-feed.ts'
import { FetchCalendarFeed } from './fetch-calendar-job.ts'
import { refreshHeldAlert } from './held-alert.ts'
import { replaceBlocks } from './import-queries.ts'

/** A feed with its sealed address; who may see it is not decided here. */
export interface StoredFeed extends Stored {
  readonly id: string
  readonly direction: FeedFields['direction']
  readonly address: Buffer
}

const filterColumns = ['org_id', 'account_id', 'unit_id', 'direction', 'status']

export const listFeeds = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<StoredFeed & Listed>`select f.id, f.json, f.version, f.direction, f.address,
        ${sortColumn('f', page)} as sort_value from calendar_feeds f
      where f.org_id = ${scope.orgId}${filters('f', filter, filterColumns)}${pageClause('f', page)}`,
  )

export async function findFeed(scope: Scope, id: string): Promise<StoredFeed> {
  const row = await first(
    scope,
    sql<StoredFeed>`select id, json, version, direction, address from calendar_feeds
      where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!row) throw new NotFound('calendar feed', id)
  return row
}

/** Makes a feed; an import is fetched at once. @throws Invalid, Conflict */
export const addFeed = (
  scope: Scope,
  vault: Vault,
  { maxFeeds, ...input }: CalendarFeedInput & { maxFeeds: number },
): Promise<StoredFeed> =>
  atomically(scope, async (transaction) => {
    const unit = await lockUnit(transaction, input.unit_id)
    if (!unit) throw unknownReference('unit_id', 'unit')
    await assertFewerThan(transaction, input.unit_id, maxFeeds)
    const token = input.direction === 'export' ? randomBytes(32).toString('base64url') : undefined
    const address = token ?? input.url!
    const source = token ? null : await sourceOf(transaction, input.unit_id, address)
    const id = randomUUID()
    await rows(
      transaction,
      sql`insert into calendar_feeds (id, org_id, account_id, unit_id, direction, name, address, token_hash, source_unit_id)
        values (${id}, ${scope.orgId}, ${unit.account_id}, ${input.unit_id}, ${input.direction}, ${input.name},
          ${vault.seal(address, placeOf(scope.orgId, id))}, ${token ? hashOf(token) : null}, ${source})`,
    )
    if (!token) await enqueue(transaction, FetchCalendarFeed, [{ payload: { feedId: id } }])
    return await findFeed(transaction, id)
  })

/** With the unit locked. */
async function assertFewerThan(transaction: Transaction, unitId: string, maxFeeds: number): Promise<void> {
  const found = await first(
    transaction,
    sql<{ count: number }>`select count(*)::int as count from calendar_feeds
      where org_id = ${transaction.orgId} and unit_id = ${unitId}`,
  )
  if (found!.count >= maxFeeds)
    throw new Conflict(
      'limit-reached',
      `The unit has ${found!.count} calendar feeds; it may have ${maxFeeds}. Delete one first.`,
    )
}

/** Changes a feed as `edit` says. An import that is switched on or leads elsewhere is fetched at once. */
export const changeFeed = (
  scope: Scope,
  vault: Vault,
  id: string,
  expected: Expected,
  edit: (current: FeedFields) => FeedFields,
): Promise<StoredFeed> =>
  atomically(scope, async (transaction) => {
    const { id: _, sealed, version, ...rest } = await lockFeed(transaction, id)
    refuseStale(expected, version)
    const fields = { ...rest, address: vault.open<string>(sealed, placeOf(scope.orgId, id)) }
    const next = edit(fields)
    if (JSON.stringify(next) === JSON.stringify(fields)) return await findFeed(transaction, id)
    const isElsewhere = next.address !== fields.address
    const isFetched = next.direction === 'import' && next.status !== 'inactive'
    const source = isElsewhere ? await sourceOf(transaction, next.unit_id, next.address) : null
    await rows(
      transaction,
      sql`update calendar_feeds set name = ${next.name}, version = version + 1, updated_at = now(),
          status = ${isElsewhere && isFetched ? 'active' : next.status},
          error_message = case when ${isElsewhere || next.status !== fields.status} then null else error_message end,
          address = case when ${isElsewhere} then ${vault.seal(next.address, placeOf(scope.orgId, id))} else address end,
          source_unit_id = case when ${isElsewhere} then ${source}::uuid else source_unit_id end,
          read_for = null, is_replaced = is_replaced or ${isElsewhere},
          held = case when ${isElsewhere} then null else held end,
          held_reading = case when ${isElsewhere} then null else held_reading end
        where org_id = ${scope.orgId} and id = ${id}`,
    )
    await refreshHeldAlert(transaction, next.unit_id, false)
    if (isFetched && (isElsewhere || next.status !== fields.status))
      await enqueue(transaction, FetchCalendarFeed, [{ payload: { feedId: id } }])
    return await findFeed(transaction, id)
  })

/** Removes a feed, and gives back the rooms that it took out of sale. */
export const removeFeed = (scope: Scope, id: string, expected: Expected): Promise<void> =>
  atomically(scope, async (transaction) => {
    const feed = await lockFeed(transaction, id)
    refuseStale(expected, feed.version)
    const change = await replaceBlocks(transaction, {
      feedId: id,
      unitId: feed.unit_id,
      from: null,
      nights: [],
    })
    await settleImportedStays(transaction, feed, [])
    await rows(transaction, sql`delete from calendar_feeds where org_id = ${scope.orgId} and id = ${id}`)
    await refreshHeldAlert(transaction, feed.unit_id, false)
    if (feed.direction === 'import') await audited(transaction, 'calendar.removed', feed, change)
  })

/** Units are locked before what hangs on them, by everybody, so that nobody waits in a circle. */
export const lockUnit = (
  transaction: Transaction,
  id: string,
): Promise<{ account_id: string; quantity: number } | undefined> =>
  first(
    transaction,
    sql<{ account_id: string; quantity: number }>`select account_id, quantity from units
      where org_id = ${transaction.orgId} and id = ${id} and deleted_at is null for no key update`,
  )

export async function lockFeed(transaction: Transaction, id: string) {
  const { orgId } = transaction
  const unit = await first(
    transaction,
    sql<{ unit_id: string }>`select unit_id from calendar_feeds where org_id = ${orgId} and id = ${id}`,
  )
  if (unit) await lockUnit(transaction, unit.unit_id)
  const feed = await first(
    transaction,
    sql<
      Omit<FeedFields, 'address'> & { id: string; sealed: Buffer; version: number }
    >`select id, account_id, unit_id, direction, name, status,
        address as sealed, version from calendar_feeds
      where org_id = ${orgId} and id = ${id} for update`,
  )
  if (!feed) throw new NotFound('calendar feed', id)
  return feed
}

/**
 * The unit of ours whose export an address is; null for a stranger's. A unit that closes because of itself, straight
 * or over others, would never open again.
 */
async function sourceOf(transaction: Transaction, unitId: string, url: string): Promise<string | null> {
  const token = tokenIn(url)
  if (!token) return null
  const found = await first(
    transaction,
    sql<{ unit_id: string; is_circle: boolean }>`with recursive source as (
        select unit_id from calendar_feeds where org_id = ${transaction.orgId} and token_hash = ${hashOf(token)}),
      behind as (
        select unit_id from source
        union
        select f.source_unit_id from behind b
          join calendar_feeds f on f.org_id = ${transaction.orgId} and f.unit_id = b.unit_id
        where f.source_unit_id is not null)
      select s.unit_id, exists (select 1 from behind where unit_id = ${unitId}) as is_circle from source s`,
  )
  if (found?.is_circle)
    throw semanticError('url', 'The calendar is made of nights of this very unit: it would never open again.')
  return found?.unit_id ?? null
}
