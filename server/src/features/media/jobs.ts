import type { Storage } from '#outside/storage/storage.ts'
import { handle } from '#queue/job.ts'
import { RemoveLeftFiles } from './media-jobs.ts'
import { removeLeftFiles } from './remove-left-files.ts'

export const mediaJobs = (storage: Storage) => [
  handle(RemoveLeftFiles, (scope, _, { signal }) => removeLeftFiles(scope, storage, signal)),
]
