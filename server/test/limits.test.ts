import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { orgBudget, tierOf } from '#http/rate-limit-table.ts'
import type { Reply, TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { addTiered, expectTooMany, rateLimitOf, openLimitedWorld, countStatuses } from './limited-world.ts'
import { addSpace, addTarget, addUnit, unknownId } from './records.ts'

/** Each rule on limits, as an organization meets it. */
const world = await openLimitedWorld({ INTERNAL_SERVICE_TOKEN: 'old-token,new-token' })
after(() => world[Symbol.asyncDispose]())
const ownerOf = async (tier: string) => (await addTiered(world, tier)).as('owner')

const tiers = ['free', 'paid', 'enterprise']
const rows: [string, (caller: TestCaller) => Promise<Reply>, number[]][] = [
  ['list properties', (caller) => caller.get('/api/v1/properties'), [100, 1_000, 1_000]],
  ['create booking', (caller) => caller.post('/api/v1/bookings', {}), [10, 100, 100]],
  ['search', (caller) => caller.get('/api/v1/availability'), [30, 300, 1_000]],
  ['list bookings', (caller) => caller.get('/api/v1/bookings'), [100, 100, 100]],
  ['admin analytics', (caller) => caller.get('/api/v1/admin/analytics'), [20, 20, 20]],
  // Ours: the others, with a burst of twice as many that is counted first: three times as many in all.
  ['another reading', (caller) => caller.get('/api/v1/units'), [300, 1_000, 1_000]],
  ['another writing', (caller) => caller.post('/api/v1/spaces', {}), [90, 900, 1_000]],
]

// What fits into a window: the limit of the operation, or the budget of 1,000 by its cost when that is less.
describe('limits of the operations', () => {
  for (const [name, ask, numbers] of rows)
    test(`${name}: ${numbers.join(', ')} for ${tiers.join(', ')}`, async () => {
      for (const [at, tier] of tiers.entries()) {
        const caller = await ownerOf(tier)
        const most = numbers[at]!
        assert.deepEqual(rateLimitOf(await ask(caller)), [most, most - 1])
        assert.deepEqual(rateLimitOf(await ask(caller)), [most, most - 2])
      }
    })

  test('refuses the 101st list of bookings in a minute, and each further one', async () => {
    const caller = await ownerOf('enterprise')
    assert.deepEqual(await countStatuses(100, () => caller.get('/api/v1/bookings')), { 200: 100 })
    const tooMany = await caller.get('/api/v1/bookings')
    expectTooMany(tooMany)
    const again = await caller.get('/api/v1/bookings')
    expectTooMany(again)
    assert.equal(again.headers.get('x-ratelimit-reset'), tooMany.headers.get('x-ratelimit-reset'))
    assert.equal(rateLimitOf(tooMany)![0], 100)
    expectStatus(await caller.get('/api/v1/units'), 200)
    expectStatus(await (await ownerOf('enterprise')).get('/api/v1/bookings'), 200)
  })

  test('all members of an organization share its limits', async () => {
    const organization = await addTiered(world, 'free')
    const [owner, viewer] = [await organization.as('owner'), await organization.as('viewer')]
    assert.deepEqual(rateLimitOf(await owner.get('/api/v1/bookings')), [100, 99])
    assert.deepEqual(rateLimitOf(await viewer.get('/api/v1/bookings')), [100, 98])
  })

  test('analytics are counted for each admin, and paid from the budget of all', async () => {
    const organization = await addTiered(world, 'free')
    const [owner, admin] = [await organization.as('owner'), await organization.as('admin')]
    for (const [at, caller] of [owner, admin, owner, admin].entries())
      assert.deepEqual(rateLimitOf(await caller.get('/api/v1/admin/analytics')), [20, 19 - at])
  })

  test('counts the limit after the burst, and refuses requests beyond both', async () => {
    const caller = await ownerOf('free')
    assert.deepEqual(await countStatuses(60, () => caller.post('/api/v1/spaces', {})), { 400: 60 })
    assert.deepEqual(rateLimitOf(await caller.post('/api/v1/spaces', {})), [90, 29])
    assert.deepEqual(await countStatuses(29, () => caller.post('/api/v1/spaces', {})), { 400: 29 })
    expectTooMany(await caller.post('/api/v1/spaces', { name: 'One too many' }))
    expectTooMany(await caller.post('/api/v1/spaces', { name: 'Two too many' }))
    const { spaces } = (await caller.get('/api/v1/spaces')).body as { spaces: object[] }
    assert.deepEqual(spaces, [])
  })

  test('an unknown tier is free', () => {
    for (const tier of ['', 'FREE', 'gold', 'constructor', '__proto__']) assert.equal(tierOf(tier), 'free')
    assert.deepEqual(tiers.map(tierOf), tiers)
  })
})

describe('the budget of an organization', () => {
  test('a thousand tokens in a minute: analytics cost 50', async () => {
    const organization = await addTiered(world, 'enterprise')
    const [owner, staff] = [await organization.as('owner'), await organization.as('staff')]
    assert.deepEqual(await countStatuses(20, () => owner.get('/api/v1/admin/analytics')), { 200: 20 })
    const tooMany = await staff.get('/api/v1/units')
    expectTooMany(tooMany)
    assert.equal(rateLimitOf(tooMany)![0], orgBudget)
    expectTooMany(await owner.get('/api/v1/properties'))
    expectStatus(await (await ownerOf('free')).get('/api/v1/units'), 200)
  })

  test('creating a booking costs 10, everything else 1, and a refused request nothing', async () => {
    const caller = await ownerOf('free')
    assert.deepEqual(await countStatuses(40, () => caller.post('/api/v1/bookings', {})), { 400: 10, 429: 30 })
    assert.deepEqual(await countStatuses(18, () => caller.get('/api/v1/admin/analytics')), { 200: 18 })
    // A hundred and 900 are spent now, so that nothing is left.
    expectTooMany(await caller.get('/api/v1/units'))

    const other = await ownerOf('free')
    assert.deepEqual(await countStatuses(19, () => other.get('/api/v1/admin/analytics')), { 200: 19 })
    assert.deepEqual(await countStatuses(50, () => other.get('/api/v1/calendar-feeds')), { 200: 50 })
    expectTooMany(await other.get('/api/v1/units'))
  })

  test('refuses a request that costs more than what is left', async () => {
    const caller = await ownerOf('paid')
    assert.deepEqual(await countStatuses(19, () => caller.get('/api/v1/admin/analytics')), { 200: 19 })
    expectStatus(await caller.get('/api/v1/units'), 200)
    expectTooMany(await caller.get('/api/v1/admin/analytics'))
    expectStatus(await caller.get('/api/v1/units'), 200)
  })
})

describe('the internal token', () => {
  const path = '/api/v1/bookings'

  test('its sender is not counted, even beyond the limit', async () => {
    const caller = await ownerOf('free')
    assert.deepEqual(await countStatuses(101, () => caller.get(path)), { 200: 100, 429: 1 })
    for (const token of ['old-token', 'new-token']) {
      const reply = await caller.get(path, { 'x-internal-token': token })
      expectStatus(reply, 200)
      assert.equal(rateLimitOf(reply), null)
    }
  })

  test('only the complete token is accepted', async () => {
    const caller = await ownerOf('free')
    const wrong = ['', 'new-toke', 'new-token2', 'NEW-TOKEN', 'old-token,new-token', 'new-token, new-token']
    for (const [at, token] of wrong.entries())
      assert.deepEqual(
        rateLimitOf(await caller.get(path, { 'x-internal-token': token })),
        [100, 99 - at],
        token,
      )
  })

  test('a bearer token is required too', async () => {
    const reply = await world.caller(null).get(path, { 'x-internal-token': 'new-token' })
    expectStatus(reply, 401)
    const viewer = await (await addTiered(world, 'free')).as('viewer')
    expectStatus(await viewer.post('/api/v1/spaces', {}, { 'x-internal-token': 'new-token' }), 403)
  })

  test('without one in the configuration none is accepted', async () => {
    await using plain = await openLimitedWorld({ INTERNAL_SERVICE_TOKEN: ' ' })
    const caller = await plain.home.as('owner')
    for (const token of ['', ' ', 'null', 'undefined'])
      assert.ok(rateLimitOf(await caller.get(path, { 'x-internal-token': token })), `"${token}"`)
  })
})

describe('headers', () => {
  test('are on every response of a counted request', async () => {
    const organization = await addTiered(world, 'paid')
    const owner = await organization.as('owner')
    const unit = await addUnit(owner)
    const read = await owner.get(`/api/v1/units/${unit.id}`)
    const etag = { 'if-none-match': read.headers.get('etag')! }
    const stale = { 'if-match': '"1-stale"' }
    const json = { 'content-type': 'application/json' }
    const viewer = await organization.as('viewer')
    const answers: [number, Reply][] = [
      [200, read],
      [304, await owner.get(`/api/v1/units/${unit.id}`, etag)],
      [200, await owner.send('HEAD', '/api/v1/units', {})],
      [400, await owner.get('/api/v1/units?limit=0')],
      [400, await owner.send('POST', '/api/v1/spaces', { body: '{', headers: json })],
      [401, await world.caller(null).get('/api/v1/units')],
      [401, await world.caller('no.token.atall').get('/api/v1/units')],
      [403, await viewer.post('/api/v1/spaces', { name: 'No' })],
      [404, await owner.get(`/api/v1/units/${unknownId}`)],
      [404, await owner.get('/api/v1/nothing')],
      [405, await owner.put('/api/v1/units', {})],
      [409, await owner.delete(`/api/v1/spaces/${unit.space_id}`)],
      [412, await owner.patch(`/api/v1/units/${unit.id}`, { name: 'New' }, stale)],
      [415, await owner.send('POST', '/api/v1/spaces', { body: 'x', headers: { 'content-type': 'a/b' } })],
      [422, await owner.post('/api/v1/units', { name: 'Lost', space_id: unknownId, base_price_cents: 1 })],
      [201, await owner.post('/api/v1/spaces', { name: 'New' })],
    ]
    for (const [status, reply] of answers) {
      expectStatus(reply, status)
      assert.ok(rateLimitOf(reply), `${status} says nothing of the limit`)
    }
    const stream = await fetch(`${world.url}/api/v1/sync/stream`, {
      headers: { authorization: `Bearer ${owner.token}` },
    })
    assert.equal(stream.headers.get('x-ratelimit-limit'), '1000')
    await stream.body!.cancel()
  })

  test('are not on uncounted requests: monitoring and pages', async () => {
    for (const path of ['/health', '/health/ready', '/metrics', '/docs/reference', '/api/v1/openapi.json'])
      assert.equal(rateLimitOf(expectOk(await world.caller(null).get(path))), null, path)
  })

  test('every decision is in the metrics', async () => {
    const { text } = await world.caller(null).get('/metrics')
    for (const line of ['limit="list_bookings",decision="refused"', 'limit="budget",decision="refused"'])
      assert.ok(text.includes(`vacancy_rate_limit_decisions_total{${line}}`), line)
  })
})

describe('messages to a channel target', () => {
  const message = (n: number) => ({ id: `evt_${n}`, type: 'ping' })
  let sent = 0
  const send = (path: string) => world.caller(null).post(path, message(++sent))

  test('are counted for the target, in the tier of its organization', async () => {
    for (const [tier, most] of [['free', 100] as const, ['paid', 1_000] as const]) {
      const owner = await ownerOf(tier)
      const [one, other] = [await addTarget(owner), await addTarget(owner)]
      assert.deepEqual(rateLimitOf(await send(`/webhooks/pms/${one.id}`)), [most, most - 1])
      assert.deepEqual(rateLimitOf(await send(`/webhooks/pms/${one.id.toUpperCase()}`)), [most, most - 2])
      assert.deepEqual(rateLimitOf(await send(`/webhooks/pms?target=${one.id}`)), [most, most - 3])
      assert.deepEqual(rateLimitOf(await send(`/webhooks/pms/${other.id}`)), [most, most - 1])
      assert.deepEqual(rateLimitOf(await owner.get('/api/v1/bookings')), [100, 99])
    }
  })

  test('accepts 100 a minute, refuses the next one, and does not affect other targets', async () => {
    const owner = await ownerOf('free')
    const [one, other] = [await addTarget(owner), await addTarget(owner)]
    assert.deepEqual(await countStatuses(302, () => send(`/webhooks/pms/${one.id}`)), { 200: 100, 429: 202 })
    expectStatus(await send(`/webhooks/pms/${other.id}`), 200)
    // The budget is for what the organization asks for itself.
    assert.deepEqual(await countStatuses(19, () => owner.get('/api/v1/admin/analytics')), { 200: 19 })
  })

  test('that name no target are counted by where they come from, among the unknown callers', async () => {
    const [most, remaining] = rateLimitOf(await send('/webhooks/pms'))!
    assert.equal(most, 100)
    assert.deepEqual(rateLimitOf(await send('/webhooks/pms?target=nobody')), [100, remaining - 1])
    assert.deepEqual(rateLimitOf(await send(`/webhooks/pms/${unknownId}`)), [100, remaining - 2])
  })
})

const expectOk = (reply: Reply) => (expectStatus(reply, 200), reply)

test('counts requests for unknown records too', async () => {
  const caller = await ownerOf('free')
  const space = await addSpace(caller)
  for (const [at, id] of [space.id, unknownId, 'no-id'].entries())
    assert.deepEqual(rateLimitOf(await caller.get(`/api/v1/spaces/${id}`)), [300, 299 - at])
})
