import { sql } from 'kysely'
import { atomically, first, rows, type Actor, type Scope, type Transaction } from '#db/scope.ts'
import { NotFound, semanticError, unknownReference } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import { refuseStale, type Expected } from '#http/preconditions.ts'
import type { Listed, Stored } from '#http/replies.ts'
import { parseTraceparent } from '#telemetry.ts'
import { addAuditEntries } from '../sync-requests/audit-queries.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import type { SalesStopInput } from './sales-stop.ts'

const filterColumns = ['org_id', 'account_id', 'space_id', 'unit_id', 'channel_target_id']

export function listSalesStops(scope: Scope, { lifted, ...filter }: { lifted?: boolean }, page: PageRequest) {
  const state = lifted === undefined ? sql`` : sql` and (s.lifted_at is not null) = ${lifted}`
  return rows(
    scope,
    sql<Listed>`select s.id, s.json, ${sortColumn('s', page)} as sort_value from sales_stops s
      where s.org_id = ${scope.orgId}${state}${filters('s', filter, filterColumns)}${pageClause('s', page)}`,
  )
}

export async function findSalesStop(scope: Scope, id: string): Promise<Stored> {
  const found = await first(
    scope,
    sql<Stored>`select json, version from sales_stops where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('sales stop', id)
  return found
}

/** Stops sales of what is named, everywhere it is listed, from now on. @throws Invalid */
export const stopSales = (scope: Scope, input: SalesStopInput): Promise<Stored & { id: string }> =>
  atomically(scope, async (transaction) => {
    if (input.space_id && input.unit_id)
      throw semanticError('unit_id', 'Name a unit or its whole space, not both.')
    const place = { space_id: null, unit_id: null, channel_target_id: null, ...input }
    const account_id = await accountOf(transaction, place)
    const [row] = await rows(
      transaction,
      sql<
        Stored & { id: string }
      >`insert into sales_stops (org_id, account_id, space_id, unit_id, channel_target_id, reason, stopped_by)
        values (${scope.orgId}, ${account_id}, ${place.space_id}, ${place.unit_id}, ${place.channel_target_id},
          ${input.reason ?? null}, ${JSON.stringify(transaction.actor satisfies Actor)}) returning id, json, version`,
    )
    await tell(transaction, 'sales.stopped', { ...place, account_id, reason: input.reason ?? null })
    return row!
  })

/** Sales go on as the calendar says. @throws NotFound when there is no such stop, or it is lifted already */
export const resumeSales = (scope: Scope, id: string, expected: Expected): Promise<void> =>
  atomically(scope, async (transaction) => {
    const stop = await first(
      transaction,
      sql<
        Place & { version: number }
      >`select space_id, unit_id, channel_target_id, account_id, reason, version
        from sales_stops where org_id = ${scope.orgId} and id = ${id} and lifted_at is null for update`,
    )
    if (!stop) throw new NotFound('sales stop', id)
    refuseStale(expected, stop.version)
    await rows(
      transaction,
      sql`update sales_stops set lifted_at = now(), lifted_by = ${JSON.stringify(transaction.actor)},
          version = version + 1 where org_id = ${scope.orgId} and id = ${id}`,
    )
    await tell(transaction, 'sales.resumed', stop)
  })

interface Place {
  space_id: string | null
  unit_id: string | null
  channel_target_id: string | null
  account_id: string | null
  reason: string | null
}

/** The account of what is named; null when that is everything. What is named cannot go meanwhile. */
async function accountOf(
  transaction: Transaction,
  place: Omit<Place, 'account_id' | 'reason'>,
): Promise<string | null> {
  const references = [
    ['channel_target_id', 'channel target', sql.table('channel_targets')],
    ['space_id', 'space', sql.table('spaces')],
    ['unit_id', 'unit', sql.table('units')],
  ] as const
  let accountId: string | null = null
  for (const [member, thing, table] of references) {
    if (place[member] === null) continue
    const isThere = member === 'channel_target_id' ? sql`` : sql` and deleted_at is null`
    const found = await first(
      transaction,
      sql<{ account_id: string }>`select account_id from ${table}
        where org_id = ${transaction.orgId} and id = ${place[member]}${isThere} for key share`,
    )
    if (!found) throw unknownReference(member, thing)
    accountId = found.account_id
  }
  return accountId
}

/** The PMS hears of it, and the history keeps who it was. What concerns a bit more than the stop differs in nothing. */
async function tell(transaction: Transaction, action: 'sales.stopped' | 'sales.resumed', place: Place) {
  const { space_id, unit_id, channel_target_id, account_id, reason } = place
  const change = { space_id, unit_id, channel_target_id, reason }
  addAuditEntries(transaction, [
    {
      account_id,
      ...(unit_id && { unit_id }),
      ...(channel_target_id && { channel_target_id }),
      action,
      trigger: 'change',
      actor: transaction.actor,
      changes: [
        action === 'sales.stopped'
          ? { field: 'sales_stop', before: null, after: change }
          : { field: 'sales_stop', before: change, after: null },
      ],
      trace_id: parseTraceparent(transaction.traceparent)?.traceId ?? null,
    },
  ])
  await requestSync(transaction, { ...concernOf(place), nights: 'all' }, 'change')
}

function concernOf({ unit_id, space_id, channel_target_id }: Place) {
  if (unit_id) return { unitId: unit_id }
  if (space_id) return { spaceId: space_id }
  return channel_target_id ? { targetId: channel_target_id } : { everything: true as const }
}
