import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { accountId, apiKey, fetchToken, openHostaway, type Hostaway } from '../../test/hostaway-caller.ts'
import { startHostaway } from './server.ts'

let hostaway: Hostaway
before(async () => (hostaway = await openHostaway()))
after(() => hostaway.close())

const listings = (token: string) =>
  hostaway.call('GET', '/listings', undefined, { authorization: `Bearer ${token}` })

describe('access tokens', () => {
  test('an account id and its key get a token for 24 months, valid after a second', async () => {
    const { status, body } = await fetchToken(hostaway.url)
    assert.equal(status, 200)
    const { access_token, ...rest } = body
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 63_072_000 })
    assert.equal((await listings(access_token)).status, 403)
    await hostaway.setClockAhead(1000)
    assert.equal((await listings(access_token)).status, 200)
  })

  const refused: [string, Record<string, string | undefined>, number, string][] = [
    ['a wrong key', { client_secret: 'wrong' }, 401, 'invalid_client'],
    ['an unknown account', { client_id: '1' }, 401, 'invalid_client'],
    ['no key', { client_secret: undefined }, 400, 'invalid_request'],
    ['another grant', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['another scope', { scope: 'all' }, 400, 'invalid_scope'],
  ]
  for (const [name, given, status, error] of refused) {
    test(`${name} is ${status} ${error}`, async () => {
      const answer = await fetchToken(hostaway.url, given)
      assert.deepEqual([answer.status, answer.body.error], [status, error])
    })
  }

  test('a request that is not form-encoded is refused', async () => {
    const { status, body } = await hostaway.call('POST', '/accessTokens', { client_id: accountId })
    assert.deepEqual([status, body.error], [400, 'invalid_request'])
  })

  test('no token, an unknown, a revoked and an expired one are 403 in the envelope', async () => {
    const without = await hostaway.call('GET', '/listings', undefined, { authorization: '' })
    assert.equal(without.status, 403)
    assert.deepEqual([without.body.status, typeof without.body.result], ['fail', 'string'])
    assert.equal((await listings('made-up')).status, 403)

    const token = (await fetchToken(hostaway.url)).body.access_token
    await hostaway.setClockAhead(1000)
    const revoked = await hostaway.call('DELETE', `/accessTokens?token=${token}`)
    assert.deepEqual(revoked.body, { status: 'success', result: [] })
    assert.equal((await listings(token)).status, 403)

    await using other = await openHostaway()
    await other.setClockAhead(63_072_000_000)
    assert.equal((await other.call('GET', '/listings')).status, 403)
  })

  test('tokens can be invalidated on demand', async () => {
    await using other = await openHostaway()
    assert.equal((await other.control('DELETE', 'tokens')).status, 204)
    assert.equal((await other.call('GET', '/listings')).status, 403)
  })

  test('records of another account are not found', async () => {
    const id = await hostaway.addListing()
    await hostaway.control('PUT', 'accounts', { account_id: 7, api_key: apiKey })
    const { access_token } = (await fetchToken(hostaway.url, { client_id: '7' })).body
    await hostaway.setClockAhead(1000)
    assert.deepEqual((await listings(access_token)).body.result, [])
    const headers = { authorization: `Bearer ${access_token}` }
    assert.equal((await hostaway.call('GET', `/listings/${id}`, undefined, headers)).status, 404)
    const seen = await hostaway.call('PUT', `/listings/${id}/calendarIntervals`, [], headers)
    assert.equal(seen.status, 404)
  })
})

describe('limits', () => {
  /** The status of a call from a given local address. */
  const statusFrom = ({ url, token }: Hostaway, localAddress: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` }
      request(`${url}/v1/listings`, { localAddress, headers }, (res) => {
        res.resume().on('end', () => resolve(res.statusCode))
      })
        .on('error', reject)
        .end()
    })

  const statuses = async (count: number, one: () => Promise<number | undefined>) => {
    const found = []
    for (let n = 0; n < count; n += 1) found.push(await one())
    return found
  }

  test('fifteen calls in ten seconds from an address, then 429 without retry-after', async () => {
    await using other = await openHostaway()
    await other.control('PUT', 'limits', { ip: 15, account: 20 })
    const call = () => other.call('GET', '/listings')
    assert.deepEqual(await statuses(15, async () => (await call()).status), Array(15).fill(200))
    const refused = await call()
    assert.equal(refused.status, 429)
    assert.equal(refused.body.status, 'fail')
    assert.match(refused.body.message, /exceeded the rate limits/)
    assert.equal(refused.headers.get('retry-after'), null)
    await other.setClockAhead(10_000)
    assert.equal((await call()).status, 200)
  })

  test('twenty calls in ten seconds of an account, from any address', async () => {
    await using other = await openHostaway()
    await other.control('PUT', 'limits', { ip: 15, account: 20 })
    assert.deepEqual(await statuses(10, () => statusFrom(other, '127.0.0.1')), Array(10).fill(200))
    assert.deepEqual(await statuses(11, () => statusFrom(other, '127.0.0.2')), [...Array(10).fill(200), 429])
  })

  test('a new server has the documented limits', async () => {
    const fresh = await startHostaway()
    const res = await fetch(`${fresh.url}/_control/limits`)
    assert.deepEqual(await res.json(), { limits: { ip: 15, account: 20, window_ms: 10_000 } })
    await fresh.close()
  })

  test('token requests count too', async () => {
    await using other = await openHostaway()
    await other.control('PUT', 'limits', { ip: 2 })
    const ask = async () => (await fetchToken(other.url)).status
    assert.deepEqual(await statuses(3, ask), [200, 200, 429])
  })
})

describe('the envelope', () => {
  test('unknown paths, methods and bodies that cannot be read fail in it', async () => {
    for (const [method, path, body, status] of [
      ['GET', '/nothing', undefined, 404],
      ['GET', '/listings/1', undefined, 404],
      ['DELETE', '/listings', undefined, 405],
      ['POST', '/listings', '{"name":', 400],
      ['POST', '/listings', [], 400],
    ] as const) {
      const answer = await hostaway.call(method, path, body)
      assert.equal(answer.status, status, path)
      assert.equal(answer.body.status, 'fail')
      assert.equal(typeof answer.body.result, 'string')
    }
    const plain = await hostaway.call('POST', '/listings', '{}', { 'content-type': 'text/plain' })
    assert.equal(plain.status, 415)
  })

  test('a list contains its page', async () => {
    await using other = await openHostaway()
    for (let n = 0; n < 5; n += 1) await other.addListing({ name: `Villa ${n}` })
    const { body } = await other.call('GET', '/listings?limit=2&offset=2')
    const { result, ...rest } = body
    assert.deepEqual(
      result.map(({ name }: { name: string }) => name),
      ['Villa 2', 'Villa 3'],
    )
    assert.deepEqual(rest, { status: 'success', limit: 2, offset: 2, count: 5, page: 2, totalPages: 3 })
    const all = (await other.call('GET', '/listings?limit=&offset=')).body
    assert.deepEqual([all.limit, all.offset, all.result.length], [100, 0, 5])
    assert.equal((await other.call('GET', '/listings?limit=-1')).status, 400)
    assert.equal((await other.call('GET', '/listings?limit=0')).body.result.length, 0)
  })
})
