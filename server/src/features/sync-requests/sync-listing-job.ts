import { job } from '#queue/job.ts'

/** Brings the PMS up to date with one listing. */
export const SyncListing = job<{ listingId: string }>({
  name: 'sync-listing',
  queue: 'sync',
  key: ({ listingId }) => listingId,
})

/** Asks a target's PMS whether it answers and accepts the credentials. */
export const CheckTarget = job<{ targetId: string }>({
  name: 'check-target',
  queue: 'sync',
  key: ({ targetId }) => targetId,
})
