import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { sharedRedis, startRedis } from '#test/own-redis.ts'
import { StoreUnavailable, type Counters, type Limit } from './counters.ts'
import { redisCounters } from './redis-counters.ts'

const limit = (): Limit => ({ key: randomUUID(), max: 9, burst: null, cost: 1, windowMs: 60_000 })

/** Opens counters on a Redis of the test, and records its outages. */
async function openStore() {
  await using parts = new AsyncDisposableStack()
  const redis = parts.use(await startRedis())
  const outages: string[] = []
  const store = await redisCounters({
    url: redis.url,
    timeoutMs: 100,
    onLost: () => outages.push('lost'),
    onBack: () => outages.push('back'),
  })
  parts.defer(() => store.close())
  const kept = parts.move()
  return { redis, store, outages, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

const tryTake = (store: Counters) =>
  store.take([limit()]).then(
    () => 'counted',
    (error: unknown) => (error instanceof StoreUnavailable ? 'unavailable' : Promise.reject(error as Error)),
  )
/** Whether a promise settles without waiting for Redis. */
const isImmediate = async (answer: Promise<string>) =>
  (await Promise.race([answer, turn().then(() => 'waits')])) !== 'waits'

async function until(condition: () => boolean | Promise<boolean>) {
  while (!(await condition())) await sleep(20)
}

if (sharedRedis)
  describe('an outage of Redis', () => {
    test('hanging: five requests wait, later ones do not; the outage is reported once, and counting resumes', async () => {
      await using opened = await openStore()
      const { redis, store, outages } = opened
      await until(async () => (await tryTake(store)) === 'counted')
      redis.hang()
      for (let n = 0; n < 5; n++) assert.equal(await tryTake(store), 'unavailable')
      assert.deepEqual(outages, ['lost'])
      for (let n = 0; n < 100; n++) {
        const result = tryTake(store)
        assert.ok(await isImmediate(result), `request ${n} waited`)
        assert.equal(await result, 'unavailable')
      }
      assert.equal(await store.isReachable(), false)
      // Long enough for failed probes and a new connection.
      await sleep(2_500)
      assert.ok(await isImmediate(tryTake(store)))
      redis.resume()
      await until(async () => (await tryTake(store)) === 'counted')
      assert.deepEqual(outages, ['lost', 'back'])
      await until(() => store.isReachable())
    })

    test('hanging under 200 concurrent requests: all fail after one timeout', async () => {
      await using opened = await openStore()
      const { redis, store, outages } = opened
      redis.hang()
      const results = await Promise.all(Array.from({ length: 200 }, () => tryTake(store)))
      assert.deepEqual([...new Set(results)], ['unavailable'])
      assert.deepEqual(outages, ['lost'])
      redis.resume()
      await until(() => outages.includes('back'))
    })

    test('down, and started again on the same port', async () => {
      await using opened = await openStore()
      const { redis, store, outages } = opened
      await redis.kill()
      await until(async () => {
        assert.equal(await tryTake(store), 'unavailable')
        return outages.length > 0
      })
      assert.ok(await isImmediate(tryTake(store)))
      await redis.restart()
      await until(async () => (await tryTake(store)) === 'counted')
      assert.deepEqual(outages, ['lost', 'back'])
    })

    test('down from the beginning: the process starts, and no request waits', async () => {
      await using redis = await startRedis()
      await redis.kill()
      const outages: string[] = []
      const { url } = redis
      const store = await redisCounters({
        ...{ url, timeoutMs: 100, onLost: () => outages.push('lost'), onBack: () => outages.push('back') },
      })
      try {
        assert.ok(await isImmediate(tryTake(store)))
        await redis.restart()
        await until(async () => (await tryTake(store)) === 'counted')
      } finally {
        await store.close()
      }
    })

    test('read-only: the store is unavailable until Redis can be written to', async () => {
      await using opened = await openStore()
      const { store, outages, redis } = opened
      const operator = new Redis(redis.url)
      try {
        await operator.replicaof('127.0.0.1', '1')
        for (let n = 0; n < 5; n++) assert.equal(await tryTake(store), 'unavailable')
        await sleep(2_500)
        assert.deepEqual(outages, ['lost'])
        await operator.replicaof('NO', 'ONE')
        await until(async () => (await tryTake(store)) === 'counted')
        assert.deepEqual(outages, ['lost', 'back'])
      } finally {
        operator.disconnect()
      }
    })
  })
