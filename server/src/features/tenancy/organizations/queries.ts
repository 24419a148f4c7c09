import { sql } from '#db/sql.ts'
import { exceptMoved, first, rows, type Scope } from '#db/scope.ts'
import { NotFound, unknownReference } from '#errors.ts'
import { filterClause, type PageRequest, pageClause, sortColumn } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'
import type { SpaceDefaults } from './organization.ts'

/**
 * The organizations of the caller. Row-level security shows one organization at a time, so each is read in a scope of its
 * own. A caller belongs to a few, so they are sorted and cut to the page in memory.
 */
export async function listOrganizations(
  scope: Scope,
  ids: readonly string[],
  filter: object,
  page: PageRequest,
): Promise<ListedRecord[]> {
  const { limit, sort, after } = page
  const descending = sort.startsWith('-')
  const column = sortColumn('organization', page)
  const value = sort.endsWith('_at') ? sql`iso(${column})` : column
  const found = await Promise.all(
    ids.map((id) =>
      exceptMoved(
        rows(
          { ...scope, orgId: id },
          sql<ListedRecord>`
            select id, json, ${value} as sort_value
            from organizations organization
            where id = ${id}${filterClause('organization', filter)}`,
        ),
      ),
    ),
  )
  const compareKeys = (a: SortKey, b: SortKey) => {
    const [left, right] = a.value === b.value ? [a.id, b.id] : [a.value, b.value]
    return (left < right ? -1 : left > right ? 1 : 0) * (descending ? -1 : 1)
  }
  return found
    .flat()
    .filter((row) => !after || compareKeys(sortKeyOf(row), after) > 0)
    .sort((a, b) => compareKeys(sortKeyOf(a), sortKeyOf(b)))
    .slice(0, limit + 1)
}

interface SortKey {
  value: string
  id: string
}
const sortKeyOf = ({ sort_value, id }: ListedRecord): SortKey => ({ value: sort_value, id })

export async function findOrganization(
  scope: Scope,
  ids: readonly string[],
  id: string,
): Promise<StoredRecord> {
  const found = ids.includes(id)
    ? await first(
        { ...scope, orgId: id },
        sql<StoredRecord>`select json, version from organizations where id = ${id}`,
      )
    : undefined
  if (!found) throw new NotFound('organization', id)
  return found
}

export async function findSpaceDefaults(scope: Scope): Promise<SpaceDefaults> {
  const row = await first(
    scope,
    sql<SpaceDefaults>`
      select ${defaultOfSpaces.currency} as currency, ${defaultOfSpaces.timezone} as timezone
      from organizations
      where id = ${scope.orgId}`,
  )
  return row!
}

/** Of a row of `organizations`. */
const defaultOfSpaces = {
  currency: sql<string>`lower(coalesce(settings ->> 'default_currency', 'usd'))`,
  timezone: sql<string>`coalesce(settings ->> 'default_timezone', 'UTC')`,
}

/** A default of spaces, for the statement that inserts one. */
export const selectSpaceDefault = ({ orgId }: Scope, name: keyof SpaceDefaults) =>
  sql`(select ${defaultOfSpaces[name]} from organizations where id = ${orgId})`

export const listAccounts = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<ListedRecord>`
      select account.id, account.json, ${sortColumn('account', page)} as sort_value
      from accounts account
      where account.org_id = ${scope.orgId}
        ${filterClause('account', filter, ['org_id', 'type'])}${pageClause('account', page)}`,
  )

export async function findAccount(scope: Scope, id: string): Promise<StoredRecord> {
  const found = await first(
    scope,
    sql<StoredRecord>`select json, version from accounts where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('account', id)
  return found
}

/** Returns the account of a new record: the given one, or that of the caller. @throws Invalid when it does not exist */
export async function resolveAccountId(scope: Scope, given: string | null | undefined): Promise<string> {
  const id = given ?? scope.accountId
  const found =
    id && (await first(scope, sql`select 1 from accounts where org_id = ${scope.orgId} and id = ${id}`))
  if (!found) throw unknownReference('account_id', 'account')
  return id
}

export const listMembers = (scope: Scope, page: PageRequest) =>
  rows(
    scope,
    sql<ListedRecord>`
      select
        member.id, member.created_at as sort_value,
        json_build_object(
          'id', member.id, 'org_id', member.org_id, 'account_id', member.account_id, 'name', member.name,
          'email', member.email, 'role', member.role, 'created_at', iso(member.created_at)
        )::text as json
      from members member
      where member.org_id = ${scope.orgId}
        and member.status = 'active'${pageClause('member', page)}`,
  )
