import { job } from '#queue/job.ts'
import type { NoticeBody } from '#outside/pms/pms-notice.ts'

/** Acts on what a PMS told. Each kind has its own name, such as `pms.booking.created`. */
export const ActOnMessage = job<{ messageId: string; targetId?: string; body: NoticeBody }>({
  name: 'pms.*',
  queue: 'webhooks',
  key: ({ messageId }) => messageId,
  resource: ({ targetId }) => targetId,
})
