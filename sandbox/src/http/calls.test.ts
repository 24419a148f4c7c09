import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCalls } from './calls.ts'

const arrived = {
  method: 'PUT',
  path: '/properties/p/units/u',
  property: 'p',
  external_id: 'u',
  idempotency_key: null,
  traceparent: null,
}

test('the last 20,000 calls are kept, under the numbers they had', () => {
  const calls = openCalls()
  for (let n = 1; n <= 20_200; n += 1) calls.record({ ...arrived, text: String(n) })
  const { calls: kept, last } = calls.after(0)
  assert.equal(last, 20_200)
  assert.equal(kept.length, 20_000)
  const { at, ...first } = kept[0] as { at: string }
  assert.ok(at)
  assert.deepEqual(first, { ...arrived, n: 201, status: null, fault: null, body: 201 })
  calls.clear()
  calls.record({ ...arrived, text: '' })
  assert.deepEqual(
    calls.after(0).calls.map((call) => (call as { n: number }).n),
    [20_201],
  )
})

test('large bodies remove earlier calls, but never the last', () => {
  const calls = openCalls()
  for (let n = 0; n < 40; n += 1) calls.record({ ...arrived, text: 'x'.repeat(1024 * 1024) })
  assert.equal(calls.after(0).calls.length, 32)
  calls.record({ ...arrived, text: 'x'.repeat(64 * 1024 * 1024) })
  assert.equal(calls.after(0).calls.length, 1)
})
