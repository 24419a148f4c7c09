import { sql } from 'kysely'
import { first, rows, type Scope } from '#db/scope.ts'
import { NotFound, unknownReference } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import type { Listed, Stored } from '#http/replies.ts'

export const listAccounts = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<Listed>`select a.id, a.json, ${sortColumn('a', page)} as sort_value from accounts a
      where a.org_id = ${scope.orgId}${filters('a', filter, ['org_id', 'type'])}${pageClause('a', page)}`,
  )

export async function findAccount(scope: Scope, id: string): Promise<Stored> {
  const found = await first(
    scope,
    sql<Stored>`select json, version from accounts where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('account', id)
  return found
}

/** The account that a new record belongs to: the one named, else the caller's. */
export async function accountFor(scope: Scope, named: string | null | undefined): Promise<string> {
  const id = named ?? scope.accountId
  const found =
    id && (await first(scope, sql`select 1 from accounts where org_id = ${scope.orgId} and id = ${id}`))
  if (!found) throw unknownReference('account_id', 'account')
  return id
}
