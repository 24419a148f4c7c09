import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answer } from '../json-http.ts'
import type { Call } from '../pms/calls.ts'
import { retryAfter, type Strike } from '../pms/faults.ts'
import { Fail, failure, tooMany } from './envelope.ts'

/** Lets a fault happen in the vendor's manner; `over` when nothing more is to be done for this call. */
export async function suffer(strike: Strike, call: Call, res: ServerResponse, stopping: AbortSignal) {
  const { fault } = strike
  call.fault = fault.mode
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
      if (fault.code === 'shape') answer(res, 200, { status: 'success', result: 'none', count: '7' })
      else res.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>It works!</body></html>')
      return 'over'
    case 'refuse':
    case 'rate_limit':
      answerRefused(res, strike)
      return 'over'
  }
}

/** The vendor promises no `retry-after`, so there is one only if the rule names it. */
function answerRefused(res: ServerResponse, strike: Strike) {
  const { mode, status = mode === 'rate_limit' ? 429 : 503, code, retry_after } = strike.fault
  const fail =
    status === 429 ? tooMany() : new Fail(status, code ?? `refused with ${status}, as it was told to`)
  const wait = retry_after === undefined ? undefined : retryAfter(strike)
  answer(res, status, failure(fail).body, wait === undefined ? {} : { 'retry-after': wait })
}
