import { sql } from '#db/sql.ts'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, PreconditionFailed } from '#errors.ts'
import { notifyChanges } from '#features/messaging/events/changed-records.ts'
import { addAuditEntries } from '#features/distribution/audit/queries.ts'
import { recheckOpenStays } from '#features/distribution/pms-bookings/imported-conflicts.ts'
import { refreshHeldAlert } from './held-alert.ts'
import type { HeldRemoval, RemovalDecision } from './held-removal.ts'
import { findFeed, lockFeed, type StoredFeed } from './queries.ts'
import type { CoveredNights } from './read-calendar.ts'
import { recordBlocksChange, replaceBlocks } from './replace-blocks.ts'

/** Accepts the held nights as free, or keeps them blocked. @throws NotFound, Conflict, PreconditionFailed */
export const decideRemoval = (
  scope: Scope,
  id: string,
  { decision, since }: RemovalDecision,
): Promise<StoredFeed> =>
  atomically(scope, async (transaction) => {
    await lockFeed(transaction, id)
    const feed = (await getHeldFeed(transaction, id))!
    if (!feed.held) throw statusConflict('The calendar feed holds no nights, so there is nothing to decide.')
    if (since !== undefined && Date.parse(since) !== Date.parse(feed.held.since))
      throw new PreconditionFailed()
    if (decision === 'keep') {
      if (feed.held.decision === 'keep') throw statusConflict('The nights are kept blocked already.')
      await saveKeep(transaction, id)
      auditKept(transaction, feed)
    } else {
      const nights = feed.found!.filter(([night]) => night >= feed.today)
      const change = await replaceBlocks(transaction, {
        feedId: id,
        unitId: feed.unit_id,
        from: feed.today,
        nights,
      })
      await saveAccept(transaction, id, change.after)
      await recordBlocksChange(transaction, 'calendar.removal_accepted', feed, change)
      await recheckOpenStays(transaction, feed)
    }
    await refreshHeldAlert(transaction, feed.unit_id, false)
    notifyChanges(transaction, { calendar_feed: [id] })
    return await findFeed(transaction, id)
  })

const statusConflict = (detail: string) => new Conflict('invalid-status-transition', detail)

interface HeldFeed {
  readonly id: string
  readonly account_id: string
  readonly unit_id: string
  readonly name: string
  readonly today: string
  readonly held: HeldRemoval | null
  readonly found: CoveredNights | null
}

/** The caller has locked the feed. */
const getHeldFeed = (transaction: Transaction, id: string): Promise<HeldFeed | undefined> =>
  first(
    transaction,
    sql<HeldFeed>`
      select feed.id, feed.account_id, feed.unit_id, feed.name, feed.held,
        feed.held_reading -> 'found' as found,
        (now() at time zone space.timezone)::date as today
      from calendar_feeds feed
      join units unit
        on unit.org_id = feed.org_id
        and unit.id = feed.unit_id
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id
      where feed.org_id = ${transaction.orgId}
        and feed.id = ${id}`,
  )

/** The new version cancels a fetch that is in progress. */
const saveKeep = (transaction: Transaction, id: string) =>
  rows(
    transaction,
    sql`
      update calendar_feeds
      set held = held || '{"decision": "keep"}',
        version = version + 1,
        updated_at = now()
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )

/** The new version cancels a fetch that is in progress. */
const saveAccept = (transaction: Transaction, id: string, blocks: number) =>
  rows(
    transaction,
    sql`
      update calendar_feeds
      set held = null,
        held_reading = null,
        blocks = ${blocks},
        version = version + 1,
        updated_at = now()
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )

const auditKept = (
  transaction: Transaction,
  { account_id, unit_id, name }: { account_id: string; unit_id: string; name: string },
) =>
  addAuditEntries(transaction, [
    {
      account_id,
      unit_id,
      action: 'calendar.removal_kept',
      changes: [{ field: 'calendar_feed', before: null, after: name }],
    },
  ])
