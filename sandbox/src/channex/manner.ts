import { answer } from '../json-http.ts'
import { retryAfter } from '../pms/faults.ts'
import type { Manner } from '../pms/suffer.ts'

/** How Channex says no. */
export const manner: Manner = {
  nonsense: { data: 'none', meta: 7 },
  refuse(res, strike, status) {
    const [named, title] = known[status] ?? ['refused', 'Refused']
    const wait = retryAfter(strike)
    const headers = wait === undefined ? {} : { 'retry-after': wait }
    answer(res, status, { errors: { code: strike.fault.code ?? named, title } }, headers)
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
