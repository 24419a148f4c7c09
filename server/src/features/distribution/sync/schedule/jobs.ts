import { job } from '#queue/job.ts'

/** Brings the PMS of a target up to date with all its listings that are due. */
export const SyncTarget = job<{ targetId: string }>({
  name: 'sync-target',
  queue: 'sync',
  key: ({ targetId }) => targetId,
  resource: ({ targetId }) => targetId,
})

/** Asks a target's PMS whether it answers and accepts the credentials. */
export const CheckTarget = job<{ targetId: string }>({
  name: 'check-target',
  queue: 'sync',
  key: ({ targetId }) => targetId,
  resource: ({ targetId }) => targetId,
})

/** Reads a target's PMS back, and follows its tasks, for the listings whose turn has come. */
export const VerifyTarget = job<{ targetId: string }>({
  name: 'read-target-back',
  queue: 'verification',
  key: ({ targetId }) => targetId,
})
