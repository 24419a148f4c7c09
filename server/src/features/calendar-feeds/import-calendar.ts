import { atomically, type Scope } from '#db/scope.ts'
import type { Egress } from '#egress.ts'
import type { Run } from '#queue/job.ts'
import type { Vault } from '#secrets.ts'
import { dateOf, nightOf } from '#nights.ts'
import { stayId, type ImportedStay } from '../pms-bookings/imported-stay.ts'
import { listOpenStays } from '../pms-bookings/imported-stay-queries.ts'
import { settleImportedStays } from '../pms-bookings/settle-imported-stays.ts'
import { audited } from './audit-feed.ts'
import { placeOf } from './calendar-feed.ts'
import { UnreachableCalendar } from './fetch-calendar.ts'
import { refreshHeldAlert } from './held-alert.ts'
import { listBlockedNights, saveHeld } from './held-queries.ts'
import { judgeRemoval } from './held-removal.ts'
import {
  holdImport,
  lookForImport,
  noteFetched,
  noteUnreadable,
  postponeImport,
  replaceBlocks,
  type ImportFeed,
} from './import-queries.ts'
import { lockUnit } from './queries.ts'
import { readFeed, type FeedReading } from './read-feed.ts'
import { UnreadableCalendar } from './unreadable-calendar.ts'
import { uidEnding } from './write-calendar.ts'

/** What an import reaches for. */
export interface Reach {
  readonly egress: Egress
  readonly vault: Vault
}

/** As far ahead as the PMS is told. */
const nightsAhead = 500

type Found = FeedReading | { unreadable: string }

/** Reads the calendar behind an import and makes its nights the blocks of the unit. */
export async function importCalendar(
  scope: Scope,
  reach: Reach,
  feedId: string,
  run: Pick<Run, 'signal' | 'reportAnswer'>,
): Promise<void> {
  const feed = await lookForImport(scope, feedId)
  if (!feed) return
  const found = await look(scope, reach, feed, run)
  await atomically(scope, async (transaction) => {
    await lockUnit(transaction, feed.unit_id)
    // Changed meanwhile: it is still due, or whoever did that has asked for another fetch.
    if (!(await holdImport(transaction, feed))) return
    if (found === 'busy') return void (await postponeImport(transaction, feedId))
    if (found === 'same') return void (await noteFetched(transaction, feedId, null))
    if ('unreadable' in found) return void (await noteUnreadable(transaction, feedId, found.unreadable))
    const { fetched, reading } = found
    const { nights, stays } = reading
    const until = dateOf(nightOf(feed.today) + nightsAhead)
    const had = await listBlockedNights(transaction, feed)
    const verdict = judgeRemoval({ ...feed, until }, had, nights)
    const change = await replaceBlocks(transaction, {
      feedId,
      unitId: feed.unit_id,
      from: feed.today,
      nights: verdict.nights,
    })
    await noteFetched(transaction, feedId, { ...fetched, readFor: readFor(feed), blocks: change.after })
    await audited(transaction, 'calendar.imported', feed, change)
    if (verdict.held || feed.held || feed.is_replaced) await saveHeld(transaction, feedId, verdict)
    if (verdict.held || feed.held) await refreshHeldAlert(transaction, feed.unit_id, feed.held === null)
    const kept = verdict.held ? await listOpenStays(transaction, feedId) : []
    await settleImportedStays(transaction, feed, uniqueStays([...stays, ...kept]))
  })
}

async function look(
  scope: Scope,
  { egress, vault }: Reach,
  feed: ImportFeed,
  { signal, reportAnswer }: Pick<Run, 'signal' | 'reportAnswer'>,
): Promise<Found> {
  try {
    const url = vault.open<string>(feed.address, placeOf(scope.orgId, feed.id))
    const known =
      feed.read_for === readFor(feed) && !feed.held
        ? { etag: feed.etag, lastModified: feed.last_modified }
        : null
    const window = {
      timezone: feed.timezone,
      from: feed.today,
      nights: nightsAhead,
      ownUidEnding: uidEnding(feed.unit_id),
    }
    const found = await readFeed(egress, { url, known, window, owner: scope.orgId, stopping: signal })
    if (found !== 'busy') reportAnswer(true)
    return found
  } catch (error) {
    if (error instanceof UnreachableCalendar) reportAnswer(!error.timedOut)
    if (error instanceof UnreadableCalendar) reportAnswer(true)
    if (error instanceof UnreachableCalendar || error instanceof UnreadableCalendar)
      return { unreadable: error.message }
    throw error
  }
}

const uniqueStays = (stays: readonly ImportedStay[]) => [
  ...new Map(stays.map((stay) => [stayId(stay), stay])).values(),
]

/** The same text means other nights on another day, in another zone, or for another number of rooms. */
const readFor = ({ today, timezone, quantity }: ImportFeed) => `${today} ${timezone} ${quantity}`
