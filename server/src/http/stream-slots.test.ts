import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createStreamSlots } from './stream-slots.ts'

suite('slots for streams', () => {
  const takeAll = (slots: ReturnType<typeof createStreamSlots>, orgId: string) => {
    let taken = 0
    while (slots.take(orgId)) taken++
    return taken
  }

  test('leave half of what is free to the others', () => {
    const slots = createStreamSlots(100)
    assert.deepEqual(
      ['one', 'two', 'three', 'four'].map((orgId) => takeAll(slots, orgId)),
      [50, 25, 13, 6],
    )
    assert.ok(slots.take('another'))
  })

  test('are given again when a stream has ended', () => {
    const slots = createStreamSlots(100)
    takeAll(slots, 'one')
    for (let n = 0; n < 50; n++) slots.release('one')
    assert.equal(takeAll(slots, 'two'), 50)
  })
})
