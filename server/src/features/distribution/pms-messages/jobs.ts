import { job } from '#queue/job.ts'
import type { NoticeBody } from '#integrations/pms/pms-notice.ts'

/** Processes a message of a PMS. Each kind of message has a variant, such as `pms.booking.created`. */
export const ProcessMessage = job<{ messageId: string; targetId?: string; body: NoticeBody }>({
  name: 'pms.*',
  queue: 'webhooks',
  key: ({ messageId }) => messageId,
  resource: ({ targetId }) => targetId,
})

/** The delay before each retry of a message that could not be processed; after the last retry it has failed. */
export const retryDelaysMs = [10_000, 30_000, 120_000, 600_000] as const
