import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { accountId, openHostaway, villa, type Hostaway } from '../../test/hostaway-caller.ts'
import { openReceiver } from '../../test/webhook-receiver.ts'

let hostaway: Hostaway
let id: number
before(async () => {
  hostaway = await openHostaway()
  id = await hostaway.addListing()
})
after(() => hostaway.close())

const price = (listing: number, value: number) =>
  hostaway.call('PUT', `/listings/${listing}`, { price: value })
const readPrice = async (listing = id) =>
  (await hostaway.call('GET', `/listings/${listing}`)).body.result.price

describe('faults', () => {
  afterEach(() => hostaway.control('DELETE', 'faults'))
  const fault = (rule: object) => hostaway.control('PUT', 'faults', { times: 1, ...rule })

  test('down has no effect; lose_reply takes effect without a reply', async () => {
    await fault({ mode: 'down' })
    await assert.rejects(price(id, 1), TypeError)
    assert.equal(await readPrice(), villa.price)
    await fault({ mode: 'lose_reply' })
    await assert.rejects(price(id, 2), TypeError)
    assert.equal(await readPrice(), 2)
  })

  test('slow answers correctly after the delay', async () => {
    await fault({ mode: 'slow', delay_ms: 50 })
    const slow = price(id, 3)
    while (((await calls()).at(-1) as { fault: string }).fault !== 'slow') continue
    assert.equal((await slow).body.result.price, 3)
  })

  test('hang never answers', async () => {
    const other = await openHostaway()
    await other.control('PUT', 'faults', { mode: 'hang' })
    const outcome = other.call('GET', '/listings').catch((error: unknown) => error)
    while ((await other.control('GET', 'calls')).body.calls.at(-1).fault !== 'hang') continue
    await other.close()
    assert.ok((await outcome) instanceof TypeError)
  })

  test('garbage is not JSON, or JSON of another shape', async () => {
    await fault({ mode: 'garbage' })
    await assert.rejects(price(id, 4), SyntaxError)
    await fault({ mode: 'garbage', code: 'shape' })
    assert.deepEqual((await price(id, 4)).body, { status: 'success', result: 'none', count: '7' })
    assert.notEqual(await readPrice(), 4)
  })

  test('refusals are in the envelope, with retry-after only if the rule names it', async () => {
    await fault({ mode: 'refuse', status: 503, code: 'maintenance', retry_after: 7 })
    const refused = await price(id, 5)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '7'])
    assert.deepEqual(refused.body, { status: 'fail', result: 'maintenance' })
    await fault({ mode: 'rate_limit', limit: 0 })
    const limited = await price(id, 5)
    assert.deepEqual([limited.status, limited.headers.get('retry-after')], [429, null])
    assert.match(limited.body.message, /rate limits/)
  })

  test('a rule applies to the account and the listing it names', async () => {
    const other = await hostaway.addListing()
    const rule = { mode: 'refuse', status: 500, property: String(accountId), external_id: String(other) }
    await fault({ ...rule, times: 9 })
    assert.equal((await price(id, 6)).status, 200)
    assert.equal((await price(other, 6)).status, 500)
  })
})

const calls = async (): Promise<object[]> => (await hostaway.control('GET', 'calls')).body.calls

