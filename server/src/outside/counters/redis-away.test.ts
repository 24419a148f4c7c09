import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { sharedRedis, startRedis } from '../../../test/own-redis.ts'
import { StoreAway, type Counters, type Limit } from './counters.ts'
import { redisCounters } from './redis-counters.ts'

const limit = (): Limit => ({ key: randomUUID(), most: 9, burst: null, cost: 1, windowMs: 60_000 })

/** Counters on a Redis of their own, and what was told of it. */
async function opened() {
  await using parts = new AsyncDisposableStack()
  const redis = parts.use(await startRedis())
  const told: string[] = []
  const store = await redisCounters({
    url: redis.url,
    timeoutMs: 100,
    onLost: () => told.push('lost'),
    onBack: () => told.push('back'),
  })
  parts.defer(() => store.close())
  const kept = parts.move()
  return { redis, store, told, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

const tryTake = (store: Counters) =>
  store.take([limit()]).then(
    () => 'counted',
    (error: unknown) => (error instanceof StoreAway ? 'away' : Promise.reject(error as Error)),
  )
/** Whether an answer needs nothing from outside. */
const isAtOnce = async (answer: Promise<string>) =>
  (await Promise.race([answer, turn().then(() => 'waits')])) !== 'waits'

async function until(condition: () => boolean | Promise<boolean>) {
  while (!(await condition())) await sleep(20)
}

if (sharedRedis)
  describe('a Redis that is away', () => {
    test('hung: five requests wait, then nobody does, and it is told once; later all are counted again', async () => {
      await using house = await opened()
      const { redis, store, told } = house
      assert.equal(await tryTake(store), 'counted')
      redis.hang()
      for (let n = 0; n < 5; n++) assert.equal(await tryTake(store), 'away')
      assert.deepEqual(told, ['lost'])
      for (let n = 0; n < 100; n++) {
        const answer = tryTake(store)
        assert.ok(await isAtOnce(answer), `request ${n} waited`)
        assert.equal(await answer, 'away')
      }
      assert.equal(await store.reachable(), false)
      // Long enough for probes to find nothing, and to try a new connection.
      await sleep(2_500)
      assert.ok(await isAtOnce(tryTake(store)))
      redis.goOn()
      await until(async () => (await tryTake(store)) === 'counted')
      assert.deepEqual(told, ['lost', 'back'])
      assert.equal(await store.reachable(), true)
    })

    test('hung under many requests at once: all are told after one wait', async () => {
      await using house = await opened()
      const { redis, store, told } = house
      redis.hang()
      const found = await Promise.all(Array.from({ length: 200 }, () => tryTake(store)))
      assert.deepEqual([...new Set(found)], ['away'])
      assert.deepEqual(told, ['lost'])
      redis.goOn()
      await until(() => told.includes('back'))
    })

    test('dead, and back in the same place', async () => {
      await using house = await opened()
      const { redis, store, told } = house
      await redis.die()
      await until(async () => {
        assert.equal(await tryTake(store), 'away')
        return told.length > 0
      })
      assert.ok(await isAtOnce(tryTake(store)))
      await redis.comeBack()
      await until(async () => (await tryTake(store)) === 'counted')
      assert.deepEqual(told, ['lost', 'back'])
    })

    test('never there: the start goes on, and nobody waits', async () => {
      await using redis = await startRedis()
      await redis.die()
      const told: string[] = []
      const { url } = redis
      const store = await redisCounters({
        ...{ url, timeoutMs: 100, onLost: () => told.push('lost'), onBack: () => told.push('back') },
      })
      try {
        assert.ok(await isAtOnce(tryTake(store)))
        await redis.comeBack()
        await until(async () => (await tryTake(store)) === 'counted')
      } finally {
        await store.close()
      }
    })

    test('there, but only to be read: it is away until it may be written to', async () => {
      await using house = await opened()
      const { store, told, redis } = house
      const operator = new Redis(redis.url)
      try {
        await operator.replicaof('127.0.0.1', '1')
        for (let n = 0; n < 5; n++) assert.equal(await tryTake(store), 'away')
        await sleep(2_500)
        assert.deepEqual(told, ['lost'])
        await operator.replicaof('NO', 'ONE')
        await until(async () => (await tryTake(store)) === 'counted')
        assert.deepEqual(told, ['lost', 'back'])
      } finally {
        operator.disconnect()
      }
    })
  })
