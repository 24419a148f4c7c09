import { sql } from 'kysely'
import { first, type Scope } from '#db/scope.ts'

/** The unit that a target calls by this name. */
export const unitBehind = (scope: Scope, targetId: string, externalId: string) =>
  first(
    scope,
    sql<{ unit_id: string; currency: string }>`select l.unit_id, u.currency from channel_listings l
      join units u on u.org_id = l.org_id and u.id = l.unit_id
      where l.org_id = ${scope.orgId} and l.channel_target_id = ${targetId} and l.external_id = ${externalId}`,
  )
