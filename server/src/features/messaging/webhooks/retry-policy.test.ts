import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseRetryAfter, retryDelayMs, retryDelaysMs } from './retry-policy.ts'

const after = (attempts: number, random: number, retryAfterMs: number | null = null) =>
  retryDelayMs(attempts, retryAfterMs, random)

suite('the retry policy', () => {
  test('uses the delays of Standard Webhooks', () => {
    const delays = retryDelaysMs.map((ms) =>
      ms < 60_000 ? `${ms / 1_000} s` : ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`,
    )
    assert.deepEqual(delays, ['5 s', '5 min', '30 min', '2 h', '5 h', '10 h', '14 h', '20 h', '24 h'])
  })

  test('varies each delay by a fifth, and ends after the tenth attempt', () => {
    for (const [at, delay] of retryDelaysMs.entries()) {
      assert.equal(after(at + 1, 0), delay * 0.8)
      assert.equal(after(at + 1, 0.5), delay)
      assert.equal(after(at + 1, 1), delay * 1.2)
    }
    assert.equal(after(10, 0.5), null)
  })

  test('respects a longer Retry-After, and ignores a shorter one', () => {
    assert.equal(after(1, 0.5, 60_000), 60_000)
    assert.equal(after(2, 0.5, 1_000), 300_000)
    assert.equal(after(10, 0.5, 1_000), null)
  })

  test('reads Retry-After as seconds or a date, up to a day', () => {
    const parse = (header: string | undefined) => parseRetryAfter(header, Date.parse('2030-01-01T00:00:00Z'))
    assert.equal(parse('120'), 120_000)
    assert.equal(parse('Tue, 01 Jan 2030 00:02:00 GMT'), 120_000)
    assert.equal(parse('999999999'), 86_400_000)
    for (const header of [undefined, '', '0', '-5', 'soon', 'Tue, 01 Jan 2019 00:00:00 GMT'])
      assert.equal(parse(header), null, header)
  })
})
