import { answer } from '../json-http.ts'
import { retryAfter } from '../pms/faults.ts'
import type { Manner } from '../pms/suffer.ts'
import { Fail, failure, tooMany } from './envelope.ts'

/** How Hostaway says no. It promises no `retry-after`, so there is one only if the rule names it. */
export const manner: Manner = {
  nonsense: { status: 'success', result: 'none', count: '7' },
  refuse(res, strike, status) {
    const { code, retry_after } = strike.fault
    const fail =
      status === 429 ? tooMany() : new Fail(status, code ?? `refused with ${status}, as it was told to`)
    const wait = retry_after === undefined ? undefined : retryAfter(strike)
    answer(res, status, failure(fail).body, wait === undefined ? {} : { 'retry-after': wait })
  },
}
