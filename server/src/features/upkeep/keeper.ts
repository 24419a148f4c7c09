import type { Database } from '#db/connect.ts'
import { atomically, type Outbox, type Scope } from '#db/scope.ts'
import { enqueue, type Job } from '#queue/job.ts'

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

/** One job for each row that was found, in a transaction for each organization. */
export async function enqueueAll<Row extends { org_id: string }, Payload extends object>(
  { database, outbox }: Keeper,
  job: Job<Payload>,
  found: Row[],
  payload: (row: Row) => Payload,
) {
  for (const [orgId, those] of Map.groupBy(found, ({ org_id }) => org_id)) {
    await atomically(scopeOf({ database, outbox }, orgId), (transaction) =>
      enqueue(
        transaction,
        job,
        those.map((row) => ({ payload: payload(row) })),
      ),
    )
  }
}
