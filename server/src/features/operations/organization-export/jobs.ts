import { job } from '#queue/job.ts'

/** Writes the file of an export. */
export const RunExport = job<{ exportId: string }>({
  name: 'run-export',
  queue: 'upkeep',
  key: ({ exportId }) => exportId,
})

/** Deletes an export with its file. */
export const DeleteExport = job<{ exportId: string }>({
  name: 'delete-export',
  queue: 'upkeep',
  key: ({ exportId }) => exportId,
})
