import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from '#db/sql.ts'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, semanticError, unknownReference } from '#errors.ts'
import { assertVersion, type ExpectedVersion } from '#db/records.ts'
import { enqueue } from '#queue/job.ts'
import { notifyChanges } from '#features/messaging/events/changed-records.ts'
import type { Vault } from '#secrets/vault.ts'
import { updateImportedConflicts } from '#features/distribution/pms-bookings/imported-conflicts.ts'
import {
  addressContext,
  exportTokenOf,
  hashToken,
  type CalendarFeedInput,
  type FeedFields,
} from './calendar-feed.ts'
import { resolveErrorAlert } from './error-alert.ts'
import { refreshHeldAlert } from './held-alert.ts'
import { afterEnqueuedFetch, FetchCalendarFeed } from './jobs.ts'
import { findFeed, lockFeed, lockUnit, type StoredFeed } from './queries.ts'
import { recordBlocksChange, replaceBlocks } from './replace-blocks.ts'

/** Creates a feed; an import is fetched at once. @throws Invalid, Conflict */
export const createFeed = (
  scope: Scope,
  vault: Vault,
  { maxFeeds, ...input }: CalendarFeedInput & { maxFeeds: number },
): Promise<StoredFeed> =>
  atomically(scope, async (transaction) => {
    const unit = await lockUnit(transaction, input.unit_id)
    if (!unit) throw unknownReference('unit_id', 'unit')
    await assertBelowLimit(transaction, input.unit_id, maxFeeds)
    const token = input.direction === 'export' ? randomBytes(32).toString('base64url') : undefined
    const address = token ?? input.url!
    const source = token ? null : await findSourceUnit(transaction, input.unit_id, address)
    const id = randomUUID()
    await rows(
      transaction,
      sql`
        insert into calendar_feeds (id, org_id, account_id, unit_id, direction, name, address, token_hash,
          source_unit_id, next_fetch_at)
        values (${id}, ${scope.orgId}, ${unit.account_id}, ${input.unit_id}, ${input.direction}, ${input.name},
          ${vault.seal(address, addressContext(scope.orgId, id))}, ${token ? hashToken(token) : null}, ${source},
          ${afterEnqueuedFetch})`,
    )
    if (!token) await enqueue(transaction, FetchCalendarFeed, [{ payload: { feedId: id } }])
    notifyChanges(transaction, { calendar_feed: [id] })
    return await findFeed(transaction, id)
  })

/** The caller has locked the unit. @throws Conflict */
async function assertBelowLimit(transaction: Transaction, unitId: string, maxFeeds: number): Promise<void> {
  const feeds = await first(
    transaction,
    sql<{ count: number }>`
      select count(*)::int as count
      from calendar_feeds
      where org_id = ${transaction.orgId}
        and unit_id = ${unitId}`,
  )
  if (feeds!.count >= maxFeeds)
    throw new Conflict(
      'limit-reached',
      `The unit has ${feeds!.count} calendar feeds; it may have ${maxFeeds}. Delete one first.`,
    )
}

/** Changes a feed with `edit`. An import that becomes active, or has a new address, is fetched at once. */
export const updateFeed = (
  scope: Scope,
  vault: Vault,
  id: string,
  expected: ExpectedVersion,
  edit: (current: FeedFields) => FeedFields,
): Promise<StoredFeed> =>
  atomically(scope, async (transaction) => {
    const { id: _, sealed, version, ...rest } = await lockFeed(transaction, id)
    assertVersion(expected, version)
    const current = { ...rest, address: vault.open<string>(sealed, addressContext(scope.orgId, id)) }
    const next = edit(current)
    if (JSON.stringify(next) === JSON.stringify(current)) return await findFeed(transaction, id)
    const isMoved = next.address !== current.address
    const isFetched = next.direction === 'import' && next.status !== 'inactive'
    const isFetchEnqueued = isFetched && (isMoved || next.status !== current.status)
    const source = isMoved ? await findSourceUnit(transaction, next.unit_id, next.address) : null
    const address = isMoved ? vault.seal(next.address, addressContext(scope.orgId, id)) : sealed
    await rows(
      transaction,
      sql`
        update calendar_feeds
        set name = ${next.name},
          version = version + 1,
          updated_at = now(),
          next_fetch_at = ${isFetchEnqueued ? afterEnqueuedFetch : sql`next_fetch_at`},
          status = ${isMoved && isFetched ? 'active' : next.status},
          error_message = case when ${isMoved || next.status !== current.status} then null else error_message end,
          address = ${address},
          source_unit_id = case when ${isMoved} then ${source}::uuid else source_unit_id end,
          read_for = null,
          is_replaced = is_replaced or ${isMoved},
          held = case when ${isMoved} then null else held end,
          held_reading = case when ${isMoved} then null else held_reading end
        where org_id = ${scope.orgId}
          and id = ${id}`,
    )
    await refreshHeldAlert(transaction, next.unit_id, false)
    await resolveErrorAlert(transaction, next.unit_id)
    if (isFetchEnqueued) await enqueue(transaction, FetchCalendarFeed, [{ payload: { feedId: id } }])
    notifyChanges(transaction, { calendar_feed: [id] })
    return await findFeed(transaction, id)
  })

