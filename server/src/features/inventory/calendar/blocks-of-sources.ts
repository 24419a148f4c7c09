import { sql } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import { recordCalendarEvent } from './record-calendar-event.ts'

/** The rooms of one night that something else than the operator blocks. */
export interface BlockedNight {
  /** The id of what blocks them. */
  readonly source: string
  readonly unit_id: string
  readonly night: string
  readonly blocked: number
  readonly reason: string | null
}

export async function insertBlocks(transaction: Transaction, blocks: readonly BlockedNight[]): Promise<void> {
  if (blocks.length === 0) return
  await rows(
    transaction,
    sql`
      insert into calendar_blocks (org_id, unit_id, night, source, blocked, reason)
      select ${transaction.orgId}, unit_id, night, source, blocked, reason
      from jsonb_to_recordset(${JSON.stringify(blocks)}::jsonb)
        as block (source text, unit_id uuid, night date, blocked integer, reason text)
      order by unit_id, night, source`,
  )
}

/**
 * Locks the units first: a deletion that waited for a transaction that replaces the blocks would not see the new ones, and
 * they would stay for good.
 */
export async function deleteBlocks(
  transaction: Transaction,
  sources: readonly string[],
): Promise<BlockedNight[]> {
  if (sources.length === 0) return []
  const ofSources = sql`org_id = ${transaction.orgId}
    and source = any(${sources}::text[])
    and source <> 'operator'`
  const [, deleted] = await Promise.all([
    rows(
      transaction,
      sql`
        select 1
        from units
        where org_id = ${transaction.orgId}
          and id in (select unit_id from calendar_blocks where ${ofSources})
        order by id
        for no key update`,
    ),
    rows(
      transaction,
      sql<BlockedNight>`
        delete from calendar_blocks
        where ${ofSources}
        returning source, unit_id, night, blocked, reason`,
    ),
  ])
  return deleted
}

/** Frees what these sources block. */
export async function removeBlocks(transaction: Transaction, sources: readonly string[]): Promise<void> {
  await recordBlocks(transaction, await deleteBlocks(transaction, sources))
}

/** Requests pushes of the nights whose blocks have changed, to all targets of their units. */
export async function recordBlocks(
  transaction: Transaction,
  changed: readonly BlockedNight[],
): Promise<void> {
  if (changed.length === 0) return
  const byUnit = Map.groupBy(changed, ({ unit_id }) => unit_id)
  const units = await rows(
    transaction,
    sql<{ id: string; account_id: string }>`
      select id, account_id
      from units
      where org_id = ${transaction.orgId}
        and id = any(${[...byUnit.keys()]}::uuid[])
      order by id`,
  )
  for (const { id: unitId, account_id: accountId } of units) {
    const nights = byUnit.get(unitId)!.map(({ night }) => nightOf(night))
    const [from, to] = [dateOf(Math.min(...nights)), dateOf(Math.max(...nights))]
    await requestSync(transaction, { unitId, nights: { from, to } }, 'change')
    await recordCalendarEvent(transaction, accountId, {
      calendar_change_id: null,
      unit_ids: [unitId],
      date_from: from,
      date_to: to,
      members: ['blocked'],
    })
  }
}
