import type { Database } from '#db/connect.ts'
import type { Outbox, Scope } from '#db/scope.ts'

/** What upkeep works with. */
export interface Keeper {
  readonly database: Database
  readonly outbox: Outbox
}

export const scopeOf = ({ database, outbox }: Keeper, orgId: string): Scope => ({
  orgId,
  accountId: null,
  actor: { type: 'system', id: 'upkeep', name: 'Vacancy' },
  traceparent: null,
  database,
  outbox,
})