/** Fetches an import now, and every half hour from then on. @throws NotFound, Conflict */
export const requestFetch = (scope: Scope, id: string): Promise<StoredFeed> =>
  atomically(scope, async (transaction) => {
    const { direction, status } = await lockFeed(transaction, id)
    if (direction === 'export')
      throw new Conflict(
        'invalid-status-transition',
        'Others fetch an exported calendar; there is nothing to fetch.',
      )
    if (status === 'inactive')
      throw new Conflict(
        'invalid-status-transition',
        'The calendar feed is inactive. Set its status to active first.',
      )
    // What is fetched for this request has a `last_fetched_at` after this `updated_at`.
    await rows(
      transaction,
      sql`
        update calendar_feeds
        set updated_at = now(),
          next_fetch_at = ${afterEnqueuedFetch}
        where org_id = ${scope.orgId}
          and id = ${id}`,
    )
    await enqueue(transaction, FetchCalendarFeed, [{ payload: { feedId: id } }])
    return await findFeed(transaction, id)
  })

/** Deletes a feed and its blocks. @throws NotFound, PreconditionFailed */
export const deleteFeed = (scope: Scope, id: string, expected: ExpectedVersion): Promise<void> =>
  atomically(scope, async (transaction) => {
    const feed = await lockFeed(transaction, id)
    assertVersion(expected, feed.version)
    const blocks = { feedId: id, unitId: feed.unit_id, from: null, nights: [] }
    const change = await replaceBlocks(transaction, blocks)
    await updateImportedConflicts(transaction, feed, [])
    await rows(
      transaction,
      sql`
        delete from calendar_feeds
        where org_id = ${scope.orgId}
          and id = ${id}`,
    )
    await refreshHeldAlert(transaction, feed.unit_id, false)
    await resolveErrorAlert(transaction, feed.unit_id)
    notifyChanges(transaction, { calendar_feed: [id] })
    if (feed.direction === 'import') await recordBlocksChange(transaction, 'calendar.removed', feed, change)
  })

/**
 * The unit whose export is at an address; null for any other address. @throws Invalid when the unit would import its own
 * nights, directly or through other units, because it would then never open again
 */
async function findSourceUnit(transaction: Transaction, unitId: string, url: string): Promise<string | null> {
  const token = exportTokenOf(url)
  if (!token) return null
  const source = await first(
    transaction,
    sql<{ unit_id: string; is_circle: boolean }>`
      with recursive source as (
        select unit_id
        from calendar_feeds
        where org_id = ${transaction.orgId}
          and token_hash = ${hashToken(token)}),
      upstream as (
        select unit_id
        from source
        union
        select feed.source_unit_id
        from upstream
        join calendar_feeds feed
          on feed.org_id = ${transaction.orgId}
          and feed.unit_id = upstream.unit_id
        where feed.source_unit_id is not null)
      select source.unit_id,
        exists (
          select 1
          from upstream
          where unit_id = ${unitId}) as is_circle
      from source`,
  )
  if (source?.is_circle)
    throw semanticError(
      'url',
      'This calendar contains the nights of the unit itself, so the unit would never open again. Use another url.',
    )
  return source?.unit_id ?? null
}
