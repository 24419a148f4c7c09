import { sql } from '#db/sql.ts'
import type { Transaction } from '#db/scope.ts'
import type { StoredRecord } from '#db/records.ts'
import type { RecordEvent } from '#features/messaging/events/event.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'

/** Records the events, and notifies the streams, that rate plans were created, changed or deleted. */
export const recordPlanEvents = (
  transaction: Transaction,
  type: 'rate_plan.created' | 'rate_plan.updated' | 'rate_plan.deleted',
  plans: readonly StoredRecord[],
): Promise<void> =>
  recordEvents(
    transaction,
    plans.map(({ json }) => {
      const rate_plan = JSON.parse(json) as { id: string; account_id: string }
      return { type, accountId: rate_plan.account_id, subjectId: rate_plan.id, data: { rate_plan } }
    }),
  )

/** The event of a plan that is created with its unit, and is not read. */
export const planCreated = ({ orgId }: Transaction, id: string): RecordEvent => ({
  type: 'rate_plan.created',
  subjectId: id,
  record: sql`
    select account_id, json_build_object('rate_plan', json::json) as data
    from rate_plans
    where org_id = ${orgId} and id = ${id}`,
})
