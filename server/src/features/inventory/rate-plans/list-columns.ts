import { sql, type Fragment } from '#db/sql.ts'
import { hasText, idsOfFew, ofFewLimit } from '#db/paging.ts'

/** Of more names, plans are read in the order of the list. */
const maxNames = 1_000

/**
 * The ids of few plans whose name contains the text; null when they are many. Many plans have few names, so each name is
 * found by one step of an index.
 */
const plansNamed = (part: string) => sql`
  with recursive name (value, step) as (
    select min(name), 1 from rate_plans where org_id = current_org()
    union all
    select (select min(plan.name) from rate_plans plan where plan.org_id = current_org() and plan.name > name.value), step + 1
    from name
    where value is not null and step <= ${maxNames}::int
  )
  select case when not exists (select 1 from name where value is not null and step > ${maxNames}::int) then (
    ${idsOfFew(sql`
      select plan.id
      from name
      cross join lateral (
        select plan.id from rate_plans plan where plan.org_id = current_org() and plan.name = name.value offset 0
      ) plan
      where ${hasText(sql`name.value`, part)}${ofFewLimit}`)}
  ) end`

/** How the list of rate plans is filtered. */
export const listColumns = {
  columns: ['org_id', 'account_id', 'unit_id', 'status'],
  indexed: ['account_id'],
  findable: ['status'],
  find: (where: Fragment) =>
    sql`select plan.id from rate_plans plan where plan.org_id = current_org()${where}`,
  named: {
    ids: plansNamed,
    has: (part: string) => sql` and ${hasText(sql`plan.name`, part)}`,
  },
}
