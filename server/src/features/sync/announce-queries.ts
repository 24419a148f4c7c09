import { sql } from 'kysely'
import { lastly, type Transaction } from '#db/scope.ts'

/** A notification holds less than 8,000 bytes: the organization and so many listings, 37 bytes each. */
const mostInOne = 200

/**
 * Tells the streams which listings have changed, with the commit. For statements that set `announced_at`, which keeps
 * the trigger from telling of each row.
 */
export function announce(transaction: Transaction, listingIds: readonly string[]): void {
  const words: string[] = []
  for (let at = 0; at < listingIds.length; at += mostInOne)
    words.push([transaction.orgId, ...listingIds.slice(at, at + mostInOne)].join(' '))
  if (words.length > 0) lastly(transaction, sql`select pg_notify('sync', w) from unnest(${words}::text[]) w`)
}
