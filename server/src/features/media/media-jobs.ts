import { job } from '#queue/job.ts'

/** Removes the files of an organization that no record keeps, or keeps any longer. */
export const RemoveLeftFiles = job<Record<never, never>>({
  name: 'remove-left-files',
  queue: 'upkeep',
})
