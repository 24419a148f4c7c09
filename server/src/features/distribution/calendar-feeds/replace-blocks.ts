import { sql } from '#db/sql.ts'
import { first, type Transaction } from '#db/scope.ts'
import { addAuditEntries } from '#features/distribution/audit/queries.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import { recordCalendarEvent } from '#features/inventory/calendar/record-calendar-event.ts'
import type { CoveredNights } from './read-calendar.ts'

export interface BlocksChange {
  readonly written: number
  readonly removed: number
  readonly before: number
  readonly after: number
  /** The first and the last night that changed; null when none did. */
  readonly from: string | null
  readonly to: string | null
}

interface FeedBlocks {
  readonly feedId: string
  readonly unitId: string
  /** The first night to replace; null for all nights. */
  readonly from: string | null
  readonly nights: CoveredNights
}

/**
 * Replaces the blocks of a feed, limited to the rooms of the unit. Only what differs is written. The caller has locked
 * the unit.
 */
export async function replaceBlocks(
  transaction: Transaction,
  { feedId, unitId, from, nights }: FeedBlocks,
): Promise<BlocksChange> {
  const { orgId } = transaction
  const change = await first(
    transaction,
    sql<BlocksChange>`
      with wanted as (
        select covered.night, least(covered.events, unit.quantity) as blocked
        from unnest(${nights.map(([night]) => night)}::date[], ${nights.map(([, events]) => events)}::int[])
          covered (night, events)
        join units unit
          on unit.org_id = ${orgId}
          and unit.id = ${unitId}),
      existing as (
        select night, blocked
        from calendar_blocks
        where org_id = ${orgId}
          and unit_id = ${unitId}
          and source = ${feedId}
          and night >= coalesce(${from}::date, '-infinity')),
      removed as (
        delete from calendar_blocks block
        using existing
        where block.org_id = ${orgId}
          and block.unit_id = ${unitId}
          and block.source = ${feedId}
          and block.night = existing.night
          and not exists (
            select 1
            from wanted
            where wanted.night = existing.night)
        returning block.night),
      written as (
        insert into calendar_blocks as block (org_id, unit_id, night, source, blocked)
        select ${orgId}, ${unitId}, wanted.night, ${feedId}, wanted.blocked
        from wanted
        where not exists (
          select 1
          from existing
          where existing.night = wanted.night
            and existing.blocked = wanted.blocked)
        on conflict (org_id, unit_id, night, source) do update set blocked = excluded.blocked
        returning block.night),
      changed as (
        select night from removed
        union all
        select night from written)
      select (select count(*)::int from written) as written,
        (select count(*)::int from removed) as removed,
        (select count(*)::int from existing) as before,
        (select count(*)::int from wanted) as after,
        min(night) as from,
        max(night) as to
      from changed`,
  )
  return change!
}

/** Requests a sync of the changed nights, and records in the sync history who changed how many. */
export async function recordBlocksChange(
  transaction: Transaction,
  action: 'calendar.imported' | 'calendar.removed' | 'calendar.removal_accepted',
  feed: { account_id: string; unit_id: string; name: string },
  { written, removed, from, to, before, after }: BlocksChange,
): Promise<void> {
  if (from === null || to === null) return
  await requestSync(transaction, { unitId: feed.unit_id, nights: { from, to } }, 'change')
  await recordCalendarEvent(transaction, feed.account_id, {
    calendar_change_id: null,
    unit_ids: [feed.unit_id],
    date_from: from,
    date_to: to,
    members: ['blocked'],
  })
  addAuditEntries(transaction, [
    {
      account_id: feed.account_id,
      unit_id: feed.unit_id,
      action,
      changes: [
        { field: 'calendar_feed', before: null, after: feed.name },
        { field: 'blocked_nights', before, after },
        { field: 'nights_written', before: null, after: written },
        { field: 'nights_removed', before: null, after: removed },
      ],
    },
  ])
}
