import { sql } from 'kysely'
import {
  findInAllOrganizations,
  forEachOrganization,
  type PeriodicTask,
  type TaskContext,
} from '#queue/periodic-task.ts'
import { resolveAlerts } from '#features/messaging/alerts/queries.ts'

export const sessionSchedule: readonly PeriodicTask[] = [
  { name: 'resolve-identity-conflicts', intervalMs: 600_000, run: resolveIdentityConflicts },
]

/** Resolves alerts about identity conflicts that have not occurred again for a week. */
export async function resolveIdentityConflicts(context: TaskContext): Promise<void> {
  const organizations = await findInAllOrganizations(
    context,
    sql<{ org_id: string }>`select * from identity_conflicts_to_close(interval '7 days')`,
  )
  await forEachOrganization(context, organizations, (transaction) =>
    resolveAlerts(transaction, 'member.identity_conflict', { isAny: true }),
  )
}
