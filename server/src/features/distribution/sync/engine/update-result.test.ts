import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { buildUpdate, nights } from '#test/pms-fixture.ts'
import { trackResults } from '#integrations/pms/result-tracker.ts'
import { checkResult } from './update-result.ts'

/** What a provider leaves out of a push, without a failure, must not count as accepted. */

suite('the result of a provider', () => {
  const unit = { externalId: 'room', plans: [{ plan: 'plan', externalId: null }] }
  const rooms = [
    { ...nights(1), available: 1 },
    { ...nights(2), available: 2 },
  ]
  const rates = [{ plan: 'plan', ...nights(1), price_cents: 100 }]
  const update = buildUpdate(unit, { rooms, rates, changedFields: ['name'] })
  const resultOf = (ranges: readonly object[], hasContent = true) => {
    const tracker = trackResults([update])
    for (const range of [...rooms, ...rates]) if (ranges.includes(range)) tracker.acceptRange(update, range)
    if (hasContent) tracker.acceptContent(update)
    return tracker.results().get(update.id)
  }

  test('is complete when everything was accepted', () => {
    const result = resultOf([...rooms, ...rates])
    assert.equal(checkResult(update, result), result)
  })

  test('is a failure that is retried when the last range was left out', () => {
    const { failure, acceptedRooms } = checkResult(update, resultOf([rooms[0]!, ...rates]))
    assert.deepEqual([failure?.code, failure?.retryable], ['internal', true])
    assert.deepEqual(acceptedRooms, [rooms[0]])
  })

  test('is a failure when the content was left out, or the whole unit', () => {
    assert.equal(checkResult(update, resultOf([...rooms, ...rates], false)).failure?.code, 'internal')
    assert.equal(checkResult(update, undefined).failure?.code, 'internal')
  })
})
