import type { Transaction } from '#db/scope.ts'
import { forgetRooms, isUnderWay, listingOf } from './doubt-queries.ts'
import { requestSync } from './request-sync.ts'

/**
 * The PMS has counted the rooms of a unit by itself: what it took from us says nothing of these nights any more, and
 * the number that is right is pushed, whatever it was before. A push that is under way would keep what it took; so the
 * PMS is read back after it.
 */
export async function doubtRooms(
  transaction: Transaction,
  { targetId, unitId, ...nights }: { targetId: string; unitId: string; from: string; to: string },
): Promise<void> {
  const listing = await listingOf(transaction, targetId, unitId)
  if (!listing) return
  const listingIds = [listing.id]
  // Holds the state of the listing until the transaction ends.
  await requestSync(transaction, { listingIds, nights }, 'change')
  await forgetRooms(transaction, listing.id, nights)
  if (await isUnderWay(transaction, listing.id)) await requestSync(transaction, { listingIds }, 'webhook')
}
