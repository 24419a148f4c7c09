import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { sharedRedis } from '#test/own-redis.ts'
import { type Counters, type Limit, memoryCounters } from './counters.ts'
import { redisCounters } from './redis-counters.ts'

const stores: [string, () => Promise<Counters>][] = [['in the process', async () => memoryCounters()]]
const onRedis = (url: string) => redisCounters({ url, timeoutMs: 10_000, onLost: () => {}, onBack: () => {} })
const url = sharedRedis
if (url) stores.push(['on Redis', () => onRedis(url)])

const limit = (fields: Partial<Limit> = {}): Limit => ({
  ...{ key: randomUUID(), max: 3, burst: null, cost: 1, windowMs: 60_000, ...fields },
})
const take = async (store: Counters, ...limits: Limit[]) => {
  const { allowed, max, remaining } = await store.take(limits)
  return [allowed ? 'allowed' : 'refused', max, remaining]
}

for (const [name, open] of stores)
  describe(`counters ${name}`, async () => {
    const store = await open()
    after(() => store.close())

    test('counts each request, and refuses those over the limit', async () => {
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

    test('the first request begins the window, and later ones do not move its end', async () => {
      const one = limit({ max: 2 })
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

    test('a new window begins after the end of the last one', async () => {
      const one = limit({ max: 1, windowMs: 300 })
      const first = await store.take([one])
      let found = await store.take([one])
      while (!found.allowed) {
        assert.equal(found.endsAt.getTime(), first.endsAt.getTime())
        assert.ok(found.waitMs <= 300)
        found = await store.take([one])
      }
      assert.ok(found.endsAt.getTime() >= first.endsAt.getTime() + 299)
    })

    test('a cost is counted completely or not at all', async () => {
      const one = limit({ max: 15 })
      assert.deepEqual(await take(store, { ...one, cost: 10 }), ['allowed', 1, 0])
      assert.deepEqual(await take(store, { ...one, cost: 10 }), ['refused', 1, 0])
      assert.deepEqual(await take(store, { ...one, cost: 5 }), ['allowed', 3, 0])
    })

    test('when one of several limits is exceeded, none of them counts', async () => {
      const [wide, narrow] = [limit({ max: 5 }), limit({ max: 1 })]
      assert.deepEqual(await take(store, wide, narrow), ['allowed', 1, 0])
      for (let n = 0; n < 9; n++) assert.equal((await store.take([wide, narrow])).at, 1)
      assert.deepEqual(await take(store, wide), ['allowed', 5, 3])
      const spent = limit({ max: 0 })
      assert.equal((await store.take([spent, narrow])).at, 0)
    })

    test('a burst is counted first, then the limit, under another key', async () => {
      const one = limit({ max: 2, burst: 4 })
      const found = []
      for (let n = 0; n < 7; n++) found.push((await take(store, one)).join(' '))
      assert.deepEqual(found, [
        ...['allowed 6 5', 'allowed 6 4', 'allowed 6 3', 'allowed 6 2'],
        ...['allowed 6 1', 'allowed 6 0', 'refused 6 0'],
      ])
      const sustained = limit({ key: `${one.key}:sustained`, max: 2 })
      assert.deepEqual(await take(store, sustained), ['refused', 2, 0])
    })

    test('the remaining requests are those of the limit with the fewest', async () => {
      const [wide, narrow] = [limit({ max: 100 }), limit({ max: 4 })]
      const costly = { ...wide, cost: 30 }
      assert.deepEqual(await take(store, costly, narrow), ['allowed', 3, 2])
      assert.deepEqual(await take(store, { ...wide, cost: 1 }, narrow), ['allowed', 4, 2])
      assert.deepEqual(await take(store, costly, narrow), ['allowed', 3, 1])
      assert.deepEqual(await take(store, { ...wide, cost: 39 }), ['allowed', 2, 0])
      assert.deepEqual(await take(store, costly, narrow), ['refused', 3, 0])
    })

    test('reading counts nothing, and says what is left of each limit', async () => {
      const [burst, plain] = [limit({ max: 2, burst: 4 }), limit()]
      const left = async () => (await store.read([burst, plain])).map(({ remaining }) => remaining)
      assert.deepEqual(await left(), [6, 3])
      for (let n = 0; n < 5; n++) await store.take([burst])
      const { endsAt } = await store.take([plain])
      assert.deepEqual(await left(), [1, 2])
      assert.deepEqual(await left(), [1, 2])
      assert.deepEqual((await store.read([plain]))[0]!.endsAt, endsAt)
    })

    test('of 1,000 concurrent requests with a limit of 100, exactly 100 are allowed', async () => {
      const one = limit({ max: 100 })
      const found = await Promise.all(Array.from({ length: 1_000 }, () => store.take([one])))
      assert.equal(found.filter(({ allowed }) => allowed).length, 100)
    })
  })

if (url)
  describe('counters on Redis', async () => {
    const [store, other, redis] = [await onRedis(url), await onRedis(url), new Redis(url)]
    after(() => Promise.all([store.close(), other.close(), redis.quit()]))
    const redisKey = ({ key }: Limit) => `vacancy:limits:${key}`

    test('two processes share the counters', async () => {
      const one = limit({ max: 2 })
      assert.deepEqual(await take(store, one), ['allowed', 2, 1])
      assert.deepEqual(await take(other, one), ['allowed', 2, 0])
      assert.deepEqual(await take(store, one), ['refused', 2, 0])
    })

    test('every counter expires with its window', async () => {
      const one = limit({ burst: 0 })
      await store.take([one])
      for (const key of await redis.keys(`${redisKey(one)}*`)) {
        const ttl = await redis.pttl(key)
        assert.ok(ttl > 0 && ttl <= 60_000, `${key}: ${ttl}`)
      }
    })

    test('a counter without expiry ends with its window, and gets an expiry again', async () => {
      const one = limit({ max: 2, windowMs: 400 })
      await store.take([one])
      await redis.persist(redisKey(one))
      await store.take([one])
      assert.ok((await redis.pttl(redisKey(one))) > 0)
      await redis.persist(redisKey(one))
      while (!(await store.take([one])).allowed);
      assert.ok((await redis.pttl(redisKey(one))) > 0)
    })

    test('an invalid count, or one that ends later than a window can, is ignored', async () => {
      const tomorrow = Date.now() + 86_400_000
      for (const invalid of ['5', '', 'x:y', '-1:5', '9:', `3:${tomorrow}`, '3:1']) {
        const one = limit()
        await redis.set(redisKey(one), invalid)
        assert.deepEqual(await take(store, one), ['allowed', 3, 2], invalid)
      }
    })

    test('the script is loaded again when Redis has dropped it', async () => {
      const one = limit()
      await store.take([one])
      await redis.script('FLUSH')
      assert.deepEqual(await take(store, one), ['allowed', 3, 1])
    })

    test('both stores give the same results to requests of two organizations at once', async () => {
      const requestedLimit = fc.record({
        ...{ key: fc.constantFrom('a', 'b'), max: fc.nat(4), cost: fc.integer({ min: 1, max: 3 }) },
        burst: fc.option(fc.nat(5)),
      })
      const request = fc.record({
        organization: fc.constantFrom('{one}', '{two}'),
        // A request names each counter once.
        limits: fc.uniqueArray(requestedLimit, { minLength: 1, maxLength: 2, selector: ({ key }) => key }),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(request, { maxLength: 15 }), async (requests) => {
          const run = randomUUID()
          const takeAll = (counters: Counters) =>
            Promise.all(
              requests.map(({ organization, limits }) =>
                take(
                  counters,
                  ...limits.map((one) => limit({ ...one, key: `${organization}:${run}:${one.key}` })),
                ),
              ),
            )
          assert.deepEqual(await takeAll(store), await takeAll(memoryCounters()))
        }),
        { numRuns: 60 },
      )
    })
  })

describe('counters in the process, with a clock of the test', () => {
  let time = 0
  const store = memoryCounters(() => time)

  test('a window ends by the monotonic clock', async () => {
    const one = limit({ max: 1, windowMs: 1_000 })
    assert.deepEqual(await take(store, one), ['allowed', 1, 0])
    time += 999
    assert.equal((await store.take([one])).waitMs, 1)
    time += 1
    assert.deepEqual(await take(store, one), ['allowed', 1, 0])
  })

  test('the remaining requests do not rise before the end of the window', async () => {
    const operation = fc.record({
      limits: fc.constantFrom(
        [limit({ key: 'budget', max: 12 }), limit({ key: 'stated', max: 3 })],
        [limit({ key: 'budget', max: 12, cost: 5 }), limit({ key: 'costly', max: 9 })],
        [limit({ key: 'budget', max: 12 }), limit({ key: 'burst', max: 2, burst: 4 })],
      ),
      passedMs: fc.nat(25_000),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (requests) => {
        const own = memoryCounters(() => time)
        const results = new Map<unknown, { remaining: number; until: number }>()
        for (const { limits, passedMs } of requests) {
          time += passedMs
          const before = results.get(limits)
          const { allowed, remaining, waitMs } = await own.take(limits)
          if (before && time < before.until) {
            assert.ok(remaining <= before.remaining, `${before.remaining} became ${remaining}`)
            if (before.remaining === 0) assert.ok(!allowed)
          }
          results.set(limits, { remaining, until: time + waitMs })
        }
      }),
      { numRuns: 300 },
    )
  })

  test('the oldest windows are dropped when there are too many', async () => {
    const [early, late] = [limit({ max: 1 }), limit({ max: 1 })]
    await store.take([early])
    for (let n = 0; n < 100_000; n++) await store.take([limit({ key: `key ${n}` })])
    await store.take([late])
    assert.deepEqual(await take(store, early), ['allowed', 1, 0])
    assert.deepEqual(await take(store, late), ['refused', 1, 0])
  })
})
