import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { readConfig } from '#config/config.ts'
import { orgBudget } from '#http/rate-limit-table.ts'
import { clientNetwork } from '#http/rate-limits.ts'
import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { addTiered, expectTooMany, rateLimitOf, openLimitedWorld, countStatuses } from './limited-world.ts'
import { addTarget, unknownId } from './records.ts'

/** Ways around a limit that have worked elsewhere, and what is left of the limits. */
const world = await openLimitedWorld()
after(() => world[Symbol.asyncDispose]())
const anOwner = async (of = world) => (await addTiered(of, 'free')).as('owner')

/** Asks for a path as it is written, which a client library would tidy first. */
async function raw(method: string, path: string, { token }: TestCaller, headers: string[] = []) {
  const { hostname, port } = new URL(world.url)
  const socket = connect(Number(port), hostname)
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: vacancy', 'Connection: close', ...headers]
  socket.write(`${[...lines, `Authorization: Bearer ${token}`].join('\r\n')}\r\n\r\n`)
  const answer = await text(socket)
  const find = (name: string) => new RegExp(`^${name}: (.*)\r$`, 'mi').exec(answer)?.[1]
  return {
    status: Number(answer.split(' ')[1]),
    left: [find('x-ratelimit-limit'), find('x-ratelimit-remaining')].map(Number),
  }
}

const spellings = [
  ['GET', '/api/v1/bookings?limit=1'],
  ['GET', '/api/v1/bookings?limit=2&sort=created_at'],
  ['GET', '/api/v1/bookings?'],
  ['GET', '/api/v1/bookings#part'],
  ['GET', '/api/v1/bookings;v=1'],
  ['GET', '/api/v1/%62ookings'],
  ['GET', '/api/v1/%62%6F%6f%6bings'],
  ['GET', '/api%2Fv1%2Fbookings'],
  ['GET', '/api/v1/bookings/'],
  ['GET', '/api/v1//bookings'],
  ['GET', '//api/v1/bookings'],
  ['GET', '/api/v1/./bookings'],
  ['GET', '/api/v1/units/../bookings'],
  ['GET', '/API/v1/bookings'],
  ['GET', '/api/v1/BOOKINGS'],
  ['GET', '/api/v1/bookings%20'],
  ['GET', '/api/v1/bookings%00'],
  ['GET', '/api/v1/bookings%2F'],
  ['GET', 'http://vacancy/api/v1/bookings'],
  ['GET', 'http://elsewhere.example/api/v1/bookings'],
  ['HEAD', '/api/v1/bookings'],
  ['HEAD', '/api/v1/bookings?limit=1'],
] as const

describe('there is no way around a limit', () => {
  test('by spelling the address in another way: it is the same counter, or no list', async () => {
    const caller = await anOwner()
    expectStatus(await caller.get('/api/v1/bookings'), 200)
    let remaining = 99
    for (const [method, path] of spellings) {
      const answer = await raw(method, path, caller)
      if (answer.status === 200) assert.deepEqual(answer.left, [100, --remaining], `${method} ${path}`)
      else {
        assert.ok([400, 404].includes(answer.status), `${method} ${path} answers ${answer.status}`)
        // What is refused for its query has been counted all the same.
        if (answer.status === 400 && answer.left[1] === remaining - 1) remaining -= 1
      }
    }
    assert.ok(remaining <= 94, 'some of them are the list')
    assert.deepEqual(rateLimitOf(await caller.get('/api/v1/bookings')), [100, remaining - 1])
  })

  test('once it is reached, none of them shows the list', async () => {
    const caller = await anOwner()
    await countStatuses(100, () => caller.get('/api/v1/bookings'))
    for (const [method, path] of spellings) {
      const { status } = await raw(method, path, caller)
      assert.ok([400, 404, 429].includes(status), `${method} ${path} answers ${status}`)
    }
    const more = ['X-HTTP-Method-Override: HEAD', 'X-Original-URL: /api/v1/units', 'X-Forwarded-For: 9.9.9.9']
    for (const header of [...more, 'X-Internal-Token: ', 'Idempotency-Key: new', 'Range: bytes=0-9'])
      assert.equal((await raw('GET', '/api/v1/bookings', caller, [header])).status, 429, header)
  })

  test('by another token, role or session of the same organization', async () => {
    const organization = await addTiered(world, 'free')
    const callers = await Promise.all(
      (['owner', 'admin', 'manager', 'staff', 'viewer', 'owner'] as const).map((role) =>
        organization.as(role),
      ),
    )
    for (const [at, caller] of callers.entries())
      assert.deepEqual(rateLimitOf(await caller.get('/api/v1/bookings')), [100, 99 - at])
  })

  test('by other ids: they are one operation', async () => {
    const caller = await anOwner()
    for (let n = 0; n < 5; n++) {
      const id = unknownId.replace(/0$/, String(n))
      assert.deepEqual(rateLimitOf(await caller.get(`/api/v1/bookings/${id}`)), [300, 299 - n])
    }
  })

  test('by asking all at once', async () => {
    const caller = await anOwner()
    const replies = await Promise.all(Array.from({ length: 300 }, () => caller.get('/api/v1/bookings')))
    assert.equal(replies.filter(({ status }) => status === 200).length, 100)
    for (const reply of replies) if (reply.status !== 200) expectTooMany(reply)
  })
})

