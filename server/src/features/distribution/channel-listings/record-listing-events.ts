import type { Transaction } from '#db/scope.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'

interface ChangedListing {
  readonly json: string
}

/** Tells programs and streams what became of listings. */
export const recordListingEvents = (
  transaction: Transaction,
  type: 'listing.created' | 'listing.updated' | 'listing.deleted',
  listings: readonly ChangedListing[],
): Promise<void> =>
  recordEvents(
    transaction,
    listings.map(({ json }) => {
      const channel_listing = JSON.parse(json) as { id: string; account_id: string }
      const { id, account_id } = channel_listing
      return { type, accountId: account_id, subjectId: id, data: { channel_listing } }
    }),
  )
