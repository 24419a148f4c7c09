import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { sharedRedis } from '../../../test/own-redis.ts'
import type { Counters, Limit } from './counters.ts'
import { ownCounters } from './own-counters.ts'
import { redisCounters } from './redis-counters.ts'

const stores: [string, () => Promise<Counters>][] = [['in the process', async () => ownCounters()]]
const onRedis = (url: string) => redisCounters({ url, timeoutMs: 10_000, onLost: () => {}, onBack: () => {} })
const url = sharedRedis
if (url) stores.push(['on Redis', () => onRedis(url)])

const limit = (more: Partial<Limit> = {}): Limit => ({
  ...{ key: randomUUID(), most: 3, burst: null, cost: 1, windowMs: 60_000, ...more },
})
const take = async (store: Counters, ...limits: Limit[]) => {
  const { allowed, most, remaining } = await store.take(limits)
  return [allowed ? 'allowed' : 'refused', most, remaining]
}

for (const [name, open] of stores)
  describe(`counters ${name}`, async () => {
    const store = await open()
    after(() => store.close())

    test('the first request counts 1, each further one more, and none past the limit', async () => {
      const one = limit()
      const found = []
      for (let n = 0; n < 5; n++) found.push(await take(store, one))
      assert.deepEqual(found, [
        ['allowed', 3, 2],
        ['allowed', 3, 1],
        ['allowed', 3, 0],
        ['refused', 3, 0],
        ['refused', 3, 0],
      ])
    })

    test('the first request begins the window, and no other one moves its end', async () => {
      const one = limit({ most: 2 })
      const before = Date.now()
      const ends = []
      for (let n = 0; n < 4; n++) {
        ends.push((await store.take([one])).endsAt.getTime())
        // Not in the same millisecond.
        await sleep(3)
      }
      assert.equal(new Set(ends).size, 1)
      assert.ok(ends[0]! >= before + 59_900 && ends[0]! <= Date.now() + 60_100, String(ends[0]! - before))
    })

    test('when the window has ended the count begins anew', async () => {
      const one = limit({ most: 1, windowMs: 300 })
      const first = await store.take([one])
      let found = await store.take([one])
      while (!found.allowed) {
        assert.equal(found.endsAt.getTime(), first.endsAt.getTime())
        assert.ok(found.waitMs <= 300)
        found = await store.take([one])
      }
      assert.ok(found.endsAt.getTime() >= first.endsAt.getTime() + 299)
    })

    test('a cost is taken whole or not at all', async () => {
      const one = limit({ most: 15 })
      assert.deepEqual(await take(store, { ...one, cost: 10 }), ['allowed', 1, 0])
      assert.deepEqual(await take(store, { ...one, cost: 10 }), ['refused', 1, 0])
      assert.deepEqual(await take(store, { ...one, cost: 5 }), ['allowed', 3, 0])
    })

    test('of several limits the first that is reached refuses, and then none of them counts', async () => {
      const [wide, narrow] = [limit({ most: 5 }), limit({ most: 1 })]
      assert.deepEqual(await take(store, wide, narrow), ['allowed', 1, 0])
      for (let n = 0; n < 9; n++) assert.equal((await store.take([wide, narrow])).at, 1)
      assert.deepEqual(await take(store, wide), ['allowed', 5, 3])
      const spent = limit({ most: 0 })
      assert.equal((await store.take([spent, narrow])).at, 0)
    })

    test('a burst is counted first, then the limit itself, under a key of its own', async () => {
      const one = limit({ most: 2, burst: 4 })
      const found = []
      for (let n = 0; n < 7; n++) found.push((await take(store, one)).join(' '))
      assert.deepEqual(found, [
        ...['allowed 6 5', 'allowed 6 4', 'allowed 6 3', 'allowed 6 2'],
        ...['allowed 6 1', 'allowed 6 0', 'refused 6 0'],
      ])
      const sustained = limit({ key: `${one.key}:sustained`, most: 2 })
      assert.deepEqual(await take(store, sustained), ['refused', 2, 0])
    })

    test('what is left is what the tightest limit leaves, in requests of this cost', async () => {
      const [wide, narrow] = [limit({ most: 100 }), limit({ most: 4 })]
      const costly = { ...wide, cost: 30 }
      assert.deepEqual(await take(store, costly, narrow), ['allowed', 3, 2])
      assert.deepEqual(await take(store, { ...wide, cost: 1 }, narrow), ['allowed', 4, 2])
      assert.deepEqual(await take(store, costly, narrow), ['allowed', 3, 1])
      assert.deepEqual(await take(store, { ...wide, cost: 39 }), ['allowed', 2, 0])
      assert.deepEqual(await take(store, costly, narrow), ['refused', 3, 0])
    })

    test('a thousand at once against a limit of a hundred: exactly a hundred', async () => {
      const one = limit({ most: 100 })
      const found = await Promise.all(Array.from({ length: 1_000 }, () => store.take([one])))
      assert.equal(found.filter(({ allowed }) => allowed).length, 100)
    })
  })

