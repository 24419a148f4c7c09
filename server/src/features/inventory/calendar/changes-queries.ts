import { sql, type Fragment } from '#db/sql.ts'
import { first, rows, type Scope } from '#db/scope.ts'
import { buildPageQuery, idsOfFew, matchesAny, ofFewLimit, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord } from '#db/records.ts'
import { NotFound } from '#errors.ts'
import { maxRanges, type CalendarChange, type NightsLeft } from './change-record.ts'
import { termNames } from '#integrations/pms/pms.ts'
import { alikeBlocks, alikeNights } from './queries.ts'

interface ChangeFilter {
  readonly unit_id?: readonly string[]
  readonly actor_id?: string
  /** Changes that replaced nights in this range. */
  readonly from?: string
  readonly to?: string
  readonly created_since?: string
  readonly created_before?: string
}

const record = sql`(
  select row_to_json(record)
  from (
    select change.id, change.org_id, change.account_id, change.unit_id, change.unit_count as units,
      change.value_count as values, change.nights, change.nights_changed, change.listings, change.members,
      change.date_from, change.date_to, change.reverts_id, change.reverted_by_id,
      change.season_id, change.actor,
      iso(change.created_at) as created_at
  ) record
)`

const listColumns = { columns: ['org_id', 'account_id', 'reverts_id', 'season_id'] }

export function listChanges(scope: Scope, filter: ChangeFilter, page: PageRequest): Promise<ListedRecord[]> {
  const { unit_id, actor_id, from, to, created_since, created_before, ...plain } = filter
  const created = sql.join(
    [
      sql`change.org_id = ${scope.orgId}`,
      ...(created_since ? [sql`change.created_at >= ${created_since}::timestamptz`] : []),
      ...(created_before ? [sql`change.created_at < ${created_before}::timestamptz`] : []),
    ],
    ' and ',
  )
  const nightsOf = (table: string) => [
    ...(from ? [sql`${sql.ref(`${table}.date_to`)} >= ${from}::date`] : []),
    ...(to ? [sql`${sql.ref(`${table}.date_from`)} <= ${to}::date`] : []),
  ]
  const parts = sql.join(
    [
      sql`part.org_id = ${scope.orgId}`,
      ...(unit_id ? [matchesAny(sql`part.unit_id`, unit_id)] : []),
      ...nightsOf('part'),
    ],
    ' and ',
  )
  const hasParts = unit_id !== undefined || from !== undefined || to !== undefined
  const lookups = {
    // The history has the decisions of each actor in an index, under the ids of the changes.
    actor_id: (actorIds: readonly unknown[]) =>
      sql`select few.ids from few_decisions(null, ${actorIds}::text[]) few`,
    nights: () =>
      idsOfFew(
        unit_id
          ? sql`select part.change_id as id from calendar_change_parts part where ${parts}${ofFewLimit}`
          : // Fewer rows than the parts; the page has the whole condition.
            sql`
              select change.id
              from calendar_changes change
              where ${sql.join([created, ...nightsOf('change')], ' and ')}${ofFewLimit}`,
      ),
  }
  const ofParts = hasParts
    ? sql` and change.id in (select part.change_id from calendar_change_parts part where ${parts})`
    : sql``
  return rows(
    scope,
    buildPageQuery(
      'change',
      { ...plain, actor_id, ...(hasParts && { nights: true }) },
      { ...listColumns, lookups, conditions: { actor_id: sql`change.actor ->> 'id' = ${actor_id}` } },
      page,
      (where) => sql<ListedRecord>`
        select change.id, ${sortColumn('change', page)} as sort_value, ${record}::text as json
        from calendar_changes change
        where ${created}${ofParts}${where}`,
    ),
  )
}

/**
 * A change with what it replaced, as JSON, optionally for some units only. Reasons of blocks may contain guest data.
 * @throws NotFound
 */
export async function findChange(
  scope: Scope,
  id: string,
  { unitIds, showsReasons }: { unitIds: readonly string[] | undefined; showsReasons: boolean },
): Promise<string> {
  const ofUnits = unitIds ? sql` and ${matchesAny(sql`part.unit_id`, unitIds)}` : sql``
  const hidden = showsReasons ? '' : 'reason'
  const found = await first(
    scope,
    sql<{ json: string; ranges: string[]; left: string }>`
      with ${replacedNights(sql`part.org_id = ${scope.orgId} and part.change_id = ${id}${ofUnits}`)}
      select ${record}::text as json, change.nights_left::text as left,
        array(
          select json_build_object('unit_id', unit_id, 'rate_plan_id', rate_plan_id,
            'nights', (
              select json_agg(json_build_object('date_from', lower(range), 'date_to', upper(range) - 1))
              from unnest(dates) range
            ),
            'before', before - ${hidden}::text, 'after', after - ${hidden}::text,
            'price_before_cents', price_before_cents, 'price_after_cents', price_after_cents)::text
          from alike
          order by unit_id, rate_plan_id, lower(dates)
          limit ${maxRanges + 1}
        ) as ranges
      from calendar_changes change
      where change.org_id = ${scope.orgId} and change.id = ${id}`,
  )
  if (!found) throw new NotFound('calendar change', id)
  const { json, ranges, left } = found
  const shown = ranges.slice(0, maxRanges).join(',')
  const hasMore = ranges.length > maxRanges
  return `${json.slice(0, -1)},"ranges":[${shown}],"has_more_ranges":${hasMore},"left":${left}}`
}

/** The change that reverted another, with the nights that it did not restore. */
export async function findRevert(
  scope: Scope,
  id: string,
): Promise<{ change: CalendarChange; left: NightsLeft[] }> {
  const [found] = await rows(
    scope,
    sql<{ json: string; left: NightsLeft[] }>`
      select ${record}::text as json, change.nights_left as left
      from calendar_changes change
      where change.org_id = ${scope.orgId} and change.id = ${id}`,
  )
  return { change: JSON.parse(found!.json) as CalendarChange, left: found!.left }
}

const members = [...termNames, 'blocked', 'reason'].flatMap((name) => [`old_${name}`, name])

/**
 * Two CTEs: `replaced` has each night of the parts that match, `alike` groups those with equal old and new values, as
 * they are for a change that is not written yet.
 */
export const replacedNights = (condition: Fragment): Fragment => sql`
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
