import { sql, type NotNull } from '#db/sql.ts'
import { rows, type Scope, type Transaction } from '#db/scope.ts'
import type { ItemAction, ItemKind, Reason } from './import.ts'

/** An item before it is stored. */
export interface NewItem {
  readonly kind: ItemKind
  readonly external_id: string
  readonly parent_id: string | null
  readonly name: string
  readonly action: ItemAction
  readonly reason: Reason | null
  readonly record_id: string | null
  readonly content: object | null
}

/**
 * Adds items that the import does not have yet, in order. Nothing is to be done for those that are skipped. A space that is
 * still to be made becomes as it is given.
 */
export const insertItems = (transaction: Transaction, importId: string, items: readonly NewItem[]) =>
  rows(
    transaction,
    sql`
      insert into import_items (org_id, import_id, kind, external_id, parent_id, "position", name, action, reason,
        record_id, content, done_at)
      select ${transaction.orgId}, ${importId}, item.kind, item.external_id, item.parent_id,
        coalesce(before.last, 0) + item.place, item.name, item.action, item.reason, item.record_id, item.content,
        case when item.action = 'skip' or item.content is null then now() end
      from rows from (
          jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as (
            kind text, external_id text, parent_id text, name text, action text, reason text, record_id uuid,
            content jsonb))
        with ordinality as item (kind, external_id, parent_id, name, action, reason, record_id, content, place),
        (
          select max("position") as last
          from import_items
          where org_id = ${transaction.orgId}
            and import_id = ${importId}) before
      on conflict (org_id, import_id, kind, external_id) do update
      set name = excluded.name,
        action = excluded.action,
        reason = excluded.reason,
        record_id = excluded.record_id,
        content = excluded.content,
        done_at = excluded.done_at
      where import_items.kind = 'space'
        and import_items.done_at is null`,
  )

/** Removes these units, with what belongs to them, where they are still to be created; returns their ids at the PMS. */
export async function removeUnitsToCreate(
  transaction: Transaction,
  importId: string,
  externalIds: readonly string[],
): Promise<Set<string>> {
  const removed = await rows(
    transaction,
    sql<{ external_id: string }>`
      with removed as (
        delete from import_items
        where org_id = ${transaction.orgId}
          and import_id = ${importId}
          and kind = 'unit'
          and external_id = any(${externalIds}::text[])
          and action = 'create'
          and record_id is null
          and done_at is null
        returning external_id
      ),
      parts as (
        delete from import_items item
        using removed
        where item.org_id = ${transaction.orgId}
          and item.import_id = ${importId}
          and item.kind in ('rate_plan', 'photo')
          and item.parent_id = removed.external_id
      )
      select external_id
      from removed`,
  )
  return new Set(removed.map(({ external_id }) => external_id))
}

/** The units here that the import has matched with a room so far. */
export const listMatchedUnits = (scope: Scope, importId: string) =>
  rows(
    scope,
    sql<{ unit_id: NotNull<string> }>`
      select record_id as unit_id
      from import_items
      where org_id = ${scope.orgId}
        and import_id = ${importId}
        and kind = 'unit'
        and action = 'match'
        and record_id is not null`,
  )
