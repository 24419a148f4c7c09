import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import {
  backgroundWaitMs,
  updateFromResponse,
  noCalls,
  budgetState,
  recordCall,
  recordSlowCall,
  slowCallMs,
  waitMs,
  type CallHistory,
} from './call-budget.ts'

const budget = { kind: 'restrictions', calls: 10, windowSeconds: 60 }
const response = { status: 200, retryAfter: null, limit: null, remaining: null, resetAt: null }
const start = Date.parse('2026-01-01T00:00:00Z')

/** Sends each call as soon as it is allowed, at these intervals at the earliest. */
function sendAll(pauses: number[], limit = budget): number[] {
  let spent: CallHistory = noCalls
  let now = start
  return pauses.map((pause) => {
    now += pause
    now += Math.ceil(waitMs(limit, spent, now))
    assert.ok(waitMs(limit, spent, now) <= 0, 'it may be sent when the wait is over')
    spent = recordCall(limit, spent, now)
    return now
  })
}

suite('call budget', () => {
  test('no window contains more calls than the PMS allows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 80 }),
        fc.record({
          calls: fc.integer({ min: 1, max: 20 }),
          windowSeconds: fc.integer({ min: 1, max: 120 }),
        }),
        (pauses, limits) => {
          const limit = { kind: 'calls', ...limits }
          const sent = sendAll(pauses, limit)
          sent.forEach((from) => {
            const inside = sent.filter((at) => at >= from && at < from + limit.windowSeconds * 1_000)
            assert.ok(inside.length <= limit.calls, `${inside.length} of ${limit.calls}`)
          })
        },
      ),
    )
  })

  test('no window contains more calls than the PMS allows, however late they arrive', () => {
    const call = fc.record({
      pause: fc.nat(2_000),
      lasts: fc.nat(5_000),
      arrives: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(call, { minLength: 10, maxLength: 80 }), (calls) => {
        const limit = { kind: 'calls', calls: 5, windowSeconds: 10 }
        let spent: CallHistory = noCalls
        let now = start
        const arrivals = calls.map(({ pause, lasts, arrives }) => {
          now += pause
          now += Math.ceil(waitMs(limit, spent, now))
          const permittedAt = now
          spent = recordCall(limit, spent, permittedAt)
          now += lasts
          if (lasts > slowCallMs) spent = recordSlowCall(spent, permittedAt, now)
          return permittedAt + lasts * arrives
        })
        for (const from of arrivals) {
          const inside = arrivals.filter((at) => at >= from && at < from + limit.windowSeconds * 1_000)
          assert.ok(inside.length <= limit.calls, `${inside.length} of ${limit.calls}`)
        }
      }),
    )
  })

  test('allows the first half at once, and spreads the rest over the window', () => {
    const sent = sendAll(Array<number>(10).fill(0)).map((at) => (at - start) / 1_000)
    assert.deepEqual(sent.slice(0, 5), [0, 0, 0, 0, 0])
    const gaps = sent.slice(5).map((at, index) => at - sent[index + 4]!)
    for (const gap of gaps) assert.ok(gap >= 5 && gap <= 15, String(gaps))
  })

  test('a constant stream uses nearly the whole budget', () => {
    const sent = sendAll(Array<number>(101).fill(0))
    const minutes = (sent.at(-1)! - start) / 60_000
    assert.ok(minutes < 10.5, `${minutes} minutes for 101 calls`)
  })

  test('a 429 stops calls until Retry-After, otherwise for longer each time', () => {
    const retryAfter = new Date(start + 17_000)
    assert.equal(
      waitMs(
        budget,
        updateFromResponse(budget, noCalls, { ...response, status: 429, retryAfter }, start),
        start,
      ),
      17_000,
    )
    let spent = noCalls
    const waits = [1, 2, 3, 4, 5].map(() => {
      spent = updateFromResponse(budget, spent, { ...response, status: 429 }, start)
      return waitMs(budget, spent, start)
    })
    assert.deepEqual(waits, [6_000, 12_000, 24_000, 48_000, 60_000])
    spent = updateFromResponse(budget, spent, response, start + 60_000)
    assert.equal(
      waitMs(
        budget,
        updateFromResponse(budget, spent, { ...response, status: 429 }, start + 60_000),
        start + 60_000,
      ),
      6_000,
    )
  })

  test('applies a limit of the PMS that is lower than the documented one', () => {
    const spent = updateFromResponse(budget, noCalls, { ...response, limit: 2 }, start)
    const twice = recordCall(budget, recordCall(budget, spent, start), start)
    assert.ok(waitMs(budget, twice, start) > 59_000)
    assert.equal(budgetState(budget, twice, start).limit, 2)
    assert.equal(
      budgetState(budget, updateFromResponse(budget, noCalls, { ...response, limit: 500 }, start), start)
        .limit,
      10,
    )
  })

  test('a limit that the PMS has raised again applies at once', () => {
    const reduced = updateFromResponse(budget, noCalls, { ...response, limit: 2 }, start)
    for (const limit of [5, 10, 500]) {
      const raised = updateFromResponse(budget, reduced, { ...response, limit }, start)
      assert.equal(budgetState(budget, raised, start).limit, Math.min(limit, 10))
    }
    const unsaid = updateFromResponse(budget, reduced, response, start)
    assert.equal(budgetState(budget, unsaid, start).limit, 2)
  })

  test('two targets of one property with different settings count the calls of both', () => {
    const few = { kind: 'restrictions', calls: 2, windowSeconds: 4 }
    let spent = noCalls
    for (let call = 0; call < 10; call++) spent = recordCall(budget, spent, start + 5_000 * call)
    spent = recordCall(few, spent, start + 50_000)
    assert.equal(budgetState(budget, spent, start + 50_000).remaining, 0)
    assert.ok(waitMs(budget, spent, start + 50_000) > 0)
    assert.equal(budgetState(few, spent, start + 50_000).remaining, 1)
  })

  test('read-backs leave half of each window to pushes', () => {
    let spent = noCalls
    for (let call = 1; call <= 5; call++) {
      assert.equal(backgroundWaitMs(budget, spent, start), 0, `before call ${call}`)
      spent = recordCall(budget, spent, start)
    }
    assert.ok(backgroundWaitMs(budget, spent, start) >= 60_000)
    const pushed = recordCall(budget, spent, start + waitMs(budget, spent, start))
    assert.ok(pushed.sent.at(-1)! < start + 60_000, 'a push goes within the same window')
    assert.equal(backgroundWaitMs(budget, spent, start + 60_250), 0)
  })

  test('allows no call before the reset when none remain', () => {
    const resetAt = new Date(start + 9_000)
    const spent = updateFromResponse(budget, noCalls, { ...response, remaining: 0, resetAt }, start)
    assert.equal(waitMs(budget, spent, start), 9_000)
    assert.equal(budgetState(budget, spent, start).next_call_at, resetAt.toISOString())
  })
})
