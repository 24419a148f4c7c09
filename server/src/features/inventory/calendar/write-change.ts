import { randomUUID } from 'node:crypto'
import { sql } from '#db/sql.ts'
import { deferToCommit, type Transaction } from '#db/scope.ts'
import { dateOf } from '#schema/nights.ts'
import { termNames } from '#integrations/pms/pms.ts'
import { addAuditEntries, type AuditEntry } from '#features/distribution/audit/queries.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import type { CalendarChange, NightsLeft } from './change-record.ts'
import type { Layer } from './layers.ts'
import { recordCalendarEvent } from './record-calendar-event.ts'
import { changeStamp, type CalendarUnit, type Block, type Terms } from './queries.ts'
import { writeBlocks, writeNights, type PriceOutOfBounds } from './write-queries.ts'

/** The values to write, each night once. */
export interface ChangePlan {
  readonly terms: readonly Layer<Terms>[]
  readonly blocks: readonly Layer<Block>[]
  /** The numbers of the first and last night. */
  readonly from: number
  readonly to: number
}

interface ChangeDetails extends Pick<AuditEntry, 'action' | 'changes'> {
  /** The number of values in the request. */
  readonly values: number
  /** Throws when derived prices are out of bounds. */
  readonly assertPrices?: (outOfBounds: readonly PriceOutOfBounds[]) => void
  readonly seasonId?: string | undefined
  readonly reverts?: { readonly id: string; readonly left: readonly NightsLeft[] }
}

/** Writes a change of the calendar, with the replaced values, the audit entry and the request of a push. */
export async function writeChange(
  transaction: Transaction,
  units: ReadonlyMap<string, CalendarUnit>,
  plan: ChangePlan,
  { values, reverts, seasonId, assertPrices, ...entry }: ChangeDetails,
): Promise<CalendarChange> {
  const id = randomUUID()
  const [date_from, date_to] = [dateOf(plan.from), dateOf(plan.to)]
  const unitIds = [...units.keys()]
  const unit_id = unitIds.length === 1 ? unitIds[0]! : null
  const account_id = accountOf(transaction, units)
  addAuditEntries(transaction, [
    {
      id,
      account_id,
      ...(unit_id && { unit_id }),
      trigger: 'change',
      ...entry,
    },
  ])
  // Sent together: the locks are taken, so nothing that one of them finds depends on another.
  const [listings, , created_at, written, changedBlocks] = await Promise.all([
    requestSync(transaction, { unitIds, nights: { from: date_from, to: date_to } }, 'change'),
    transaction.connection.flush(),
    changeStamp(transaction, id),
    writeNights(transaction, id, plan.terms, units),
    writeBlocks(transaction, id, plan.blocks),
  ])
  assertPrices?.(written.outOfBounds)
  const layers = [...plan.terms, ...plan.blocks]
  const change: CalendarChange = {
    id,
    org_id: transaction.orgId,
    account_id,
    unit_id,
    units: unitIds.length,
    values,
    nights: layers.reduce((sum, { nights }) => sum + nights.length, 0),
    nights_changed: written.nights + changedBlocks,
    listings: listings.length,
    members: memberNames.filter((name) => layers.some(({ terms }) => name in terms)),
    date_from,
    date_to,
    reverts_id: reverts?.id ?? null,
    reverted_by_id: null,
    season_id: seasonId ?? null,
    actor: transaction.actor,
    created_at,
  }
  insertChange(transaction, change, reverts?.left ?? [])
  const { members } = change
  const update = { calendar_change_id: id, unit_ids: unitIds, date_from, date_to, members }
  await recordCalendarEvent(transaction, account_id, update)
  return change
}

const memberNames = [...termNames, 'blocked', 'reason'] as const

/** The common account of the units; that of the caller when they belong to several. */
function accountOf({ accountId }: Transaction, units: ReadonlyMap<string, CalendarUnit>) {
  const accounts = new Set([...units.values()].map(({ account_id }) => account_id))
  const [only] = accounts
  return accounts.size === 1 ? only! : accountId
}

const insertChange = (transaction: Transaction, change: CalendarChange, left: readonly NightsLeft[]): void =>
  deferToCommit(
    transaction,
    sql`insert into calendar_changes (org_id, id, account_id, unit_id, unit_count, value_count, nights, nights_changed,
        listings, members, date_from, date_to, reverts_id, season_id, nights_left, actor, created_at)
      values (${change.org_id}, ${change.id}, ${change.account_id}, ${change.unit_id}, ${change.units},
        ${change.values}, ${change.nights}, ${change.nights_changed}, ${change.listings}, ${change.members},
        ${change.date_from}, ${change.date_to}, ${change.reverts_id}, ${change.season_id}, ${JSON.stringify(left)},
        ${JSON.stringify(change.actor)}, ${change.created_at})`,
  )
