import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { createChangeHub } from './changed-records.ts'

suite('the place that a client continues from', () => {
  test('is not behind a change whose notification another has overtaken', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    let now = 0
    context.mock.method(performance, 'now', () => now)
    const hub = createChangeHub()
    const orgId = randomUUID()
    const places: (string | undefined)[] = []
    hub.follow(orgId, (_, place) => places.push(place))
    const notified = (place: number, afterMs: number) => {
      now += afterMs
      context.mock.timers.tick(afterMs)
      hub.notified(`${orgId} ${place} {"space":null}`)
      now += 250
      context.mock.timers.tick(250)
    }
    notified(100, 0)
    notified(110, 1_000)
    // Committed before the last one.
    notified(105, 0)
    notified(120, 5_000)
    notified(130, 1_000)
    notified(140, 60_000)
    assert.deepEqual(places, [undefined, undefined, undefined, '100', '100', '120'])
  })
})
