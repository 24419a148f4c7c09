import { sql } from 'kysely'
import { pageClause, type PageRequest } from '#db/paging.ts'
import type { ListedRecord } from '#db/records.ts'
import { rows, type Scope } from '#db/scope.ts'

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
