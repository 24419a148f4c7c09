import { sql } from '#db/sql.ts'
import { rows, type Scope, type Transaction } from '#db/scope.ts'
import type { Reason } from './import.ts'

/** Skips a unit, and with it what belongs to it. */
export const skipUnit = (transaction: Transaction, importId: string, externalId: string, reason: Reason) =>
  rows(
    transaction,
    sql`
      update import_items item
      set done_at = now(),
        action = 'skip',
        reason = ${reason},
        content = null
      where item.org_id = ${transaction.orgId}
        and item.import_id = ${importId}
        and item.done_at is null
        and (item.kind = 'unit' and item.external_id = ${externalId}
          or item.kind in ('rate_plan', 'photo') and item.parent_id = ${externalId})`,
  )

/** Skips the spaces that are left when all units are made: none of their units was. */
export const skipEmptySpaces = (transaction: Transaction, importId: string) =>
  rows(
    transaction,
    sql`
      update import_items space
      set done_at = now(),
        action = 'skip',
        reason = coalesce(
          (
            select unit.reason
            from import_items unit
            where unit.org_id = space.org_id
              and unit.import_id = space.import_id
              and unit.kind = 'unit'
              and unit.parent_id = space.external_id
              and unit.action = 'skip'
            order by unit."position"
            limit 1),
          'not_found'),
        content = null
      where space.org_id = ${transaction.orgId}
        and space.import_id = ${importId}
        and space.kind = 'space'
        and space.done_at is null`,
  )

/** Skips what is left when all units are made: photos of what was not made. */
export const skipPhotosWithoutOwner = (scope: Scope, importId: string) =>
  rows(
    scope,
    sql`
      update import_items
      set action = 'skip',
        reason = 'not_possible',
        done_at = now()
      where org_id = ${scope.orgId}
        and import_id = ${importId}
        and kind = 'photo'
        and done_at is null`,
  )
