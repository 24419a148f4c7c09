import type { FaultReplies } from '../http/apply-fault.ts'

export const faultReplies: FaultReplies = {
  malformed: { object: 'list', data: 'none' },
  refusal({ code }, status) {
    const type = status >= 500 ? 'api_error' : 'invalid_request_error'
    const usedCode = code ?? (status === 429 ? 'rate_limit' : undefined)
    const message = `refused with ${status} by a fault rule`
    return { error: { type, ...(usedCode && { code: usedCode }), message } }
  },
}