describe('callers without a token', () => {
  test('are counted by their address, all together, and no good token suffers from it', async () => {
    await using own = await openLimitedWorld()
    const anonymous = own.caller(null)
    const paths = ['/api/v1/units', '/api/v1/bookings', '/nothing', '/api/v1/nothing', '/webhooks/pmz']
    for (const [at, path] of paths.entries())
      assert.deepEqual(rateLimitOf(await anonymous.get(path)), [100, 99 - at], path)
    const wrong = own.caller('eyJhbGciOiJub25lIn0.e30.')
    assert.deepEqual(await countStatuses(95, () => wrong.get('/api/v1/units')), { 401: 95 })
    const unknownTarget = `/webhooks/pms/${unknownId}`
    expectTooMany(await anonymous.post(unknownTarget, { id: '1', type: 'ping' }))
    expectTooMany(await anonymous.get('/api/v1/units'))
    expectTooMany(await wrong.get('/api/v1/units', { 'x-forwarded-for': '203.0.113.7' }))
    const owner = await own.home.as('owner')
    expectStatus(await owner.get('/api/v1/units'), 200)
    const target = await addTarget(owner)
    expectStatus(await anonymous.post(`/webhooks/pms/${target.id}`, { id: '1', type: 'ping' }), 200)
    expectStatus(await anonymous.get('/health'), 200)
  })

  test('cannot claim to be elsewhere, unless a proxy that we know says it', async () => {
    const asks = async (proxies: string) => {
      await using own = await openLimitedWorld({ TRUST_PROXY: proxies })
      const found = []
      for (const forwardedFor of [
        '1.1.1.1',
        '2.2.2.2',
        '6.6.6.6, 1.1.1.1',
        '1.1.1.1, 6.6.6.6',
        '8.8.8.8, 1.1.1.1',
      ])
        found.push(
          rateLimitOf(await own.caller(null).get('/api/v1/units', { 'x-forwarded-for': forwardedFor }))![1],
        )
      return found
    }
    assert.deepEqual(await asks('false'), [99, 98, 97, 96, 95], 'no proxy is trusted')
    assert.deepEqual(await asks('true'), [99, 99, 98, 99, 97], 'one proxy: its own word, at the end')
    assert.deepEqual(await asks('1'), [99, 99, 98, 99, 97])
    assert.deepEqual(await asks('127.0.0.0/8, ::1'), [99, 99, 98, 99, 97], 'those proxies alone')
    assert.deepEqual(await asks('10.0.0.0/8'), [99, 98, 97, 96, 95], 'we are asked by another')
    assert.deepEqual(await asks('2'), [99, 99, 99, 98, 99], 'two proxies')
  })

  test('are not believed when the configuration of the proxies cannot be', () => {
    for (const value of ['proxy.example', '10', '-1', '10.0.0.0/33', '::/0', '10.0.0.0/', '10.0.0.1,', '1.2'])
      assert.throws(() => readConfig({ TRUST_PROXY: value }), /TRUST_PROXY must be/, value)
    for (const value of ['false', '0', '3', '10.0.0.1', '10.0.0.0/8, fd00::/8'])
      assert.throws(
        () => readConfig({ TRUST_PROXY: value }),
        (error: Error) => !error.message.includes('TRUST_PROXY'),
      )
  })

  test('are a network where each has one, and one machine by both its kinds of address', () => {
    const networks = [
      ['203.0.113.7', '203.0.113.7'],
      ['::ffff:203.0.113.7', '203.0.113.7'],
      ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
      ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
      ['2001:DB8:0001:2:3::', '2001:db8:1:2::/64'],
      ['2001:db8::1', '2001:db8:0:0::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
      ['::1', '0:0:0:0::/64'],
      ['203.0.113.7:49152', '203.0.113.7'],
      ['[2001:db8:1:2::1]:49152', '2001:db8:1:2::/64'],
      ['unknown', 'unknown'],
      ['x'.repeat(500), 'x'.repeat(64)],
    ]
    for (const [ip, network] of networks) assert.equal(clientNetwork(ip!), network, ip)
  })
})

describe('what is left of the limits', () => {
  const read = async (caller: TestCaller) =>
    expectStatus(await caller.get('/api/v1/rate-limits'), 200).rate_limits as {
      tier: string
      budget: Count
      operations: { operation: string; cost: number; requests: Count }[]
    }
  interface Count {
    max: number
    remaining: number
    resets_at: string | null
  }

  test('is what the requests so far have left, and reading it takes nothing from the budget', async () => {
    const caller = await anOwner()
    const { budget, tier } = await read(caller)
    assert.deepEqual(
      [tier, budget.max, budget.remaining, budget.resets_at],
      ['free', orgBudget, orgBudget, null],
    )
    await caller.get('/api/v1/units')
    await caller.post('/api/v1/bookings', {})
    const { budget: left, operations } = await read(caller)
    assert.deepEqual([left.remaining, left.resets_at !== null], [orgBudget - 11, true])
    const of = (name: string) => {
      const { cost, requests } = operations.find(({ operation }) => operation === name)!
      return [cost, requests.max, requests.remaining, requests.resets_at !== null]
    }
    assert.deepEqual(of('GET /api/v1/units'), [1, 300, 299, true])
    assert.deepEqual(of('POST /api/v1/bookings'), [10, 10, 9, true])
    assert.deepEqual(of('GET /api/v1/units/{id}'), [1, 300, 300, false])
    assert.deepEqual(of('GET /api/v1/rate-limits').slice(0, 3), [0, 300, 298])
  })

  test('lists the operations that the caller may use', async () => {
    const { operations } = await read(await (await addTiered(world, 'paid')).as('viewer'))
    const names = operations.map(({ operation }) => operation)
    assert.ok(names.includes('GET /api/v1/bookings'))
    assert.ok(!names.includes('POST /api/v1/bookings'))
  })
})
