import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Unavailable } from '#errors.ts'
import { openTurns } from './turns.ts'

/** Starts work that ends when it is told to, and remembers the order of the starts. */
function openWork(atATime: number, maxWaiting: number) {
  const inTurn = openTurns(atATime, maxWaiting)
  const started: string[] = []
  const ends: (() => void)[] = []
  const ask = (orgId: string) =>
    inTurn(orgId, () => {
      started.push(orgId)
      return new Promise<void>((end) => ends.push(end))
    })
  return { ask, started, endFirst: () => ends.shift()!() }
}
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

suite('turns of uploads', () => {
  test('one organization holds half of all places at most, and others find the rest', async () => {
    const { ask, started } = openWork(2, 4)
    for (let n = 0; n < 3; n++) void ask('a')
    await assert.rejects(ask('a'), Unavailable)
    for (let n = 0; n < 3; n++) void ask('b')
    await assert.rejects(ask('c'), Unavailable)
    assert.deepEqual(started, ['a', 'a'])
  })

  test('the next free place goes to whoever runs the fewest', async () => {
    const { ask, started, endFirst } = openWork(2, 4)
    for (const orgId of ['a', 'a', 'a', 'b', 'b']) void ask(orgId)
    for (let n = 0; n < 3; n++) {
      endFirst()
      await nextTurn()
    }
    assert.deepEqual(started, ['a', 'a', 'b', 'a', 'b'])
  })
})
