import { sql, type RawBuilder } from 'kysely'
import { termNames } from '#integrations/pms/pms.ts'
import { alikeBlocks, alikeNights } from './changed-queries.ts'

const members = [...termNames, 'blocked', 'reason'].flatMap((name) => [`old_${name}`, name])

/**
 * Two CTEs: `replaced` has each night of the parts that match, `alike` groups those with equal old and new values, as
 * they are for a change that is not written yet.
 */
export const replacedNights = (condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  replaced as materialized (
    select part.unit_id, part.rate_plan_id, part.base_price_cents, null::bigint as min_price_cents,
      value.price_cents as wanted_cents, value.*
    from calendar_change_parts part
    cross join lateral unnest(part.nights, ${sql.join(members.map((name) => sql.ref(`part.${name}`)))})
      as value (night, ${sql.join(members.map((name) => sql.ref(name)))})
    where ${condition}
  ),
  alike as (
    ${alikeNights(sql`replaced where rate_plan_id is not null`)}
    union all
    ${alikeBlocks(sql`replaced where rate_plan_id is null`)}
  )`
