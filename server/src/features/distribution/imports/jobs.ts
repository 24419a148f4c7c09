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
