import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answer } from '../json-http.ts'
import { retryAfter, type Strike } from '../pms/faults.ts'

/** Lets a fault happen to one call; `over` when nothing more is to be done for it. */
export async function suffer(
  strike: Strike,
  res: ServerResponse,
  stopping: AbortSignal,
): Promise<'over' | 'goes on'> {
  const { fault } = strike
  const delayMs = fault.delay_ms ?? (fault.mode === 'slow' ? 1000 : 0)
  if (delayMs > 0) await sleep(delayMs, undefined, { signal: stopping, ref: false })
  switch (fault.mode) {
    case 'slow':
    case 'lose_reply':
      return 'goes on'
    case 'down':
      res.socket?.destroy()
      return 'over'
    case 'hang':
      return 'over'
    case 'garbage':
      answerGarbage(res, fault.code)
      return 'over'
    case 'refuse':
    case 'rate_limit':
      answerRefused(res, strike)
      return 'over'
  }
}

/** `shape` gives JSON that is not what was promised; anything else is not JSON at all. */
function answerGarbage(res: ServerResponse, code: string | undefined) {
  if (code === 'shape') return answer(res, 200, { data: 'none', meta: 7 })
  res.writeHead(200, { 'content-type': 'application/json' }).end('<html><body>It works!</body></html>')
}

function answerRefused(res: ServerResponse, strike: Strike) {
  const { mode, status = mode === 'rate_limit' ? 429 : 503 } = strike.fault
  const [named, title] = known[status] ?? ['refused', 'Refused']
  const wait = retryAfter(strike)
  const headers = wait === undefined ? {} : { 'retry-after': wait }
  answer(res, status, { errors: { code: strike.fault.code ?? named, title } }, headers)
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
