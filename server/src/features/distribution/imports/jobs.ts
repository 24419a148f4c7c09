import type { Actor } from '#db/scope.ts'
import { job } from '#queue/job.ts'

/** Continues an import: plans it, or makes its units, bookings and blocks. */
export const ContinueImport = job<{ importId: string }>({
  name: 'continue-import',
  queue: 'upkeep',
  key: ({ importId }) => importId,
})

/** Downloads photos of an import. */
export const ImportPhotos = job<{ importId: string }>({
  name: 'import-photos',
  queue: 'upkeep',
  key: ({ importId }) => importId,
})

/** Resumes the listings of an import, for the person who asked for it. */
export const GoLive = job<{ importId: string; actor: Actor }>({
  name: 'go-live',
  queue: 'upkeep',
  key: ({ importId }) => importId,
})
