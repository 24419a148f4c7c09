import type { FaultReplies } from '../http/apply-fault.ts'

export const faultReplies: FaultReplies = {
  malformed: { unit: [], units: 'none', status: 7, accepted: 'some', refused: 'none' },
  refusal: ({ code, message }, status) => ({
    error: {
      code: code ?? codes[status] ?? 'refused',
      message: message ?? `refused with ${status} by a fault rule`,
    },
  }),
}

const codes: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'unknown_unit',
  409: 'conflict',
  422: 'invalid',
  429: 'rate_limited',
  500: 'server_error',
  502: 'bad_gateway',
  503: 'unavailable',
}
