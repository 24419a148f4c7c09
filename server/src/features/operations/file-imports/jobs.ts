import { job } from '#queue/job.ts'

/** Continues an import of a file: plans its rows, or makes what they say. */
export const ContinueFileImport = job<{ importId: string }>({
  name: 'continue-file-import',
  queue: 'upkeep',
  key: ({ importId }) => importId,
})
