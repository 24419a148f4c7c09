import { sql } from '#db/sql.ts'
import { atomically, rows, type Actor, type Scope } from '#db/scope.ts'
import { Conflict, NotFound } from '#errors.ts'
import type { StoredRecord } from '#db/records.ts'
import { enqueue, type JobRun } from '#queue/job.ts'
import { resumeListing } from '#features/distribution/channel-listings/pause-listing.ts'
import { listUnits } from './item-queries.ts'
import { GoLive } from './jobs.ts'
import { findImport, lockImport } from './queries.ts'

const maxRunMs = 10_000
const listingsPerStep = 50

/** Resumes the listings of an import in the background. @throws NotFound, Conflict */
export const requestGoLive = (scope: Scope, id: string): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const current = await lockImport(transaction, id)
    if (!current) throw new NotFound('import', id)
    if (current.status !== 'completed' && current.status !== 'cancelled')
      throw new Conflict(
        'invalid-status-transition',
        `An import that is ${current.status} cannot go live: run it to its end, or cancel it.`,
      )
    const [unfinished] = await listUnits(transaction, id, 'blocks', 1)
    if (unfinished)
      throw new Conflict(
        'invalid-status-transition',
        `The closed nights of ${unfinished.name} are not imported yet. Import again, then go live with that import.`,
      )
    await enqueue(transaction, GoLive, [{ payload: { importId: id, actor: transaction.actor } }])
    return await findImport(transaction, id)
  })

/** Resumes each paused listing of an import, in a transaction of its own; a second run goes on with the others. */
export async function goLive(
  scope: Scope,
  { importId, actor }: { importId: string; actor: Actor },
  { signal }: Pick<JobRun, 'signal'>,
): Promise<void> {
  const until = performance.now() + maxRunMs
  let after: string | null = null
  while (!signal.aborted) {
    if (performance.now() > until)
      return await atomically(scope, (transaction) =>
        enqueue(transaction, GoLive, [{ payload: { importId, actor } }]),
      )
    const listings: { id: string }[] = await listPaused(scope, importId, after)
    for (const { id } of listings) {
      await resumeListing({ ...scope, actor }, id).catch((error: unknown) => {
        // It was unlinked meanwhile.
        if (!(error instanceof NotFound)) throw error
      })
      after = id
    }
    if (listings.length < listingsPerStep) return
  }
}

const listPaused = (scope: Scope, importId: string, after: string | null) =>
  rows(
    scope,
    sql<{ id: string }>`
      select listing.id
      from import_items item
      join imports import
        on import.org_id = item.org_id
        and import.id = item.import_id
      join channel_listings listing
        on listing.org_id = item.org_id
        and listing.unit_id = item.record_id
        and listing.channel_target_id = import.channel_target_id
      where item.org_id = ${scope.orgId}
        and item.import_id = ${importId}
        and item.kind = 'unit'
        and item.done_at is not null
        and listing.status = 'paused'
        and listing.id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
      order by listing.id
      limit ${listingsPerStep}`,
  )
