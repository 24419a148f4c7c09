import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { throttle } from './throttle.ts'

suite('throttled errors', () => {
  test('are reported again although the clock is set back', (context) => {
    let now = 0
    context.mock.method(performance, 'now', () => now)
    context.mock.timers.enable({ apis: ['Date'], now: 7_200_000 })
    const reported: Error[] = []
    const report = throttle((error) => reported.push(error))
    report(new Error('The connection is gone.'))
    context.mock.timers.setTime(3_600_000)
    now += 30_000
    report(new Error('The connection is gone.'))
    assert.equal(reported.length, 2)
  })

  const reported: Error[] = []
  let now = 0
  const report = throttle(
    (error) => reported.push(error),
    () => now,
  )

  test('reports the same message once in 30 s, and other messages at once', () => {
    for (now = 0; now < 60_000; now += 100) report(new Error('The connection is gone.'))
    report(new Error('Another thing.'))
    assert.deepEqual(
      reported.splice(0).map(({ message }) => message),
      ['The connection is gone.', 'The connection is gone.', 'Another thing.'],
    )
  })

  test('remembers a bounded number of messages', () => {
    for (let kind = 0; kind < 1_000; kind++) report(new Error(`kind ${kind}`))
    assert.equal(reported.splice(0).length, 1_000)
    now += 1
    report(new Error('kind 999'))
    assert.equal(reported.length, 0)
  })
})
