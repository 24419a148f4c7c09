import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { patienceMs, retryInMs, waitsMs } from './schedule.ts'

const after = (attempts: number, random: number, askedMs: number | null = null) =>
  retryInMs(attempts, askedMs, random)

suite('the schedule', () => {
  test('is that of Standard Webhooks', () => {
    const spoken = waitsMs.map((ms) =>
      ms < 60_000 ? `${ms / 1_000} s` : ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`,
    )
    assert.deepEqual(spoken, ['5 s', '5 min', '30 min', '2 h', '5 h', '10 h', '14 h', '20 h', '24 h'])
  })

  test('each wait may be a fifth shorter or longer, and nothing comes after the tenth attempt', () => {
    for (const [at, wait] of waitsMs.entries()) {
      assert.equal(after(at + 1, 0), wait * 0.8)
      assert.equal(after(at + 1, 0.5), wait)
      assert.equal(after(at + 1, 1), wait * 1.2)
    }
    assert.equal(after(10, 0.5), null)
  })

  test('the receiver may ask for more patience, never for less', () => {
    assert.equal(after(1, 0.5, 60_000), 60_000)
    assert.equal(after(2, 0.5, 1_000), 300_000)
    assert.equal(after(10, 0.5, 1_000), null)
  })

  test('Retry-After is read as seconds or as a date, and not beyond a day', () => {
    const patience = (header: string | undefined) => patienceMs(header, Date.parse('2030-01-01T00:00:00Z'))
    assert.equal(patience('120'), 120_000)
    assert.equal(patience('Tue, 01 Jan 2030 00:02:00 GMT'), 120_000)
    assert.equal(patience('999999999'), 86_400_000)
    for (const header of [undefined, '', '0', '-5', 'soon', 'Tue, 01 Jan 2019 00:00:00 GMT'])
      assert.equal(patience(header), null, header)
  })
})
