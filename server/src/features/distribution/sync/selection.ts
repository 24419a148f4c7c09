import { sql, type RawBuilder } from 'kysely'
import type { Transaction } from '#db/scope.ts'

/** The listings that a change affects, and their nights: from and to (inclusive), `all`, or none. */
export type ListingSelection = (
  | { unitId: string }
  | { unitIds: readonly string[] }
  | { spaceId: string }
  | { targetId: string; unsettled?: true }
  | { listingId: string }
  | { listingIds: readonly string[] }
  | { everything: true }
) & {
  nights?: { from: string; to: string } | 'all'
  /** Only failed ones, with one of these codes. */
  failedWith?: readonly string[] | 'anything'
  /** Only those that may be pushed: not paused, and with an active target. */
  enabledOnly?: true
}

/** The condition on the row `sync` of `listing_syncs`. */
export function isSelected(transaction: Transaction, selection: ListingSelection): RawBuilder<unknown> {
  const { failedWith, enabledOnly } = selection
  const failed = failedWith ? sql` and sync.status = 'failed'` : sql``
  const cause =
    failedWith && failedWith !== 'anything' ? sql` and sync.error_code = any(${failedWith}::text[])` : sql``
  const enabled = enabledOnly
    ? sql` and exists (
        select 1
        from channel_listings enabled_listing
        join channel_targets enabled_target
          on enabled_target.org_id = enabled_listing.org_id
          and enabled_target.id = enabled_listing.channel_target_id
        where enabled_listing.org_id = sync.org_id
          and enabled_listing.id = sync.channel_listing_id
          and enabled_listing.status <> 'paused'
          and enabled_target.status <> 'inactive')`
    : sql``
  return sql`${isAmong(transaction, selection)}${failed}${cause}${enabled}`
}

// Ids by a subquery: a list of known length is planned again each time, because a custom plan for few ids looks
// cheaper than it is.
function isAmong({ orgId }: Transaction, selection: ListingSelection): RawBuilder<unknown> {
  if ('listingId' in selection) return sql`sync.channel_listing_id = ${selection.listingId}`
  if ('listingIds' in selection)
    return sql`sync.channel_listing_id = any(array(select unnest(${selection.listingIds}::uuid[])))`
  if ('unitId' in selection) return sql`sync.unit_id = ${selection.unitId}`
  if ('unitIds' in selection)
    return sql`sync.unit_id = any(array(select unnest(${selection.unitIds}::uuid[])))`
  if ('spaceId' in selection)
    return sql`sync.unit_id in (select id from units where org_id = ${orgId} and space_id = ${selection.spaceId})`
  if ('everything' in selection) return sql`true`
  const unsettled = selection.unsettled ? sql` and sync.status <> 'completed'` : sql``
  return sql`sync.channel_target_id = ${selection.targetId}${unsettled}`
}
