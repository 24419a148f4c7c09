import type { FaultReplies } from '../http/apply-fault.ts'

export const faultReplies: FaultReplies = {
  malformed: { data: 'none', meta: 7 },
  refusal({ code }, status) {
    const [usualCode, title] = known[status] ?? ['refused', 'Refused']
    return { errors: { code: code ?? usualCode, title } }
  },
}

const known: Record<number, [code: string, title: string]> = {
  400: ['bad_request', 'Bad Request'],
  401: ['unauthorized', 'Unauthorized'],
  403: ['forbidden', 'Forbidden'],
  404: ['not_found', 'Resource Not Found'],
  422: ['validation_error', 'Validation Error'],
  429: ['http_too_many_requests', 'Too Many Requests'],
  500: ['internal_server_error', 'Internal Server Error'],
  502: ['bad_gateway', 'Bad Gateway'],
  503: ['service_unavailable', 'Service Unavailable'],
}