describe('the control routes', () => {
  test('lists the calls with their account and listing', async () => {
    await hostaway.control('DELETE', 'calls')
    const range = { startDate: '2031-05-01', endDate: '2031-05-02', price: 9 }
    await hostaway.call('PUT', `/listings/${id}/calendarIntervals`, [range])
    const [call, ...more] = await calls()
    assert.equal(more.length, 0)
    const { n: _n, at: _at, ...rest } = call as { n: number; at: string }
    assert.deepEqual(rest, {
      method: 'PUT',
      path: `/v1/listings/${id}/calendarIntervals`,
      property: String(accountId),
      external_id: String(id),
      status: 200,
      idempotency_key: null,
      traceparent: null,
      fault: null,
      body: [range],
    })
  })

  test('refuses invalid control requests', async () => {
    for (const [method, path, body, status] of [
      ['GET', 'nothing', undefined, 404],
      ['PUT', 'accounts', { account_id: 'x', api_key: 'y' }, 422],
      ['PUT', 'accounts', { account_id: 1 }, 422],
      ['POST', 'listings', { account_id: accountId }, 422],
      ['PATCH', 'listings/1', { units: 2 }, 404],
      ['PATCH', 'reservations/1', {}, 404],
      ['POST', 'reservations', { account_id: accountId, listingMapId: id }, 422],
      ['PUT', 'clock', { ahead_ms: -1 }, 422],
      ['PUT', 'clock', { ahead_ms: 1e15 }, 422],
      ['PUT', 'limits', { ip: 'many' }, 422],
      ['POST', 'deliveries/release', { order: 'any' }, 422],
      ['PUT', 'faults', { mode: 'explode' }, 422],
    ] as const) {
      assert.equal((await hostaway.control(method, path, body)).status, status, `${method} ${path}`)
    }
  })

  test('a listing can have a chosen id, which no other record gets', async () => {
    const other = await hostaway.addListing()
    const given = await hostaway.addListing({ id: other + 2 })
    assert.equal(given, other + 2)
    const next = [await hostaway.addListing(), await hostaway.addListing()]
    assert.deepEqual(next, [other + 1, other + 3])
  })

  test('clears deliveries', async () => {
    assert.equal((await hostaway.control('DELETE', 'deliveries')).status, 204)
    assert.deepEqual((await hostaway.control('GET', 'deliveries')).body, { deliveries: [] })
  })
})

describe('persistence', () => {
  let home: string
  before(() => (home = mkdtempSync(join(tmpdir(), 'hostaway-'))))
  after(() => rmSync(home, { recursive: true }))

  test('all state survives a restart, even with an incomplete line, and ids continue', async () => {
    const shown = async ({ call }: Hostaway, listing: number) => [
      (await call('GET', `/listings/${listing}`)).body,
      (await call('GET', `/listings/${listing}/calendar?startDate=2031-05-01&endDate=2031-05-09`)).body,
      (await call('GET', '/reservations')).body,
      (await call('GET', '/webhooks/unifiedWebhooks')).body,
    ]
    const first = await openHostaway(home)
    const listing = await first.addListing({ units: 3 })
    const range = { startDate: '2031-05-01', endDate: '2031-05-09', price: 70 }
    await first.call('PUT', `/listings/${listing}/calendarIntervals`, [range])
    await first.call('POST', '/webhooks/unifiedWebhooks', { url: 'http://127.0.0.1:9/' })
    const stay = { channelId: 2000, arrivalDate: '2031-05-02', departureDate: '2031-05-04' }
    await first.call('POST', '/reservations', { ...stay, listingMapId: listing, status: 'inquiry' })
    const before = await shown(first, listing)
    await first.close()
    appendFileSync(join(home, 'hostaway.jsonl'), '[["listing","1",{"id')

    const second = await openHostaway(home)
    assert.deepEqual(await shown(second, listing), before)
    const headers = { authorization: `Bearer ${first.token}` }
    await second.setClockAhead(2000)
    assert.equal((await second.call('GET', '/listings', undefined, headers)).status, 200)
    const next = await second.addListing()
    assert.ok(next > listing)
    await second.close()

    await using third = await openHostaway(home)
    assert.equal((await third.call('GET', `/listings/${next}`)).status, 200)
  })

  test('an event not delivered before a restart is retried after it', async () => {
    const receiver = await openReceiver()
    receiver.status = 503
    const first = await openHostaway(home)
    await first.call('POST', '/webhooks/unifiedWebhooks', { url: receiver.url })
    await first.control('POST', 'events', { account_id: accountId, object: 'o', event: 'e', data: { n: 1 } })
    await first.setClockAhead(0)
    await first.close()
    receiver.status = 200
    await using second = await openHostaway(home)
    await second.setClockAhead(60_000)
    assert.deepEqual(
      receiver.bodies.map(({ data }) => data.n),
      [1, 1],
    )
    await receiver.close()
  })
})
