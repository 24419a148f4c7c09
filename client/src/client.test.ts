import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import * as vacancy from './client.ts'
import { connect, Problem, Unreachable } from './client.ts'
import { readEvents } from './event-stream.ts'

const unitId = '6c1f8f0e-6d5d-4f1c-9c55-0a5a4b1a0c11'

interface ReceivedRequest {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** Starts a server that sends the given responses in turn and records the requests. */
const startServer = async (
  ...responses: ((response: ServerResponse, received: ReceivedRequest) => void)[]
) => {
  const received: ReceivedRequest[] = []
  const server = createServer((request, response) => void handle(request, response))
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const call = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
    received.push(call)
    const respond = responses[Math.min(received.length, responses.length) - 1]
    respond?.(response, call)
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    received,
    baseUrl,
    client: connect({ baseUrl, token: () => 'a-token' }),
    impatient: connect({ baseUrl, token: () => 'a-token', timeoutMs: 1_000, streamTimeoutMs: 1_000 }),
    cut: () => server.closeAllConnections(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const cut = (response: ServerResponse) => response.socket?.destroy()
const hang = () => {}

suite('requests', { timeout: 60_000 }, () => {
  test('sends the token, path parameters and entity tag, and returns the new tag', async () => {
    await using api = await startServer(json(200, { unit: { id: unitId } }, { etag: '"7"' }))
    const reply = await api.client.request(vacancy.updateUnit, {
      path: { id: unitId },
      body: { base_price_cents: 12900 },
      ifMatch: '"6"',
    })
    assert.equal(reply.etag, '"7"')
    assert.equal(reply.data.unit.id, unitId)
    const [call] = api.received
    assert.equal(`${call?.method} ${call?.url}`, `PATCH /api/v1/units/${unitId}`)
    assert.equal(call?.headers.authorization, 'Bearer a-token')
    assert.equal(call?.headers['if-match'], '"6"')
    assert.deepEqual(JSON.parse(call?.body ?? ''), { base_price_cents: 12900 })
  })

  test('reads all pages of a list', async () => {
    const page = (ids: string[], next: string | null) =>
      json(200, { units: ids.map((id) => ({ id })), next_cursor: next, has_more: next !== null })
    await using api = await startServer(page(['a', 'b'], 'two'), page(['c'], null))
    const ids: string[] = []
    for await (const unit of api.client.listAll(vacancy.listUnits, { query: { q: 'loft' } }))
      ids.push(unit.id)
    assert.deepEqual(ids, ['a', 'b', 'c'])
    assert.deepEqual(
      api.received.map(({ url }) => url),
      ['/api/v1/units?limit=100&q=loft', '/api/v1/units?limit=100&q=loft&cursor=two'],
    )
  })

  test('yields the events of a stream', async () => {
    await using api = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('event: hello\ndata: {}\n\n: heartbeat\n\nevent: sync\ndata: {"a":\ndata: 1}\n\n')
    })
    const events = []
    for await (const event of api.client.stream(vacancy.streamSync, {})) events.push(event)
    assert.deepEqual(events, [
      { event: 'hello', data: '{}', id: null },
      { event: 'sync', data: '{"a":\n1}', id: null },
    ])
  })

  test('continues a stream after its last event when the connection is cut', async () => {
    const event = (id: string) => `event: changes\nid: ${id}\ndata: {"unit":["${id}"]}\n\n`
    const open = (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' })
    await using api = await startServer(
      (response) => void open(response).write(`${event('a')}${event('b')}`),
      (response) => open(response).end(event('c')),
    )
    const client = new vacancy.Vacancy({ baseUrl: api.baseUrl, token: 'a-token' })
    const stopping = new AbortController()
    const ids: (string | null)[] = []
    for await (const { id } of client.events.stream({ signal: stopping.signal })) {
      ids.push(id)
      if (id === 'b') api.cut()
      if (id === 'c') stopping.abort()
    }
    assert.deepEqual(ids, ['a', 'b', 'c'])
    assert.deepEqual(
      api.received.slice(0, 2).map(({ headers }) => headers['last-event-id']),
      [undefined, 'b'],
    )
  })

  test('parses events that are split anywhere, even inside a character', async () => {
    const bytes = new TextEncoder().encode('id: 7\r\ndata: Café\r\n\r\n: comment\n\ndata: Ω\n\n')
    const chunks = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const events = []
    for await (const event of readEvents(chunks)) events.push(event)
    assert.deepEqual(events, [
      { event: 'message', data: 'Café', id: '7' },
      { event: 'message', data: 'Ω', id: null },
    ])
  })
})

suite('failures', { timeout: 60_000 }, () => {
  test('a problem document becomes a Problem with every member', async () => {
    const errors = [{ pointer: '/base_price_cents', code: 'too_small', message: 'must be 0 or more' }]
    await using api = await startServer(
      json(400, {
        type: 'http://api/problems/validation-error',
        title: 'The request is not valid',
        status: 400,
        detail: 'One member is wrong',
        code: 'validation-error',
        errors,
        request_id: 'r-1',
        held_by: { bookings: ['b-1'] },
      }),
    )
    const failure = await api.client.send(vacancy.listUnits).catch((error: unknown) => error)
    assert.ok(failure instanceof Problem)
    assert.deepEqual(
      { ...failure, message: failure.message },
      {
        name: 'Problem',
        message: 'One member is wrong',
        status: 400,
        code: 'validation-error',
        type: 'http://api/problems/validation-error',
        title: 'The request is not valid',
        detail: 'One member is wrong',
        errors,
        requestId: 'r-1',
        retryAfterSeconds: null,
        members: { held_by: { bookings: ['b-1'] } },
      },
    )
    assert.equal(api.received.length, 1)
  })

  test('an error response without a problem document has the status as its code', async () => {
    await using api = await startServer((response) => response.writeHead(500).end('<html>'))
    await assert.rejects(api.client.send(vacancy.listUnits), { status: 500, code: 'http-500' })
  })

  test('waits after a 429 when the wait is short, and throws when it is long', async () => {
    const limited = (retryAfter: number) => json(429, { error: 'Too Many Requests', retryAfter })
    const empty = json(200, { units: [], next_cursor: null, has_more: false })
    await using api = await startServer(limited(0), empty)
    await api.client.send(vacancy.listUnits)
    assert.equal(api.received.length, 2)

    await using busy = await startServer(limited(60))
    await assert.rejects(busy.client.send(vacancy.listUnits), { status: 429, retryAfterSeconds: 60 })
    assert.equal(busy.received.length, 1)
  })

  test('reads a Retry-After that is a date', async () => {
    const busyUntil = (date: string) => json(503, { code: 'unavailable' }, { 'retry-after': date })
    const inAMinute = new Date(Date.now() + 60_000).toUTCString()
    await using busy = await startServer(busyUntil(inAMinute))
    await assert.rejects(
      busy.client.send(vacancy.listUnits),
      ({ retryAfterSeconds }: Problem) => retryAfterSeconds! > 50 && retryAfterSeconds! <= 60,
    )
    const empty = json(200, { units: [], next_cursor: null, has_more: false })
    await using past = await startServer(busyUntil('Thu, 01 Jan 1970 00:00:00 GMT'), empty)
    await past.client.send(vacancy.listUnits)
    assert.equal(past.received.length, 2)
  })

  test('repeats a POST without a reply with the same idempotency key', async () => {
    await using api = await startServer(cut, json(201, { status: 'pending' }))
    const body = { channel_listing_id: unitId }
    assert.equal((await api.client.send(vacancy.triggerSync, { body })).status, 'pending')
    const keys = api.received.map(({ headers }) => headers['idempotency-key'])
    assert.equal(keys.length, 2)
    assert.match(keys[0] as string, /^[0-9a-f-]{36}$/)
    assert.equal(keys[0], keys[1])
  })

  test('does not repeat a PATCH without a reply, which may have taken effect', async () => {
    await using api = await startServer(cut)
    const change = api.client.send(vacancy.updateUnit, { path: { id: unitId }, body: {} })
    await assert.rejects(change, Unreachable)
    assert.equal(api.received.length, 1)
  })

  test('throws after the last attempt when the server does not respond, and at once when aborted', async () => {
    await using api = await startServer(hang)
    await assert.rejects(api.impatient.send(vacancy.listUnits), Unreachable)
    assert.equal(api.received.length, 3)
    const abort = new AbortController()
    const call = api.client.send(vacancy.listUnits, { signal: abort.signal })
    abort.abort(new Error('the page was left'))
    await assert.rejects(call, { message: 'the page was left' })
  })

  test('throws when a stream sends nothing in time', async () => {
    await using api = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: hello\ndata: {}\n\n')
    })
    const events: string[] = []
    await assert.rejects(async () => {
      for await (const { event } of api.impatient.stream(vacancy.streamSync, {})) events.push(event)
    }, Unreachable)
    assert.deepEqual(events, ['hello'])
  })

  test('throws when a path parameter is missing, without sending the request', async () => {
    await using api = await startServer(hang)
    await assert.rejects(api.client.send(vacancy.getUnit, { path: { id: '' } }), TypeError)
    assert.equal(api.received.length, 0)
  })
})
