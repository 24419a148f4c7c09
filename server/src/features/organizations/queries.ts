import { sql } from 'kysely'
import { first, rows, type Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { filters, type PageRequest } from '#http/paging.ts'
import type { Listed, Stored } from '#http/replies.ts'
import type { Defaults } from './organization.ts'

/**
 * The organizations of the caller. Each is read under its own tenancy, because no setting shows two at once;
 * people belong to a few, so they are ordered and cut to the page here.
 */
export async function listOrganizations(
  scope: Scope,
  ids: readonly string[],
  filter: object,
  { limit, sort, after }: PageRequest,
): Promise<Listed[]> {
  const descending = sort.startsWith('-')
  const column = sql.ref(`o.${sort.replace(/^-/, '')}`)
  const value = sort.endsWith('_at') ? sql`iso(${column})` : column
  const found = await Promise.all(
    ids.map((id) =>
      rows(
        { ...scope, orgId: id },
        sql<Listed>`select id, json, ${value} as sort_value from organizations o
          where id = ${id}${filters('o', filter)}`,
      ),
    ),
  )
  const order = (a: Place, b: Place) => {
    const [left, right] = a.value === b.value ? [a.id, b.id] : [a.value, b.value]
    return (left < right ? -1 : left > right ? 1 : 0) * (descending ? -1 : 1)
  }
  return found
    .flat()
    .filter((row) => !after || order(placeOf(row), after) > 0)
    .sort((a, b) => order(placeOf(a), placeOf(b)))
    .slice(0, limit + 1)
}

interface Place {
  value: string
  id: string
}
const placeOf = ({ sort_value, id }: Listed): Place => ({ value: sort_value, id })

export async function findOrganization(scope: Scope, ids: readonly string[], id: string): Promise<Stored> {
  const found = ids.includes(id)
    ? await first(
        { ...scope, orgId: id },
        sql<Stored>`select json, version from organizations where id = ${id}`,
      )
    : undefined
  if (!found) throw new NotFound('organization', id)
  return found
}

export async function defaultsOf(scope: Scope): Promise<Defaults> {
  const row = await first(
    scope,
    sql<Defaults>`select coalesce(settings ->> 'default_currency', 'usd') as currency,
    coalesce(settings ->> 'default_timezone', 'UTC') as timezone from organizations where id = ${scope.orgId}`,
  )
  return { currency: row!.currency.toLowerCase(), timezone: row!.timezone }
}
