import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createLimiter, type CapacityLimiter } from './import-capacity.ts'

const waiting = { maxMs: 60_000, stopping: new AbortController().signal }

/** Acquires capacity in this order, records who has started, and releases on demand. */
function asking(places: CapacityLimiter) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const acquire = (name: string, owner: string, weight = 1) =>
    void places.acquire(owner, weight, waiting).then((end) => {
      begun.push(name)
      ends.set(name, end!)
    })
  /** Waits until everything that can start has started. */
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { begun, ask: acquire, settled, end: (name: string) => ends.get(name)!() }
}

suite('import capacity', () => {
  test('never exceeds the capacity', async () => {
    const places = createLimiter(10)
    let most = 0
    const one = async (owner: number) => {
      const end = await places.acquire(`${owner}`, 1 + (owner % 7), waiting)
      most = Math.max(most, places.used)
      await new Promise((resolve) => setImmediate(resolve))
      end!()
      end!()
    }
    await Promise.all(Array.from({ length: 200 }, (_, at) => one(at)))
    assert.ok(most <= 10 && most > 5, `${most}`)
    assert.equal(places.used, 0)
  })

  test('gives each owner one import at a time, in turn', async () => {
    const places = createLimiter(2)
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

  test('does not starve large calendars', async () => {
    const places = createLimiter(4)
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

  test('ends the wait on timeout or abort', async () => {
    const places = createLimiter(1)
    const end = await places.acquire('a', 1, waiting)
    assert.equal(await places.acquire('b', 1, { ...waiting, maxMs: 1 }), null)
    const stopping = new AbortController()
    const stopped = places.acquire('b', 1, { ...waiting, stopping: stopping.signal })
    stopping.abort(new Error('stop'))
    await assert.rejects(stopped, /stop/)
    end!()
    assert.equal(places.used, 0)
    ;(await places.acquire('b', 1, waiting))!()
  })
})
