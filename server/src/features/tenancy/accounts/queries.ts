import { sql } from 'kysely'
import { first, rows, type Scope } from '#db/scope.ts'
import { NotFound, unknownReference } from '#errors.ts'
import { filterClause, pageClause, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord, StoredRecord } from '#db/records.ts'

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
