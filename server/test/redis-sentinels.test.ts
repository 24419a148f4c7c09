import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkRedis } from '../src/command-line/doctor-services.ts'
import { readConfig } from '../src/config/config.ts'
import { StoreUnavailable, type Limit } from '../src/integrations/counters/counters.ts'
import { redisCounters } from '../src/integrations/counters/redis-counters.ts'
import { sharedRedis } from './own-redis.ts'
import { startSentinels } from './own-sentinels.ts'

const limit: Limit = { key: randomUUID(), max: 1e6, burst: null, cost: 1, windowMs: 60_000 }

if (sharedRedis)
  test('counts at the primary that the sentinels name, also after a failover, and `doctor` pings it', async () => {
    await using redis = await startSentinels()
    const config = (name: string) =>
      readConfig({
        DATABASE_URL: 'postgres://db.example/vacancy',
        OIDC_ISSUER: 'https://login.example/',
        OIDC_AUDIENCE: 'https://api.example',
        SECRET_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
        REDIS_URL: `redis://${name}`,
        REDIS_SENTINELS: redis.sentinels,
      })
    const { url, ...settings } = config('vacancy').redis
    const store = await redisCounters({ url: url!, ...settings, onLost() {}, onBack() {} })
    const isCounted = () =>
      store.take([limit]).then(
        () => true,
        (error: unknown) => (error instanceof StoreUnavailable ? false : Promise.reject(error as Error)),
      )
    const findPrimary = async (name = 'vacancy') =>
      /^127\.0\.0\.1:\d+/.exec(await checkRedis(config(name))!.run())![0]
    try {
      while (!(await isCounted())) await sleep(20)
      const first = await findPrimary()
      await redis.killPrimary()
      assert.equal(await isCounted(), false)
      while (!(await isCounted())) await sleep(20)
      assert.notEqual(await findPrimary(), first)
      await assert.rejects(findPrimary('another'), /knows no primary named another/)

      await redis.hangSentinels()
      // So many that the breaker opens, and its probes close connections that are being made.
      for (let n = 0; n < 10; n++) assert.equal(await isCounted(), false)
      await sleep(4_000)
      redis.resumeSentinels()
      while (!(await isCounted())) await sleep(20)
    } finally {
      await store.close()
    }
  })
