import { sql } from '#db/sql.ts'
import { rows, type Scope } from '#db/scope.ts'
import { buildPageQuery, rareValues, sortColumn, type PageRequest } from '#db/paging.ts'
import type { ListedRecord } from '#db/records.ts'

const listColumns = {
  columns: ['org_id', 'account_id', 'payment_intent_id', 'status', 'reason'],
  indexed: ['payment_intent_id'],
  usual: { status: { values: ['succeeded'], others: sql`refund.status <> 'succeeded'` } },
  lookups: rareValues('payment_refunds', ['account_id', 'reason']),
}

export const listRefunds = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    buildPageQuery(
      'refund',
      filter,
      listColumns,
      page,
      (where) => sql<ListedRecord>`
        select refund.id, refund.json, ${sortColumn('refund', page)} as sort_value
        from payment_refunds refund
        where refund.org_id = ${scope.orgId}${where}`,
    ),
  )
