import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { callerFor, type TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { addTiered, expectTooMany, rateLimitOf, openLimitedWorld } from './limited-world.ts'
import { startTestProcess } from './test-process.ts'
import { sharedRedis, startRedis } from './own-redis.ts'
import type { World } from './world.ts'

/** Several processes that count on one Redis, and what they do without it. */

const bookings = '/api/v1/bookings'

async function until(condition: () => Promise<boolean>) {
  while (!(await condition())) await sleep(20)
}

/** What the figures of a process say of requests to list bookings, and of the store. */
async function figures(caller: TestCaller) {
  const { text } = await caller.get('/metrics')
  const read = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? 0)
  const decided = (decision: string) =>
    read(`vacancy_rate_limit_decisions_total{limit="list_bookings",decision="${decision}"}`)
  return { unchecked: decided('unchecked'), isUp: read('vacancy_rate_limit_store_up') }
}

async function redisOf(caller: TestCaller): Promise<unknown> {
  const reply = await caller.get('/health')
  return expectStatus(reply, 200).checks.redis
}

if (sharedRedis)
  describe('two processes on one Redis', async () => {
    // Nobody is let through because a busy machine was slow.
    const world = await openLimitedWorld({ REDIS_URL: sharedRedis!, REDIS_TIMEOUT_MS: '10000' })
    after(() => world[Symbol.asyncDispose]())
    const { config } = world
    const other = await startTestProcess('api', {
      PORT: '0',
      DATABASE_URL: config.database.url,
      OIDC_ISSUER: config.identity.issuer,
      OIDC_AUDIENCE: config.identity.audience,
      SECRET_KEYS: `other:${Buffer.alloc(32, 1).toString('base64')}`,
      REDIS_URL: sharedRedis!,
      REDIS_TIMEOUT_MS: '10000',
      RATE_LIMITS: 'true',
      LOG_LEVEL: 'silent',
    })
    after(() => other[Symbol.asyncDispose]())
    const there = (caller: TestCaller) => callerFor(other.facts.url!, caller.token)

    test('of a thousand requests at once against a limit of a hundred, a hundred go through', async () => {
      const here = await (await addTiered(world, 'enterprise')).as('owner')
      const callers = [here, there(here)]
      // Both have cached the caller, so that a busy database does not matter.
      for (const caller of callers) expectStatus(await caller.get('/api/v1/auth/session'), 200)
      const replies = await Promise.all(
        Array.from({ length: 1_000 }, (_, n) => callers[n % 2]!.get(bookings)),
      )
      // After they are counted, a busy database may answer some of them with 503.
      const passed = replies.filter(({ status }) => status !== 429)
      for (const reply of passed) assert.ok(rateLimitOf(reply), `${reply.status} before it was counted`)
      assert.equal(passed.length, 100)
      assert.deepEqual(
        passed.map((reply) => rateLimitOf(reply)![1]).sort((a, b) => a - b),
        Array.from({ length: 100 }, (_, n) => n),
      )
      for (const reply of replies) if (reply.status === 429) expectTooMany(reply)
      const ends = new Set(replies.map(({ headers }) => headers.get('x-ratelimit-reset')))
      assert.equal(ends.size, 1, 'one window, for all of them')
    })

    test('what one has counted the other knows, and an organization of its own is not concerned', async () => {
      const here = await (await addTiered(world, 'free')).as('owner')
      assert.deepEqual(rateLimitOf(await here.get('/api/v1/admin/analytics')), [20, 19])
      assert.deepEqual(rateLimitOf(await there(here).get('/api/v1/admin/analytics')), [20, 18])
      const stranger = await (await addTiered(world, 'free')).as('owner')
      assert.deepEqual(rateLimitOf(await there(stranger).get(bookings)), [100, 99])
    })
  })

if (sharedRedis)
  describe('a process whose Redis is away', () => {
    // A busy machine is no outage.
    const patient = { REDIS_TIMEOUT_MS: '1000' }
    /** Asks one after the other, and all are answered. */
    const ask = async (caller: TestCaller, count: number) => {
      const replies = []
      for (let n = 0; n < count; n++) replies.push(await caller.get(bookings))
      for (const reply of replies) expectStatus(reply, 200)
      return replies.map(rateLimitOf)
    }
    const counts = async (world: World, caller: TestCaller) => {
      await until(async () => rateLimitOf(await caller.get(bookings)) !== null)
      await until(async () => (await redisOf(caller)) === 'healthy')
      assert.equal((await figures(world.caller(null))).isUp, 1)
    }

    test('hung: every request is let through, uncounted; later they are counted again', async () => {
      await using redis = await startRedis()
      await using world = await openLimitedWorld({ REDIS_URL: redis.url, ...patient })
      const caller = await (await addTiered(world, 'enterprise')).as('owner')
      const anonymous = world.caller(null)
      assert.deepEqual(await ask(caller, 2), [[100, 99], [100, 98]]) // prettier-ignore
      assert.equal(await redisOf(caller), 'healthy')
      redis.hang()
      assert.deepEqual(new Set(await ask(caller, 150)), new Set([null]))
      const all = await Promise.all(Array.from({ length: 100 }, () => caller.get(bookings)))
      for (const reply of all) expectStatus(reply, 200)
      // The answer of /health is up to two seconds old.
      await until(async () => (await redisOf(caller)) === 'unhealthy')
      assert.deepEqual(await figures(anonymous), { unchecked: 250, isUp: 0 })
      redis.resume()
      await counts(world, caller)
    })

    test('dead, and back empty', async () => {
      await using redis = await startRedis()
      await using world = await openLimitedWorld({ REDIS_URL: redis.url, ...patient })
      const caller = await (await addTiered(world, 'enterprise')).as('owner')
      await ask(caller, 1)
      await redis.kill()
      assert.deepEqual(new Set(await ask(caller, 150)), new Set([null]))
      assert.equal(await redisOf(caller), 'unhealthy')
      await redis.restart()
      await counts(world, caller)
    })

    test('never there: the process starts, and serves', async () => {
      await using world = await openLimitedWorld({ REDIS_URL: 'redis://127.0.0.1:1' })
      const caller = await world.home.as('owner')
      assert.deepEqual(new Set(await ask(caller, 10)), new Set([null]))
      assert.equal(await redisOf(caller), 'unhealthy')
    })
  })
