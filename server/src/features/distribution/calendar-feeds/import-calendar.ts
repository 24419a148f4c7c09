import { atomically, type Scope } from '#db/scope.ts'
import type { Egress } from '#egress/egress.ts'
import type { JobRun } from '#queue/job.ts'
import type { Vault } from '#secrets/vault.ts'
import { notifyChanges } from '#features/messaging/events/changed-records.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import { stayId, type ImportedStay } from '#features/distribution/pms-bookings/imported-stay.ts'
import { listOpenStays } from '#features/distribution/pms-bookings/imported-conflict-queries.ts'
import { updateImportedConflicts } from '#features/distribution/pms-bookings/imported-conflicts.ts'
import { UnreadableCalendar } from './unreadable-calendar.ts'
import { addressContext } from './calendar-feed.ts'
import { UnreachableCalendar } from './fetch-calendar.ts'
import { raiseErrorAlert, resolveErrorAlert } from './error-alert.ts'
import { refreshHeldAlert } from './held-alert.ts'
import { evaluateRemoval } from './held-removal.ts'
import {
  getImport,
  listBlockedNights,
  lockImport,
  postponeImport,
  recordFetched,
  recordUnreadable,
  saveHeld,
  type ImportFeed,
  lockUnit,
} from './queries.ts'
import { readFeed, type FeedReading } from './read-feed.ts'
import { recordBlocksChange, replaceBlocks } from './replace-blocks.ts'
import { nightsAhead, uidSuffix } from './exported-nights.ts'

export interface ImportContext {
  readonly egress: Egress
  readonly vault: Vault
}

type ReadResult = FeedReading | { unreadable: string }

/** Reads the calendar of an import and makes its nights the blocks of the unit. */
export async function importCalendar(
  scope: Scope,
  context: ImportContext,
  feedId: string,
  run: Pick<JobRun, 'signal' | 'reportResponse'>,
): Promise<void> {
  const feed = await getImport(scope, feedId)
  if (!feed) return
  const result = await readOrDescribeError(scope, context, feed, run)
  await atomically(scope, async (transaction) => {
    await lockUnit(transaction, feed.unit_id)
    // A feed that changed during the fetch is still due, or the change has enqueued another fetch.
    if (!(await lockImport(transaction, feed))) return
    if (result === 'busy') return void (await postponeImport(transaction, feedId))
    notifyChanges(transaction, { calendar_feed: [feedId] })
    if (result === 'unchanged') {
      await recordFetched(transaction, feed, null)
      if (feed.status === 'error') await resolveErrorAlert(transaction, feed.unit_id)
      return
    }
    if ('unreadable' in result) {
      await recordUnreadable(transaction, feed, result.unreadable)
      // Once is usually a moment of the server there.
      if (feed.status === 'error') await raiseErrorAlert(transaction, feed.unit_id)
      return
    }
    const { fetched, reading } = result
    const until = dateOf(nightOf(feed.today) + nightsAhead)
    const blocked = await listBlockedNights(transaction, feed)
    const removal = evaluateRemoval({ ...feed, until }, blocked, reading.nights)
    const change = await replaceBlocks(transaction, {
      feedId,
      unitId: feed.unit_id,
      from: feed.today,
      nights: removal.nights,
    })
    await recordFetched(transaction, feed, { ...fetched, readFor: readFor(feed), blocks: change.after })
    if (feed.status === 'error') await resolveErrorAlert(transaction, feed.unit_id)
    await recordBlocksChange(transaction, 'calendar.imported', feed, change)
    if (removal.held || feed.held || feed.is_replaced) await saveHeld(transaction, feedId, removal)
    if (removal.held || feed.held) await refreshHeldAlert(transaction, feed.unit_id, feed.held === null)
    const keptStays = removal.held ? await listOpenStays(transaction, feedId) : []
    await updateImportedConflicts(transaction, feed, uniqueStays([...reading.stays, ...keptStays]))
  })
}

async function readOrDescribeError(
  scope: Scope,
  { egress, vault }: ImportContext,
  feed: ImportFeed,
  { signal, reportResponse }: Pick<JobRun, 'signal' | 'reportResponse'>,
): Promise<ReadResult> {
  try {
    const url = vault.open<string>(feed.address, addressContext(scope.orgId, feed.id))
    const validators =
      feed.read_for === readFor(feed) && !feed.held
        ? { etag: feed.etag, lastModified: feed.last_modified }
        : null
    const window = {
      timezone: feed.timezone,
      from: feed.today,
      nights: nightsAhead,
      ownUidSuffix: uidSuffix(feed.unit_id),
    }
    const reading = await readFeed(egress, { url, validators, window, owner: scope.orgId, stopping: signal })
    if (reading !== 'busy') reportResponse(true)
    return reading
  } catch (error) {
    if (error instanceof UnreachableCalendar) reportResponse(!error.timedOut)
    if (error instanceof UnreadableCalendar) reportResponse(true)
    if (error instanceof UnreachableCalendar || error instanceof UnreadableCalendar)
      return { unreadable: error.message }
    throw error
  }
}

const uniqueStays = (stays: readonly ImportedStay[]) => [
  ...new Map(stays.map((stay) => [stayId(stay), stay])).values(),
]

/** The same calendar gives other blocks on another day, in another time zone, or for another number of rooms. */
const readFor = ({ today, timezone, quantity }: ImportFeed) => `${today} ${timezone} ${quantity}`
