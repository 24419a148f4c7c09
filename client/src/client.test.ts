import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'

import * as vacancy from './client.ts'
import { connect, Problem, Unreachable } from './client.ts'
import { readEvents } from './event-stream.ts'

const unitId = '6c1f8f0e-6d5d-4f1c-9c55-0a5a4b1a0c11'

interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** A real server that gives its answers in turn and remembers what it was asked. */
const serving = async (...answers: ((response: ServerResponse, seen: Seen) => void)[]) => {
  const seen: Seen[] = []
  const server = createServer((request, response) => void answering(request, response))
  const answering = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const call = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
    seen.push(call)
    const answer = answers[Math.min(seen.length, answers.length) - 1]
    answer?.(response, call)
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    seen,
    baseUrl,
    client: connect({ baseUrl, token: () => 'a-token', timeoutMs: 400, silenceMs: 400 }),
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

suite('happy', { timeout: 10_000 }, () => {
  test('a call carries the token, the filled path and the entity tag, and brings the tag back', async () => {
    await using api = await serving(json(200, { unit: { id: unitId } }, { etag: '"7"' }))
    const reply = await api.client.exchange(vacancy.changeUnit, {
      path: { id: unitId },
      body: { base_price_cents: 12900 },
      ifMatch: '"6"',
    })
    assert.equal(reply.etag, '"7"')
    assert.equal(reply.data.unit.id, unitId)
    const [call] = api.seen
    assert.equal(`${call?.method} ${call?.url}`, `PATCH /api/v1/units/${unitId}`)
    assert.equal(call?.headers.authorization, 'Bearer a-token')
    assert.equal(call?.headers['if-match'], '"6"')
    assert.deepEqual(JSON.parse(call?.body ?? ''), { base_price_cents: 12900 })
  })

  test('a list is walked page after page', async () => {
    const page = (ids: string[], next: string | null) =>
      json(200, { units: ids.map((id) => ({ id })), next_cursor: next, has_more: next !== null })
    await using api = await serving(page(['a', 'b'], 'two'), page(['c'], null))
    const ids: string[] = []
    for await (const unit of api.client.each(vacancy.listUnits, { query: { q: 'loft' } })) ids.push(unit.id)
    assert.deepEqual(ids, ['a', 'b', 'c'])
    assert.deepEqual(
      api.seen.map(({ url }) => url),
      ['/api/v1/units?limit=100&q=loft', '/api/v1/units?limit=100&q=loft&cursor=two'],
    )
  })

  test('a stream gives its events', async () => {
    await using api = await serving((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('event: hello\ndata: {}\n\n: heartbeat\n\nevent: sync\ndata: {"a":\ndata: 1}\n\n')
    })
    const events = []
    for await (const event of api.client.follow(vacancy.followSyncs, {})) events.push(event)
    assert.deepEqual(events, [
      { event: 'hello', data: '{}', id: null },
      { event: 'sync', data: '{"a":\n1}', id: null },
    ])
  })

  test('events are whole wherever the network cuts them, even inside a letter', async () => {
    const bytes = new TextEncoder().encode('id: 7\r\ndata: Café\r\n\r\n: warm\n\ndata: Ω\n\n')
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const events = []
    for await (const event of readEvents(pieces)) events.push(event)
    assert.deepEqual(events, [
      { event: 'message', data: 'Café', id: '7' },
      { event: 'message', data: 'Ω', id: null },
    ])
  })
})

suite('error', { timeout: 10_000 }, () => {
  test('a problem document becomes a Problem with every member', async () => {
    const errors = [{ pointer: '/base_price_cents', code: 'too_small', message: 'must be 0 or more' }]
    await using api = await serving(
      json(400, {
        type: 'http://api/problems/validation-error',
        title: 'The request is not valid',
        status: 400,
        detail: 'One member is wrong',
        code: 'validation-error',
        errors,
        request_id: 'r-1',
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
      },
    )
    assert.equal(api.seen.length, 1)
  })

  test('a refusal without a document still names its status', async () => {
    await using api = await serving((response) => response.writeHead(500).end('<html>'))
    await assert.rejects(api.client.send(vacancy.listUnits), { status: 500, code: 'http-500' })
  })

  test('a reached limit is waited out when the wait is short, and handed over when it is long', async () => {
    const limited = (retryAfter: number) => json(429, { error: 'Too Many Requests', retryAfter })
    const empty = json(200, { units: [], next_cursor: null, has_more: false })
    await using api = await serving(limited(0), empty)
    await api.client.send(vacancy.listUnits)
    assert.equal(api.seen.length, 2)

    await using busy = await serving(limited(60))
    await assert.rejects(busy.client.send(vacancy.listUnits), { status: 429, retryAfterSeconds: 60 })
    assert.equal(busy.seen.length, 1)
  })

  test('a lost reply to a POST is asked for again under the same key', async () => {
    await using api = await serving(cut, json(201, { status: 'pending' }))
    const body = { channel_listing_id: unitId }
    assert.equal((await api.client.send(vacancy.triggerSync, { body })).status, 'pending')
    const keys = api.seen.map(({ headers }) => headers['idempotency-key'])
    assert.equal(keys.length, 2)
    assert.match(keys[0] as string, /^[0-9a-f-]{36}$/)
    assert.equal(keys[0], keys[1])
  })

  test('a lost reply to a PATCH is not repeated: it may have been done', async () => {
    await using api = await serving(cut)
    const change = api.client.send(vacancy.changeUnit, { path: { id: unitId }, body: {} })
    await assert.rejects(change, Unreachable)
    assert.equal(api.seen.length, 1)
  })

  test('a server that never answers is given up after every attempt, and an abort ends it at once', async () => {
    await using api = await serving(hang)
    await assert.rejects(api.client.send(vacancy.listUnits), Unreachable)
    assert.equal(api.seen.length, 3)
    const abort = new AbortController()
    const call = api.client.send(vacancy.listUnits, { signal: abort.signal })
    abort.abort(new Error('the page was left'))
    await assert.rejects(call, { message: 'the page was left' })
  })

  test('a stream that falls silent is reported as lost', async () => {
    await using api = await serving((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: hello\ndata: {}\n\n')
    })
    const events: string[] = []
    await assert.rejects(async () => {
      for await (const { event } of api.client.follow(vacancy.followSyncs, {})) events.push(event)
    }, Unreachable)
    assert.deepEqual(events, ['hello'])
  })

  test('a call without a value for its path is refused before it is sent', async () => {
    await using api = await serving(hang)
    await assert.rejects(api.client.send(vacancy.findUnit, { path: { id: '' } }), TypeError)
    assert.equal(api.seen.length, 0)
  })
})
