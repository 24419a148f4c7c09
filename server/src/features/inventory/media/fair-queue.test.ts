import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Unavailable } from '#errors.ts'
import { openFairQueue } from './fair-queue.ts'

/** Starts work that the test ends, and records the order of the starts. */
function openWork(atATime: number, maxWaiting: number) {
  const runInTurn = openFairQueue(atATime, maxWaiting)
  const started: string[] = []
  const ends: (() => void)[] = []
  const ask = (orgId: string) =>
    runInTurn(orgId, () => {
      started.push(orgId)
      return new Promise<void>((end) => ends.push(end))
    })
  return { ask, started, endFirst: () => ends.shift()!() }
}
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

suite('fair queue', () => {
  test('one organization has at most half of all places', async () => {
    const { ask, started } = openWork(2, 4)
    for (let n = 0; n < 3; n++) void ask('a')
    await assert.rejects(ask('a'), Unavailable)
    for (let n = 0; n < 3; n++) void ask('b')
    await assert.rejects(ask('c'), Unavailable)
    assert.deepEqual(started, ['a', 'a'])
  })

  test('the next free place goes to the organization that runs the fewest', async () => {
    const { ask, started, endFirst } = openWork(2, 4)
    for (const orgId of ['a', 'a', 'a', 'b', 'b']) void ask(orgId)
    for (let n = 0; n < 3; n++) {
      endFirst()
      await nextTurn()
    }
    assert.deepEqual(started, ['a', 'a', 'b', 'a', 'b'])
  })
})
