import { job } from '#queue/job.ts'
import { sql } from '#db/sql.ts'
import {
  enqueueForEach,
  findInAllOrganizations,
  type PeriodicTask,
  type TaskContext,
} from '#queue/periodic-task.ts'

/** Removes the files of an organization that belong to no record. */
export const RemoveOrphanedFiles = job<Record<never, never>>({
  name: 'remove-left-files',
  queue: 'upkeep',
})

export const mediaSchedule: readonly PeriodicTask[] = [
  { name: 'remove-orphaned-files', intervalMs: 600_000, run: enqueueRemovals },
]

/** Removes the files of interrupted uploads and of deleted records. */
export async function enqueueRemovals(context: TaskContext): Promise<void> {
  const organizations = await findInAllOrganizations(
    context,
    sql<{ org_id: string }>`select * from organizations_with_left_files()`,
  )
  await enqueueForEach(context, RemoveOrphanedFiles, organizations, () => ({}))
}