if (url)
  describe('counters on Redis, whatever is found there', async () => {
    const [store, other, redis] = [await onRedis(url), await onRedis(url), new Redis(url)]
    after(() => Promise.all([store.close(), other.close(), redis.quit()]))
    const place = ({ key }: Limit) => `vacancy:limits:${key}`

    test('two processes count together', async () => {
      const one = limit({ most: 2 })
      assert.deepEqual(await take(store, one), ['allowed', 2, 1])
      assert.deepEqual(await take(other, one), ['allowed', 2, 0])
      assert.deepEqual(await take(store, one), ['refused', 2, 0])
    })

    test('every counter goes by itself when its window has ended', async () => {
      const one = limit({ burst: 0 })
      await store.take([one])
      for (const key of await redis.keys(`${place(one)}*`)) {
        const age = await redis.pttl(key)
        assert.ok(age > 0 && age <= 60_000, `${key}: ${age}`)
      }
    })

    test('a counter that lost its age ends with its window all the same, and has an age again', async () => {
      const one = limit({ most: 2, windowMs: 400 })
      await store.take([one])
      await redis.persist(place(one))
      await store.take([one])
      assert.ok((await redis.pttl(place(one))) > 0)
      await redis.persist(place(one))
      while (!(await store.take([one])).allowed);
      assert.ok((await redis.pttl(place(one))) > 0)
    })

    test('what is no count, or ends later than a window can, counts for nothing', async () => {
      const tomorrow = Date.now() + 86_400_000
      for (const rubbish of ['5', '', 'x:y', '-1:5', '9:', `3:${tomorrow}`, '3:1']) {
        const one = limit()
        await redis.set(place(one), rubbish)
        assert.deepEqual(await take(store, one), ['allowed', 3, 2], rubbish)
      }
    })

    test('the script is taught again when Redis has forgotten it', async () => {
      const one = limit()
      await store.take([one])
      await redis.script('FLUSH')
      assert.deepEqual(await take(store, one), ['allowed', 3, 1])
    })

    test('the two stores decide alike', async () => {
      const asked = fc.record({
        ...{ key: fc.constantFrom('a', 'b'), most: fc.nat(4), cost: fc.integer({ min: 1, max: 3 }) },
        burst: fc.option(fc.nat(5)),
      })
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(asked, { minLength: 1, maxLength: 2 }), { maxLength: 15 }),
          async (requests) => {
            const own = ownCounters()
            const mark = randomUUID()
            for (const request of requests) {
              // A decision names a counter once.
              const limits = request
                .filter(({ key }, at) => request.findIndex((one) => one.key === key) === at)
                .map((one) => limit({ ...one, key: `${mark}:${one.key}` }))
              assert.deepEqual(await take(store, ...limits), await take(own, ...limits))
            }
          },
        ),
        { numRuns: 60 },
      )
    })
  })

describe('counters in the process, over time', () => {
  let time = 0
  const store = ownCounters(() => time)

  test('a window lasts as long as it is, whatever the clock on the wall is set to', async () => {
    const one = limit({ most: 1, windowMs: 1_000 })
    assert.deepEqual(await take(store, one), ['allowed', 1, 0])
    time += 999
    assert.equal((await store.take([one])).waitMs, 1)
    time += 1
    assert.deepEqual(await take(store, one), ['allowed', 1, 0])
  })

  test('what is left does not rise before the time that was told', async () => {
    const operation = fc.record({
      limits: fc.constantFrom(
        [limit({ key: 'budget', most: 12 }), limit({ key: 'stated', most: 3 })],
        [limit({ key: 'budget', most: 12, cost: 5 }), limit({ key: 'costly', most: 9 })],
        [limit({ key: 'budget', most: 12 }), limit({ key: 'burst', most: 2, burst: 4 })],
      ),
      passes: fc.nat(25_000),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (requests) => {
        const own = ownCounters(() => time)
        const told = new Map<unknown, { remaining: number; until: number }>()
        for (const { limits, passes } of requests) {
          time += passes
          const before = told.get(limits)
          const { allowed, remaining, waitMs } = await own.take(limits)
          if (before && time < before.until) {
            assert.ok(remaining <= before.remaining, `${before.remaining} became ${remaining}`)
            if (before.remaining === 0) assert.ok(!allowed)
          }
          told.set(limits, { remaining, until: time + waitMs })
        }
      }),
      { numRuns: 300 },
    )
  })

  test('somebody who makes up addresses fills no memory: the oldest windows are forgotten', async () => {
    const [early, late] = [limit({ most: 1 }), limit({ most: 1 })]
    await store.take([early])
    for (let n = 0; n < 100_000; n++) await store.take([limit({ key: `made up ${n}` })])
    await store.take([late])
    assert.deepEqual(await take(store, early), ['allowed', 1, 0])
    assert.deepEqual(await take(store, late), ['refused', 1, 0])
  })
})
