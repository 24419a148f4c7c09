import { sql } from 'kysely'
import { rows, type Scope } from '#db/scope.ts'
import type { NotNull } from '#db/statements.ts'

/** A photo whose unit or space is made. */
export interface PhotoItem {
  id: string
  url: NotNull<string>
  description: string | null
  space_id: string
  /** Null for a photo of the space. */
  unit_id: string | null
}

/** The next photos in order; one that failed comes after the others. */
export const listPhotosToDo = (scope: Scope, importId: string, limit: number) =>
  rows(
    scope,
    sql<PhotoItem>`
      select item.id, item.content ->> 'url' as url, item.content ->> 'description' as description,
        coalesce(unit.space_id, owner.record_id) as space_id, unit.id as unit_id
      from import_items item
      join import_items owner
        on owner.org_id = item.org_id
        and owner.import_id = item.import_id
        and owner.kind = item.content ->> 'place'
        and owner.external_id = item.parent_id
        and owner.record_id is not null
      left join units unit
        on unit.org_id = item.org_id
        and unit.id = owner.record_id
      where item.org_id = ${scope.orgId}
        and item.import_id = ${importId}
        and item.kind = 'photo'
        and item.done_at is null
      order by item.tries, item."position"
      limit ${limit}`,
  )

/** Counts a failed download; the last one skips the photo. */
export const countPhotoFailure = (scope: Scope, id: string, maxTries: number) =>
  rows(
    scope,
    sql`
      update import_items
      set tries = tries + 1,
        action = case when tries + 1 >= ${maxTries} then 'skip' else action end,
        reason = case when tries + 1 >= ${maxTries} then 'photo_not_available' else reason end,
        done_at = case when tries + 1 >= ${maxTries} then now() end
      where org_id = ${scope.orgId}
        and id = ${id}
        and done_at is null`,
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
