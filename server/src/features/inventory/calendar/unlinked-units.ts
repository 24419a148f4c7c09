import { sql, type RawBuilder } from 'kysely'
import { matchesAny } from '#db/paging.ts'
import type { Scope } from '#db/scope.ts'

/** The ids of the units without a listing, at any target or at these. Some of them may be deleted. */
export const unitsWithoutListing = (
  scope: Scope,
  targetIds: readonly string[] | undefined,
): RawBuilder<unknown> => (targetIds ? unitsWithout(scope, targetIds) : unlinkedUnits(scope))

const unlinkedUnits = ({ orgId }: Scope) => sql`
  select candidate.unit_id as id
  from unlinked_units candidate
  where candidate.org_id = ${orgId}
    and not exists (
      select 1 from channel_listings where org_id = ${orgId} and unit_id = candidate.unit_id offset 0
    )`

/** The ids of all units and of all that are linked are merged from two indexes; 3 to 5 s were searches for each unit. */
const unitsWithout = ({ orgId }: Scope, targetIds: readonly string[]) => sql`
  select id from units where org_id = ${orgId}
  except
  select unit_id from channel_listings where org_id = ${orgId} and ${matchesAny(sql`channel_target_id`, targetIds)}`
