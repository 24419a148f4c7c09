import type { FaultReplies } from '../http/apply-fault.ts'
import { ApiError, tooManyRequests } from './envelope.ts'

/** Hostaway promises no `retry-after`, so there is one only if the rule names it. */
export const faultReplies: FaultReplies = {
  malformed: { status: 'success', result: 'none', count: '7' },
  refusal({ code }, status) {
    if (status === 429) return tooManyRequests().body
    return new ApiError(status, code ?? `refused with ${status} by a fault rule`).body
  },
  omitsRetryAfter: true,
}
