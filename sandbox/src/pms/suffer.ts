import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answer } from '../json-http.ts'
import type { Call } from './calls.ts'
import type { Strike } from './faults.ts'

/** How one provider talks nonsense and how it says no. */
export interface Manner {
  /** JSON that is not what was promised. */
  readonly nonsense: object
  readonly refuse: (res: ServerResponse, strike: Strike, status: number) => void
}

/** Lets a fault happen to one call; `over` when nothing more is to be done for it. */
export async function suffer(
  strike: Strike,
  call: Call,
  res: ServerResponse,
  { nonsense, refuse }: Manner,
  stopping: AbortSignal,
): Promise<'over' | 'goes on'> {
  const { fault } = strike
  call.fault = fault.mode
  const delayMs = fault.delay_ms ?? (fault.mode === 'slow' ? 1000 : 0)
  if (delayMs > 0) await sleep(delayMs, undefined, { signal: stopping, ref: false })
  switch (fault.mode) {
    case 'slow':
    case 'lose_reply':
    case 'refuse_values':
      return 'goes on'
    case 'down':
      res.socket?.destroy()
      return 'over'
    case 'hang':
      return 'over'
    case 'garbage':
      if (fault.code === 'shape') answer(res, 200, nonsense)
      else res.writeHead(200, { 'content-type': 'application/json' }).end(page)
      return 'over'
    case 'refuse':
    case 'rate_limit':
      refuse(res, strike, fault.status ?? (fault.mode === 'rate_limit' ? 429 : 503))
      return 'over'
  }
}

/** What a proxy or a caching server likes to answer in the place of an API. */
const page = '<html><body>It works!</body></html>'
