import { job } from '#queue/job.ts'

/** Removes the files of an organization that belong to no record. */
export const RemoveOrphanedFiles = job<Record<never, never>>({
  name: 'remove-left-files',
  queue: 'upkeep',
})
