import { sql } from 'kysely'
import { first, rows, type Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { pageClause, type PageRequest } from '#http/paging.ts'
import type { Stored } from '#http/replies.ts'
import type { Defaults } from './organization.ts'

interface Row extends Stored {
  id: string
  sort_value: string
}

const sortValue = ({ sort }: PageRequest) => sql.ref(`o.${sort.replace(/^-/, '')}`)

/**
 * The organizations of the caller. Each is read under its own tenancy, because no setting shows two at once;
 * people belong to a few.
 */
export async function listOrganizations(
  scope: Scope,
  ids: readonly string[],
  page: PageRequest,
): Promise<Row[]> {
  const found = await Promise.all(
    ids.map((id) =>
      rows(
        { ...scope, orgId: id },
        sql<Row>`select id, json, version, ${sortValue(page)}::text as sort_value
          from organizations o where id = ${id}${pageClause('o', page)}`,
      ),
    ),
  )
  const turn = page.sort.startsWith('-') ? -1 : 1
  return found
    .flat()
    .sort((a, b) => turn * (a.sort_value < b.sort_value ? -1 : 1))
    .slice(0, page.limit + 1)
}

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
