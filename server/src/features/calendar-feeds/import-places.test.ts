import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createPlaces, type Places } from './import-places.ts'

const waiting = { maxMs: 60_000, stopping: new AbortController().signal }

/** Asks in this order; says who has begun, and ends whom it is told to. */
function asking(places: Places) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (name: string, owner: string, weight = 1) =>
    void places.take(owner, weight, waiting).then((end) => {
      begun.push(name)
      ends.set(name, end!)
    })
  /** Everything that can begin has begun. */
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { begun, ask, settled, end: (name: string) => ends.get(name)!() }
}

suite('what all imports hold together', () => {
  test('is never more than the capacity, whatever they weigh', async () => {
    const places = createPlaces(10)
    let most = 0
    const one = async (owner: number) => {
      const end = await places.take(`${owner}`, 1 + (owner % 7), waiting)
      most = Math.max(most, places.used)
      await new Promise((resolve) => setImmediate(resolve))
      end!()
      end!()
    }
    await Promise.all(Array.from({ length: 200 }, (_, at) => one(at)))
    assert.ok(most <= 10 && most > 5, `${most}`)
    assert.equal(places.used, 0)
  })

  test('an owner works on one at a time, and another comes next', async () => {
    const places = createPlaces(2)
    const { ask, begun, end, settled } = asking(places)
    for (const name of ['b1', 'b2', 'b3']) ask(name, 'b')
    for (const name of ['a1', 'c1']) ask(name, name[0]!)
    await settled()
    assert.deepEqual(begun, ['b1', 'a1'])
    end('b1')
    await settled()
    assert.deepEqual(begun, ['b1', 'a1', 'c1'])
    end('a1')
    await settled()
    assert.deepEqual(begun.slice(3), ['b2'])
  })

  test('what is large is not overtaken for ever by what is small', async () => {
    const places = createPlaces(4)
    const { ask, begun, end, settled } = asking(places)
    ask('small', 'a', 1)
    ask('large', 'b', 4)
    ask('small too', 'c', 1)
    await settled()
    assert.deepEqual(begun, ['small'])
    end('small')
    await settled()
    assert.deepEqual(begun, ['small', 'large'])
  })

  test('who waits too long, or has to stop, leaves', async () => {
    const places = createPlaces(1)
    const end = await places.take('a', 1, waiting)
    assert.equal(await places.take('b', 1, { ...waiting, maxMs: 1 }), null)
    const stopping = new AbortController()
    const stopped = places.take('b', 1, { ...waiting, stopping: stopping.signal })
    stopping.abort(new Error('stop'))
    await assert.rejects(stopped, /stop/)
    end!()
    assert.equal(places.used, 0)
    ;(await places.take('b', 1, waiting))!()
  })
})
