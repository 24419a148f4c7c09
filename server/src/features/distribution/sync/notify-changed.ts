import { sql } from 'kysely'
import { deferToCommit, type Transaction } from '#db/scope.ts'

/** A notification holds less than 8,000 bytes: the organization and this many listings, 37 bytes each. */
const maxListings = 200

/** Notifies the status streams of all API processes of changed listings, with the commit. */
export function notifyChanged(transaction: Transaction, listingIds: readonly string[]): void {
  const payloads: string[] = []
  for (let at = 0; at < listingIds.length; at += maxListings)
    payloads.push([transaction.orgId, ...listingIds.slice(at, at + maxListings)].join(' '))
  if (payloads.length > 0)
    deferToCommit(
      transaction,
      sql`select pg_notify('sync', payload) from unnest(${payloads}::text[]) payload`,
    )
}
