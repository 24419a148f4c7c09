import { job } from '#queue/job.ts'

/** Brings the PMS of a target up to date with all its listings that are due. */
export const SyncTarget = job<{ targetId: string }>({
  name: 'sync-target',
  queue: 'sync',
  key: ({ targetId }) => targetId,
  resource: ({ targetId }) => targetId,
})

/** Checks whether the PMS of a target responds and accepts the credentials. */
export const CheckTarget = job<{ targetId: string }>({
  name: 'check-target',
  queue: 'sync',
  key: ({ targetId }) => targetId,
  resource: ({ targetId }) => targetId,
})

/** Verifies the due listings of a target: reads the PMS back, or follows its tasks. */
export const VerifyTarget = job<{ targetId: string }>({
  name: 'read-target-back',
  queue: 'verification',
  key: ({ targetId }) => targetId,
})
