import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, suite, test } from 'node:test'
import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { addTiered, expectTooMany, rateLimitOf, openLimitedWorld, countStatuses } from './limited-world.ts'
import { addSpace, addTarget } from './records.ts'

// The headers tell what the caller may really still send: a client that believes them is never refused.

const world = await openLimitedWorld({ INTERNAL_SERVICE_TOKEN: 'inside', TEST_EMAIL_PER_HOUR: '2' })
after(() => world[Symbol.asyncDispose]())
const ownerOf = async (tier: string) => (await addTiered(world, tier)).as('owner')

suite('rate limit headers', () => {
  for (const [name, path] of [
    ['an operation with a burst', '/api/v1/spaces'],
    ['an operation with a stated limit', '/api/v1/bookings'],
  ] as const)
    test(`${name}: as many go through as were left, and what is left never rises`, async () => {
      const caller = await ownerOf('free')
      const [limit, remaining] = rateLimitOf(await caller.post(path, {}))!
      assert.equal(remaining, limit - 1)
      for (let next = remaining - 1; next >= 0; next--)
        assert.deepEqual(rateLimitOf(await caller.post(path, {})), [limit, next])
      expectTooMany(await caller.post(path, {}))
    })

  test('the budget decides where it is tighter than the limit of the operation', async () => {
    const caller = await ownerOf('enterprise')
    const analytics = () => caller.get('/api/v1/admin/analytics')
    assert.deepEqual(rateLimitOf(await analytics()), [20, 19])
    assert.deepEqual(rateLimitOf(await caller.get('/api/v1/properties')), [1_000, 949])
    // 949 tokens are 18 times 50.
    assert.deepEqual(rateLimitOf(await analytics()), [20, 17])
    assert.deepEqual(rateLimitOf(await caller.post('/api/v1/bookings', {})), [100, 88])
    // PostgreSQL may be too slow for one of the 17 that go through; the limiter has counted it all the same.
    assert.equal((await countStatuses(18, analytics))[429], 1)
    assert.deepEqual(rateLimitOf(await caller.get('/api/v1/properties')), [1_000, 38])
    assert.deepEqual(rateLimitOf(await caller.post('/api/v1/bookings', {})), [100, 2])
  })

  test('an exhausted operation does not affect others', async () => {
    const caller = await ownerOf('free')
    assert.deepEqual(await countStatuses(11, () => caller.post('/api/v1/bookings', {})), { 400: 10, 429: 1 })
    assert.deepEqual(rateLimitOf(await caller.get('/api/v1/bookings')), [100, 99])
  })

  test('both paths of spaces share one limit', async () => {
    const caller = await ownerOf('free')
    const { id } = await addSpace(caller)
    for (const [at, path] of ['spaces', 'properties', 'spaces?limit=1', 'properties'].entries())
      assert.deepEqual(rateLimitOf(await caller.get(`/api/v1/${path}`)), [100, 99 - at])
    for (const [at, path] of ['properties', 'spaces', 'properties'].entries())
      assert.deepEqual(rateLimitOf(await caller.get(`/api/v1/${path}/${id}`)), [300, 299 - at])
  })
})

suite('messages of a PMS', () => {
  let sent = 0
  const send = (path: string, more: object = {}) =>
    world.caller(null).post(path, { id: `evt_${++sent}`, type: 'ping', ...more })
  const targetOf = async (caller: TestCaller) => (await addTarget(caller)).id as string

  test('have the limit of the tier, wherever they name their target', async () => {
    for (const [tier, limit] of [
      ['free', 100],
      ['paid', 1_000],
      ['enterprise', 10_000],
    ] as const) {
      const target = await targetOf(await ownerOf(tier))
      assert.deepEqual(rateLimitOf(await send(`/webhooks/pms/${target}`)), [limit, limit - 1])
      assert.deepEqual(rateLimitOf(await send(`/webhooks/pms?target=${target}`)), [limit, limit - 2])
      const named = rateLimitOf(await send('/webhooks/pms', { channel_target_id: target }))!
      assert.equal(named[0], limit)
      assert.ok(named[1] <= limit - 3 && named[1] > limit - 50, String(named))
    }
  })

  test('that name their target in the body are refused beyond it, without affecting others', async () => {
    const [target, other] = [await targetOf(await ownerOf('free')), await targetOf(await ownerOf('free'))]
    const named = (id: string) => send('/webhooks/pms', { channel_target_id: id })
    assert.deepEqual(await countStatuses(102, () => named(target)), { 200: 100, 429: 2 })
    expectTooMany(await named(target))
    expectStatus(await named(other), 200)
  })
})

test('messages of strangers take nothing from the limit of the PMS', async () => {
  await using own = await openLimitedWorld({ TRUST_PROXY: '1' })
  const { id } = await addTarget(await (await addTiered(own, 'free')).as('owner'))
  for (const [path, body] of [
    [`/webhooks/pms/${id}`, { type: 'ping' }],
    ['/webhooks/pms', { type: 'ping', channel_target_id: id }],
  ] as const) {
    const send = (address: string) =>
      own.caller(null).post(path, { id: randomUUID(), ...body }, { 'x-forwarded-for': address })
    await countStatuses(101, () => send('203.0.113.7'))
    expectTooMany(await send('203.0.113.7'))
    expectStatus(await send('198.51.100.1'), 200)
  }
})

suite('the internal token', () => {
  const testMail = { to: 'ops@casa.example', subject: 'Hello', body: 'Is anybody there?' }
  const inside = { 'x-internal-token': 'inside' }

  test('lifts the limit of test mails, and takes nothing from it', async () => {
    const owner = await ownerOf('free')
    const mail = (headers?: Record<string, string>) =>
      owner.post('/api/v1/test/send-email', testMail, headers)
    assert.deepEqual(await countStatuses(4, () => mail(inside)), { 201: 4 })
    assert.deepEqual(await countStatuses(3, () => mail()), { 201: 2, 429: 1 })
    expectStatus(await mail(inside), 201)
    assert.equal((await mail({ 'x-internal-token': 'outside' })).status, 429)
  })

  test('lifts it where requests are not counted, too', async () => {
    await using plain = await openLimitedWorld({
      ...{ RATE_LIMITS: 'false', INTERNAL_SERVICE_TOKEN: 'inside', TEST_EMAIL_PER_HOUR: '1' },
    })
    const owner = await plain.home.as('owner')
    const mail = (headers?: Record<string, string>) =>
      owner.post('/api/v1/test/send-email', testMail, headers)
    assert.deepEqual(await countStatuses(3, () => mail(inside)), { 201: 3 })
    assert.deepEqual(await countStatuses(2, () => mail()), { 201: 1, 429: 1 })
  })
})
