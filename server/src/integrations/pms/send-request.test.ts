import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { inspect } from 'node:util'
import { openEgress, type Egress } from '#egress/egress.ts'
import { sendRequest, type PmsRequest } from './send-request.ts'
import type { RateLimiter, RateLimitHeaders } from './pms-call.ts'
import { PmsFailure } from './pms-failure.ts'

let server: Server
let url: string
let egress: Egress
let answer: RequestListener
let seen: { method: string; headers: Record<string, string>; text: string }

before(async () => {
  server = createServer((request, reply) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => (text += part))
    request.on('end', () => {
      seen = { method: request.method!, headers: request.headers as Record<string, string>, text }
      answer(request, reply)
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  egress = openEgress({ allowsPrivate: true, allowsHttp: true })
})
after(async () => {
  await egress.close()
  server.close()
  server.closeAllConnections()
})

/** A rate limiter that records the calls and the responses it receives. */
function noting() {
  const notes: string[] = []
  const received: RateLimitHeaders[] = []
  const rateLimiter: RateLimiter = {
    acquire: async (kind) => void notes.push(`pass ${kind}`),
    recordResponse: (kind, what) => void (notes.push(`answered ${kind} ${what.status}`), received.push(what)),
    recordFailure: (_, { code }) => void notes.push(`failed ${code}`),
  }
  return { rateLimiter, notes, received }
}

const secret = 'pk_live_0hMyPr3cious'
const ask = (more: Partial<PmsRequest> = {}, from = egress) =>
  sendRequest(from, {
    provider: 'generic',
    kind: 'content',
    method: 'PUT',
    url: `${url}/units/a?secret=${secret}`,
    headers: { authorization: `Bearer ${secret}` },
    body: { name: 'né' },
    timeoutMs: 5_000,
    call: {},
    ...more,
  })
const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_, reply) =>
    reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

async function failing(more: Partial<PmsRequest>, from = egress): Promise<PmsFailure> {
  const failure = await ask(more, from).then(
    () => assert.fail('it was answered'),
    (error: unknown) => error,
  )
  assert.ok(failure instanceof PmsFailure, String(failure))
  assert.ok(
    !inspect(failure, { depth: 9, showHidden: true }).includes(secret),
    'the secret is in the failure',
  )
  return failure
}

suite('an exchange with a PMS', () => {
  test('sends JSON, and notes both sides without the secret', async () => {
    answer = json(200, { unit: { id: 1 } }, { 'x-request-id': 'r\u00e9-1', 'x-odd': 'yes' })
    const reply = await ask({
      call: { idempotencyKey: 'key-1', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
    })
    assert.deepEqual([seen.method, seen.text], ['PUT', '{"name":"né"}'])
    assert.equal(seen.headers['content-type'], 'application/json')
    assert.equal(seen.headers['authorization'], `Bearer ${secret}`)
    assert.equal(seen.headers['idempotency-key'], 'key-1')
    assert.match(seen.headers['user-agent']!, /^Vacancy\/\d/)
    assert.match(seen.headers['traceparent']!, new RegExp(`^00-${'a'.repeat(32)}-`))
    assert.notEqual(seen.headers['traceparent']!.slice(36, 52), 'b'.repeat(16), 'a span of its own')
    assert.deepEqual([reply.status, reply.body, reply.headers['x-odd']], [200, { unit: { id: 1 } }, 'yes'])
    const hash = createHash('sha256').update('{"name":"né"}').digest('hex')
    assert.deepEqual(reply.exchange, {
      request: { method: 'PUT', path: '/units/a', payload_hash: `sha256:${hash}` },
      response: { http_status: 200, request_id: 'ré-1', summary: '17 bytes' },
    })
  })

  test('sends a form where the PMS wants one, and nothing where there is nothing', async () => {
    answer = json(200, {})
    await ask({ method: 'POST', body: new URLSearchParams({ scope: 'a b' }) })
    assert.deepEqual(
      [seen.headers['content-type'], seen.text],
      ['application/x-www-form-urlencoded', 'scope=a+b'],
    )
    await ask({ method: 'GET', body: undefined })
    assert.deepEqual([seen.headers['content-type'], seen.text], [undefined, ''])
  })

  test('keeps what the PMS says is wrong, or what the provider makes of it', async () => {
    answer = json(422, { error: { code: 'odd', message: `x\0${'y'.repeat(400)}` } })
    const reply = await ask()
    assert.equal(reply.exchange.response!.summary, `odd x${'y'.repeat(295)}`)
    const made = await ask({ summarize: (body) => Object.keys(body as object).join() })
    assert.equal(made.exchange.response!.summary, 'error')
    const none = await ask({ summarize: () => null })
    assert.match(none.exchange.response!.summary, /^\d+ bytes$/)
  })

  test('takes an answer that is no JSON as an answer without a body', async () => {
    for (const text of ['', '<html>', '{"a":']) {
      answer = (_, reply) => reply.end(text)
      assert.equal((await ask()).body, null)
    }
  })

  test('follows no redirect', async () => {
    answer = json(302, {}, { location: 'http://127.0.0.1:1/' })
    assert.equal((await ask()).status, 302)
  })
})

suite('the rate limiter of an exchange', () => {
  test('is passed, and receives the limits of the response', async () => {
    const { rateLimiter, notes, received } = noting()
    answer = json(429, {}, { 'retry-after': '3', 'x-ratelimit-remaining': '0', 'x-ratelimit-limit': '9' })
    const reply = await ask({ call: { rateLimiter } })
    assert.deepEqual(notes, ['pass content', 'answered content 429'])
    assert.deepEqual([received[0]!.limit, received[0]!.remaining], [9, 0])
    const waitMs = reply.retryAfter!.getTime() - Date.now()
    assert.ok(waitMs > 0 && waitMs <= 3_000, `${waitMs} ms`)
  })

  test('that stays shut keeps the call from being sent', async () => {
    const { rateLimiter, notes } = noting()
    let visits = 0
    answer = (_, reply) => (visits++, reply.end())
    const shut = new PmsFailure('circuit_open', 'Closed.', { hint: 'Wait.', isThrottledLocally: true })
    const failure = await failing({
      call: { rateLimiter: { ...rateLimiter, acquire: () => Promise.reject(shut) } },
    })
    assert.equal(failure, shut)
    assert.deepEqual([notes, visits], [[], 0])
  })

  test('receives a failure, once', async () => {
    const { rateLimiter, notes } = noting()
    answer = (request) => request.socket.destroy()
    await failing({ call: { rateLimiter } })
    assert.deepEqual(notes, ['pass content', 'failed network'])
  })
})

suite('an exchange that fails', () => {
  test('because no server listens', async () => {
    const { code, retryable, exchange } = await failing({ url: `http://127.0.0.1:1/x?k=${secret}` })
    assert.deepEqual([code, retryable, exchange?.response], ['network', true, null])
    assert.equal(exchange?.request.path, '/x')
  })

  test('because the answer takes too long, from its beginning or in the middle', async () => {
    const slow: RequestListener[] = [() => {}, (_, reply) => reply.write('{')]
    for (const listener of slow) {
      answer = listener
      assert.equal((await failing({ timeoutMs: 30 })).code, 'timeout')
    }
  })

  test('because the answer has no end', async () => {
    answer = (_, reply) => reply.end(`"${'x'.repeat(1_048_576)}"`)
    assert.equal((await failing({})).code, 'pms_unavailable')
    assert.equal((await ask({ maxResponseBytes: 2_000_000 })).status, 200)
  })

  test('because we stop', async () => {
    const stop = new AbortController()
    answer = () => stop.abort(new Error('stopping'))
    const failure = await failing({ call: { signal: stop.signal } })
    assert.deepEqual([failure.code, failure.retryable], ['network', true])
  })

  test('because the address may not be called: asking again will not help', async () => {
    const outward = openEgress({ allowsPrivate: false, allowsHttp: true })
    const { rateLimiter, notes } = noting()
    const failure = await failing({ call: { rateLimiter } }, outward)
    assert.deepEqual([failure.code, failure.retryable], ['validation_rejected', false])
    assert.match(failure.hint, /another address/)
    assert.deepEqual(notes, ['pass content', 'failed validation_rejected'])
    assert.equal((await failing({ url: `nonsense ${secret}` })).code, 'validation_rejected')
    await outward.close()
  })

  test('because the secret cannot be sent', async () => {
    const failure = await failing({ headers: { authorization: `Bearer ${secret}\nx: y` } })
    assert.equal(failure.code, 'network')
  })
})
