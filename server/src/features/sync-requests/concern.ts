import { sql, type RawBuilder } from 'kysely'
import type { Transaction } from '#db/scope.ts'

/** Which listings a change concerns, and which of their nights: from, to (included), `all`, or none. */
export type Concern = (
  | { unitId: string }
  | { unitIds: readonly string[] }
  | { spaceId: string }
  | { targetId: string; failedWith?: readonly string[]; unsettled?: true }
  | { listingId: string }
  | { listingIds: readonly string[] }
  | { everything: true; failedWith?: readonly string[] }
) & { nights?: { from: string; to: string } | 'all' }

/** The condition on `listing_syncs s`. */
export function concerned({ orgId }: Transaction, concern: Concern): RawBuilder<unknown> {
  if ('listingId' in concern) return sql`s.channel_listing_id = ${concern.listingId}`
  if ('listingIds' in concern) return sql`s.channel_listing_id = any(${concern.listingIds}::uuid[])`
  if ('unitId' in concern) return sql`s.unit_id = ${concern.unitId}`
  if ('unitIds' in concern) return sql`s.unit_id = any(${concern.unitIds}::uuid[])`
  if ('spaceId' in concern)
    return sql`s.unit_id in (select id from units where org_id = ${orgId} and space_id = ${concern.spaceId})`
  const { failedWith } = concern
  const failed = failedWith
    ? sql` and s.status = 'failed' and s.error_code = any(${failedWith}::text[])`
    : sql``
  if ('everything' in concern) return sql`true${failed}`
  const unsettled = concern.unsettled ? sql` and s.status <> 'completed'` : sql``
  return sql`s.channel_target_id = ${concern.targetId}${failed}${unsettled}`
}
