import { sql, type RawBuilder } from 'kysely'
import { containsPattern, matchesAny, type PageRequest } from '#db/paging.ts'
import type { Scope } from '#db/scope.ts'
import type { SyncFilter } from './sync-ranges.ts'

/** The units of a tile, and their order. */

export interface TileFilter {
  readonly unit_id?: readonly string[]
  readonly space_id?: readonly string[]
  readonly channel_target_id?: readonly string[]
  readonly status?: readonly string[]
  readonly sync_state?: readonly SyncFilter[]
  readonly q?: string
}

const hasListing = (
  scope: Scope,
  { channel_target_id }: TileFilter,
  condition: RawBuilder<unknown>,
) => sql`exists (
  select 1
  from listing_syncs sync
  where sync.org_id = ${scope.orgId}
    and sync.unit_id = unit.id
    ${channel_target_id ? sql`and ${matchesAny(sql`sync.channel_target_id`, channel_target_id)}` : sql``}
    and ${condition})`

const syncConditions: Record<Exclude<SyncFilter, 'synced' | 'unlinked'>, RawBuilder<unknown>> = {
  failing: sql`sync.error_code is not null`,
  stale: sql`sync.stale_since is not null`,
  behind: sql`sync.wanted_version > sync.synced_version`,
  unverified: sql`sync.unverified_since is not null`,
}

export function filterUnits(scope: Scope, filter: TileFilter): RawBuilder<unknown> {
  const { unit_id, space_id, channel_target_id, status, sync_state, q } = filter
  const hasAny = hasListing(scope, filter, sql`true`)
  const isAnyOf = (states: readonly SyncFilter[]) =>
    sql.join(
      states.map((state) => {
        if (state === 'unlinked') return sql`not ${hasAny}`
        if (state !== 'synced') return hasListing(scope, filter, syncConditions[state])
        const isOff = sql`(${sql.join(Object.values(syncConditions), sql` or `)})`
        return sql`(${hasAny} and not ${hasListing(scope, filter, isOff)})`
      }),
      sql` or `,
    )
  const conditions = [
    ...(unit_id ? [matchesAny(sql`unit.id`, unit_id)] : []),
    ...(space_id ? [matchesAny(sql`unit.space_id`, space_id)] : []),
    ...(status ? [matchesAny(sql`unit.status`, status)] : []),
    // A filter for units without a listing at a channel excludes those with one.
    ...(channel_target_id && !sync_state?.includes('unlinked') ? [hasAny] : []),
    ...(sync_state ? [sql`(${isAnyOf(sync_state)})`] : []),
    ...(q ? [sql`(unit.name ilike ${containsPattern(q)} or space.name ilike ${containsPattern(q)})`] : []),
  ]
  return sql.join(
    conditions.map((condition) => sql`and ${condition}`),
    sql` `,
  )
}

const isBySpace = ({ sort }: PageRequest) => sort.endsWith('space')
const isDescending = ({ sort }: PageRequest) => sort.startsWith('-')

/**
 * Joins the space of each unit. In the order of the units it is read for one unit after the other until the page is full:
 * in a join, a plan for any organization sorts all units of a large one, 45 ms instead of 8 for 20,000.
 */
export function spaceOfUnit(page: PageRequest): RawBuilder<unknown> {
  const isSpace = sql`space.org_id = unit.org_id and space.id = unit.space_id`
  return isBySpace(page)
    ? sql`join spaces space on ${isSpace}`
    : sql`cross join lateral (select space.* from spaces space where ${isSpace} offset 0) space`
}

/** The sort value of the units, for the cursor. */
export const sortValue = (
  page: PageRequest,
  row: { name: string; space_id: string; space_name: string },
): string => (isBySpace(page) ? JSON.stringify([row.space_name, row.space_id, row.name]) : row.name)

export function orderOf(page: PageRequest, id: 'unit.id' | 'chosen.id'): RawBuilder<unknown> {
  const isUnit = id === 'unit.id'
  const bySpace = isUnit
    ? ['space.name', 'space.id', 'unit.name']
    : ['chosen.space_name', 'chosen.space_id', 'chosen.name']
  const columns = [...(isBySpace(page) ? bySpace : bySpace.slice(2)), id]
  const direction = sql.raw(isDescending(page) ? 'desc' : 'asc')
  return sql.join(columns.map((column) => sql`${sql.ref(column)} ${direction}`))
}

export function afterCursor(page: PageRequest): RawBuilder<unknown> {
  if (!page.after) return sql``
  const { value, id } = page.after
  const comparison = sql.raw(isDescending(page) ? '<' : '>')
  if (!isBySpace(page)) return sql`and (unit.name, unit.id) ${comparison} (${value}::text, ${id}::uuid)`
  const [spaceName, spaceId, name] = JSON.parse(value) as [string, string, string]
  return sql`and (space.name, space.id, unit.name, unit.id) ${comparison}
    (${spaceName}::text, ${spaceId}::uuid, ${name}::text, ${id}::uuid)`
}

export const unknownNames = ({ orgId }: Scope, { unit_id, space_id }: TileFilter) => {
  const unknown = (table: 'units' | 'spaces', ids: readonly string[] | undefined) =>
    ids
      ? sql`(
          select named.id
          from unnest(${ids}::uuid[]) named (id)
          where not exists (
            select 1
            from ${sql.table(table)} known
            where known.org_id = ${orgId}
              and known.id = named.id
              and known.deleted_at is null
          )
          limit 1
        )`
      : sql`null::uuid`
  return sql`${unknown('units', unit_id)} as unknown_unit, ${unknown('spaces', space_id)} as unknown_space`
}
