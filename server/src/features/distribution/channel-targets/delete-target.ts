import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope } from '#db/scope.ts'
import { assertVersion, type ExpectedVersion } from '#db/records.ts'
import { Conflict } from '#errors.ts'
import { removeBlocks } from '#features/inventory/calendar/blocks-of-sources.ts'
import { alertKinds } from '#features/messaging/alerts/alert.ts'
import { resolveAlerts } from '#features/messaging/alerts/queries.ts'
import { lockTarget } from './queries.ts'
import { recordTargetEvent } from './record-target-event.ts'

const maxNamedListings = 10

/** Deletes a target without listings. @throws NotFound, PreconditionFailed, Conflict */
export const deleteTarget = (scope: Scope, id: string, expected: ExpectedVersion): Promise<void> =>
  atomically(scope, async (transaction) => {
    assertVersion(expected, (await lockTarget(transaction, id)).version)
    const listings = await rows(
      transaction,
      sql<{ id: string; count: number }>`
        select id, (count(*) over ())::int as count
        from channel_listings
        where org_id = ${scope.orgId}
          and channel_target_id = ${id}
        order by created_at, id
        limit ${maxNamedListings}`,
    )
    if (listings.length > 0) {
      const held_by = { listings: listings.map((listing) => listing.id), listing_count: listings[0]!.count }
      const count = held_by.listing_count === 1 ? '1 listing' : `${held_by.listing_count} listings`
      throw new Conflict('resource-in-use', `The target still has ${count}. Unlink them first.`, {
        members: { held_by },
      })
    }
    const conflicts = await rows(
      transaction,
      sql<{ id: string }>`
        select id
        from booking_conflicts
        where org_id = ${scope.orgId}
          and channel_target_id = ${id}
          and status = 'open'`,
    )
    // They are deleted with the target.
    await removeBlocks(
      transaction,
      conflicts.map((conflict) => conflict.id),
    )
    // So are its alerts.
    await resolveAlerts(transaction, alertKinds, { targetId: id })
    const [target] = await rows(
      transaction,
      sql<{ json: string }>`
        delete from channel_targets
        where org_id = ${scope.orgId}
          and id = ${id}
        returning json`,
    )
    await recordTargetEvent(transaction, 'target.deleted', target!)
  })
