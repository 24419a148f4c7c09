import { sql, type NotNull } from '#db/sql.ts'
import { first, rows, type Scope, type Transaction } from '#db/scope.ts'
import type { AvailabilityRange } from '#integrations/pms/pms.ts'
import type { PortfolioPlan, PortfolioSpace, PortfolioUnit } from '#integrations/pms/pms-portfolio.ts'
import type { ItemAction, Reason } from './import.ts'

/** What is stored of a unit: without what has items of its own. */
export interface UnitContent extends Omit<PortfolioUnit, 'photos' | 'rate_plans' | 'space'> {
  /** The rooms that the PMS sells, from when the unit was made until its blocks are. */
  readonly rooms?: readonly AvailabilityRange[]
}

export interface Item<Content> {
  id: string
  external_id: string
  parent_id: string | null
  name: string
  reason: Reason | null
  record_id: string | null
  content: NotNull<Content>
}

const itemColumns = sql`
  item.id, item.external_id, item.parent_id, item.name, item.reason, item.record_id, item.content`

/** The next units to make, or the next that were made and whose blocks are still to be. */
export const listUnits = (scope: Scope, importId: string, stage: 'units' | 'blocks', limit: number) =>
  rows(
    scope,
    sql<Item<UnitContent>>`
      select ${itemColumns}
      from import_items item
      where item.org_id = ${scope.orgId}
        and item.import_id = ${importId}
        and item.kind = 'unit'
        and ${stage === 'units' ? isToDo : waitsForBlocks}
      order by item."position"
      limit ${limit}`,
  )

const isToDo = sql`item.done_at is null`
/** The unit is made. Its content is emptied when its blocks are, or when it is skipped. */
export const waitsForBlocks = sql`item.done_at is not null and item.content is not null`

/** Has the rooms of the units read again, and then all bookings: both may have changed since. */
export const restartReading = (transaction: Transaction, importId: string) =>
  rows(
    transaction,
    sql`
      with unread as (
        update import_items item
        set done_at = null
        where item.org_id = ${transaction.orgId}
          and item.import_id = ${importId}
          and item.kind = 'unit'
          and ${waitsForBlocks}
      )
      update imports
      set bookings_imported = 0
      where org_id = ${transaction.orgId}
        and id = ${importId}`,
  )

export const listPlans = (scope: Scope, importId: string, unitIds: readonly string[]) =>
  rows(
    scope,
    sql<Item<PortfolioPlan>>`
      select ${itemColumns}
      from import_items item
      where item.org_id = ${scope.orgId}
        and item.import_id = ${importId}
        and item.kind = 'rate_plan'
        and item.parent_id = any(${unitIds}::text[])
        and item.done_at is null
      order by item."position"`,
  )

/** Locks an item that is still to be done; undefined when another run has done it. */
export const lockItem = (transaction: Transaction, id: string) =>
  first(
    transaction,
    sql<{ id: string }>`
      select id
      from import_items
      where org_id = ${transaction.orgId}
        and id = ${id}
        and done_at is null
      for update`,
  )

/** Locks the space of a unit, and counts the units that it gets. */
export const lockSpaceItem = (transaction: Transaction, importId: string, externalId: string) =>
  first(
    transaction,
    sql<Item<PortfolioSpace> & { units: number }>`
      select ${itemColumns},
        (
          select count(*)::int
          from import_items unit
          where unit.org_id = item.org_id
            and unit.import_id = item.import_id
            and unit.kind = 'unit'
            and unit.parent_id = item.external_id
            and unit.action = 'create') as units
      from import_items item
      where item.org_id = ${transaction.orgId}
        and item.import_id = ${importId}
        and item.kind = 'space'
        and item.external_id = ${externalId}
      for update`,
  )

export interface DoneItem {
  readonly id: string
  readonly record_id: string | null
  readonly action?: ItemAction
  readonly reason?: Reason | null
}

export const completeItems = (transaction: Transaction, items: readonly DoneItem[]) =>
  rows(
    transaction,
    sql`
      update import_items item
      set done_at = now(),
        record_id = coalesce(done.record_id, item.record_id),
        action = coalesce(done.action, item.action),
        reason = coalesce(done.reason, item.reason)
      from jsonb_to_recordset(${JSON.stringify(items)}::jsonb)
        as done (id uuid, record_id uuid, action text, reason text)
      where item.org_id = ${transaction.orgId}
        and item.id = done.id`,
  )

/** Also in an earlier import that had made the unit: what that one read of its rooms is old. */
export const endWait = (
  transaction: Transaction,
  targetId: string,
  { external_id, record_id }: Item<UnitContent>,
) =>
  rows(
    transaction,
    sql`
      update import_items item
      set content = null
      from imports import
      where import.org_id = ${transaction.orgId}
        and import.channel_target_id = ${targetId}
        and item.org_id = import.org_id
        and item.import_id = import.id
        and item.kind = 'unit'
        and item.external_id = ${external_id}
        and item.record_id = ${record_id}
        and ${waitsForBlocks}`,
  )

export const saveContent = (transaction: Transaction, id: string, content: object | null) =>
  rows(
    transaction,
    sql`
      update import_items
      set content = ${content === null ? null : JSON.stringify(content)}::jsonb
      where org_id = ${transaction.orgId}
        and id = ${id}`,
  )
