import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  gateBefore,
  openHostawayAccount,
  openOddHostaway,
  type HostawayAccount,
} from '#test/hostaway-account.ts'
import { apiKey } from '../../../../../sandbox/test/hostaway-caller.ts'
import { PmsFailure } from '../pms-failure.ts'

let account: HostawayAccount
before(async () => (account = await openHostawayAccount()))
after(() => account.close())

const paths = (calls: { method: string; path: string; status: number | null }[]) =>
  calls.map(({ method, path, status }) => `${method} ${path.split('?')[0]} ${status}`)
const failed = (error: unknown, code: string) => {
  assert.ok(error instanceof PmsFailure, String(error))
  assert.equal(error.code, code)
  const all = JSON.stringify([error.message, error.hint, error.exchange, String(error.cause)])
  assert.ok(!all.includes(apiKey), all)
  return true
}

describe('tokens', () => {
  test('many calls share one token, and wait until it can be used', async () => {
    const { calls } = await account.sentBy(() =>
      Promise.all([1, 2, 3].map(() => account.connect().checkAccess({}))),
    )
    assert.deepEqual(paths(calls), [
      'POST /v1/accessTokens 200',
      'GET /v1/listings 200',
      'GET /v1/listings 200',
      'GET /v1/listings 200',
    ])
  })

  test('the token is reused by the next connection', async () => {
    const { calls } = await account.sentBy(() => account.connect().checkAccess({}))
    assert.deepEqual(paths(calls), ['GET /v1/listings 200'])
  })

  test('a refusal of a token that has ended fetches one new token for all', async () => {
    await account.control('DELETE', 'tokens')
    const { calls } = await account.sentBy(() =>
      Promise.all([1, 2, 3].map(() => account.connection.checkAccess({}))),
    )
    assert.deepEqual(paths(calls).sort(), [
      ...Array(3).fill('GET /v1/listings 200'),
      ...Array(3).fill('GET /v1/listings 403'),
      'POST /v1/accessTokens 200',
    ])
  })

  test('a new token that is refused is tried once more', async () => {
    await using other = await openHostawayAccount()
    const rateLimiter = gateBefore(2, () => other.fault({ mode: 'refuse', status: 403, times: 1 }))
    const { calls } = await other.sentBy(() => other.connection.checkAccess({ rateLimiter }))
    assert.deepEqual(paths(calls), [
      'POST /v1/accessTokens 200',
      'GET /v1/listings 403',
      'GET /v1/listings 200',
    ])
  })

  test('a second refusal is reported', async () => {
    await using other = await openHostawayAccount()
    await other.connection.checkAccess({})
    await other.fault({ mode: 'refuse', status: 403, code: `no entry with ${apiKey}` })
    const { calls } = await other.sentBy(() =>
      assert.rejects(other.connection.checkAccess({}), (error) => failed(error, 'auth_rejected')),
    )
    assert.equal(calls.length, 2)
  })

  test('a wrong key is refused, although the right one has a token', async () => {
    const wrong = account.connect({ credentials: { account_id: '10450', api_key: 'wrong' } })
    await assert.rejects(wrong.checkAccess({}), (error) => failed(error, 'auth_rejected'))
    const unknown = account.connect({ credentials: { account_id: '1', api_key: apiKey } })
    await assert.rejects(unknown.checkAccess({}), (error) => failed(error, 'auth_rejected'))
  })

  test('a refused key is tried again when it is asked for again', async () => {
    const connection = account.connect({ credentials: { account_id: '77', api_key: apiKey } })
    await assert.rejects(connection.checkAccess({}), (error) => failed(error, 'auth_rejected'))
    await account.control('PUT', 'accounts', { account_id: 77, api_key: apiKey })
    await connection.checkAccess({})
  })

  test('without credentials nothing is asked', async () => {
    const { calls } = await account.sentBy(() =>
      assert.rejects(account.connect({ credentials: null }).checkAccess({}), (error) =>
        failed(error, 'auth_rejected'),
      ),
    )
    assert.deepEqual(calls, [])
  })

  test('the address may name the version or not', async () => {
    for (const baseUrl of [`${account.url}/v1`, `${account.url}/v1/`, `${account.url}/`])
      await account.connect({ baseUrl }).checkAccess({})
  })

  test('every call passes the rate limiter, the one for a token too', async () => {
    await using other = await openHostawayAccount()
    const passed: string[] = []
    const rateLimiter = {
      acquire: async (kind: string) => void passed.push(kind),
      recordResponse() {},
      recordFailure() {},
    }
    await other.connection.checkAccess({ rateLimiter })
    assert.deepEqual(passed, ['calls', 'calls'])
  })

  test('a call that is given up does not wait for a token to ripen', async () => {
    await using other = await openHostawayAccount()
    const giving = new AbortController()
    const checking = other.connection.checkAccess({ signal: giving.signal })
    giving.abort(new Error('stopping'))
    await assert.rejects(checking, (error) => failed(error, 'network'))
    await other.connection.checkAccess({})
  })
})

describe('answers that are none', () => {
  for (const [name, fault, code] of [
    ['429', { mode: 'refuse', status: 429 }, 'rate_limited'],
    ['503', { mode: 'refuse', status: 503 }, 'pms_unavailable'],
    ['a page of HTML', { mode: 'garbage' }, 'pms_unavailable'],
    ['another shape', { mode: 'garbage', code: 'shape' }, 'pms_unavailable'],
    ['a closed connection', { mode: 'down' }, 'network'],
  ] as const)
    test(`${name} is ${code}`, async () => {
      await account.fault({ ...fault, times: 1 })
      await assert.rejects(account.connection.checkAccess({}), (error) => failed(error, code))
    })

  for (const [name, status, body, words] of [
    ['200 and fail', 200, { status: 'fail', message: 'no such thing' }, /no such thing/],
    ['a redirect', 302, undefined, /no Hostaway at this address: HTTP 302/],
  ] as const)
    test(`${name} is validation_rejected`, async () => {
      await using odd = await openOddHostaway(() => ({ status, body }))
      await assert.rejects(account.connect({ baseUrl: odd.url }).checkAccess({}), (error) => {
        assert.match((error as Error).message, words)
        return failed(error, 'validation_rejected')
      })
    })

  test('words that repeat the key are kept without it', async () => {
    await account.fault({ mode: 'refuse', status: 422, code: `${apiKey} may not`, times: 1 })
    await assert.rejects(account.connection.checkAccess({}), (error) => {
      assert.match((error as Error).message, /… may not/)
      return failed(error, 'validation_rejected')
    })
  })

  test('silence is a time-out', async () => {
    await account.fault({ mode: 'hang', times: 1 })
    const connection = account.connect({ timeoutMs: 200 })
    await assert.rejects(connection.checkAccess({}), (error) => failed(error, 'timeout'))
  })

  test('429 without a word on when to come back means after the window', async () => {
    const begunAt = Date.now()
    await account.fault({ mode: 'refuse', status: 429, times: 1 })
    await assert.rejects(account.connection.checkAccess({}), (error) => {
      assert.ok(error instanceof PmsFailure && error.retryAfter)
      assert.ok(error.retryAfter.getTime() >= begunAt + 10_000)
      return true
    })
  })
})
