import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import * as vacancy from './client.ts'

const id = '6f1f6f0e-2f7c-4c3e-9a55-0d8d5f3a0001'

type Responder = (...args: Parameters<RequestListener>) => unknown

/** An API that gives the responses in order, the last one again and again. */
async function startApi(...responders: Responder[]) {
  const methods: string[] = []
  const server = createServer((request, response) => {
    methods.push(request.method!)
    request
      .resume()
      .on('end', () => responders[Math.min(methods.length, responders.length) - 1]!(request, response))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    baseUrl,
    methods,
    client: new vacancy.Vacancy({ baseUrl, token: 'a-token' }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

const json =
  (status: number, body: object, headers = {}): Responder =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
/** The change is made, and its reply is lost. */
const lost: Responder = ({ socket }) => socket.destroy()
const gone = json(404, { status: 404, code: 'not-found', title: 'Not found' })
const changed = json(412, { status: 412, code: 'precondition-failed', title: 'Changed meanwhile' })
const unavailable = json(
  503,
  { status: 503, code: 'unavailable', title: 'Unavailable' },
  { 'retry-after': '0' },
)

suite('repeated requests', { timeout: 60_000 }, () => {
  test('a deletion whose reply was lost has succeeded when the record is gone', async () => {
    await using api = await startApi(lost, gone)
    await api.client.units.delete(id)
    assert.deepEqual(api.methods, ['DELETE', 'DELETE'])
    await using unknown = await startApi(gone)
    await assert.rejects(unknown.client.units.delete(id), { status: 404 })
  })

  test('a change whose reply was lost is not reported as a change of somebody else', async () => {
    const body = { name: 'Loft', space_id: id, base_price_cents: 100 }
    await using api = await startApi(lost, changed)
    await assert.rejects(api.client.units.replace(id, body, { ifMatch: '"1"' }), vacancy.Unreachable)
    await using busy = await startApi(unavailable, changed)
    await assert.rejects(busy.client.units.replace(id, body, { ifMatch: '"1"' }), { status: 503 })
  })

  suite('when another cell serves the organization', () => {
    const moved = () => Response.json({ status: 421, code: 'organization-moved' }, { status: 421 })

    // Without a connection: `fetch` itself repeats a 421 once on a new one.
    function answering(...responses: (() => Response)[]) {
      const methods: string[] = []
      const fetch = async (_: unknown, { method = 'GET' }: RequestInit = {}) =>
        responses[Math.min(methods.push(method), responses.length) - 1]!()
      return { methods, client: new vacancy.Vacancy({ baseUrl: 'http://api', token: 'a-token', fetch }) }
    }

    test('every method is repeated, as nothing was changed', async () => {
      const api = answering(moved, () => Response.json({ unit: { id } }))
      assert.equal((await api.client.units.update(id, { name: 'Loft' })).id, id)
      assert.deepEqual(api.methods, ['PATCH', 'PATCH'])
      const lasting = answering(moved)
      await assert.rejects(lasting.client.units.get(id), { status: 421 })
      assert.equal(lasting.methods.length, 3)
    })

    test('a record that is gone was deleted by another request', async () => {
      const api = answering(moved, () => Response.json({ code: 'not-found' }, { status: 404 }))
      await assert.rejects(api.client.units.delete(id), { status: 404 })
    })

    test('a stream is opened again', async () => {
      const api = answering(moved, () => new Response('event: hello\nid: 1\ndata: {}\n\n'))
      for await (const { event } of api.client.events.stream()) {
        assert.equal(event, 'hello')
        break
      }
      assert.deepEqual(api.methods, ['GET', 'GET'])
    })
  })

  test('waits for the first attempt of a creation, which is still running', async () => {
    const running = json(409, { status: 409, code: 'idempotency-in-progress' }, { 'retry-after': '1' })
    await using api = await startApi(lost, running, json(201, { space: { id } }))
    const space = await api.client.spaces.create({ name: 'Harbour House' })
    assert.equal(space.id, id)
  })

  test('an error of the token function is thrown as it is, and nothing is sent', async () => {
    await using api = await startApi(gone)
    let calls = 0
    const token = () => {
      calls += 1
      throw new Error('Sign in again.')
    }
    const client = new vacancy.Vacancy({ baseUrl: api.baseUrl, token })
    await assert.rejects(client.session.get(), { message: 'Sign in again.' })
    await assert.rejects(client.events.stream().next(), { message: 'Sign in again.' })
    assert.equal(calls, 2)
    assert.deepEqual(api.methods, [])
  })

  test('a token that no header can have is not in the error', async () => {
    await using api = await startApi(gone)
    const client = new vacancy.Vacancy({ baseUrl: api.baseUrl, token: 'first-\nsecond' })
    await assert.rejects(client.session.get(), ({ name, message }: Error) => {
      assert.equal(name, 'TypeError')
      return !message.includes('second')
    })
    assert.deepEqual(api.methods, [])
    const padded = new vacancy.Vacancy({ baseUrl: api.baseUrl, token: 'a-token\n' })
    await assert.rejects(padded.session.get(), { status: 404 })
  })

  test('a wait leaves no listener with the signal of many requests', async () => {
    await using api = await startApi(unavailable, gone)
    const { signal } = new AbortController()
    await assert.rejects(api.client.session.get({ signal }), { status: 404 })
    assert.equal(api.methods.length, 2)
    assert.deepEqual(getEventListeners(signal, 'abort'), [])
  })

  test('a file is read again when it broke off, and within its time limit', async () => {
    const whole: Responder = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/csv' }).end('id\n1\n')
    const broken: Responder = (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('id\n')
      setTimeout(() => response.destroy(), 50)
    }
    const limited = json(429, { error: 'Too Many Requests', retryAfter: 0 })
    await using api = await startApi(limited, broken, whole)
    assert.equal(await (await api.client.bookings.export()).text(), 'id\n1\n')
    await using hanging = await startApi((_, response) => response.writeHead(200).write('id\n'))
    const file = hanging.client.bookings.export({}, { timeoutMs: 200 })
    await assert.rejects(file, vacancy.Unreachable)
  })
})

suite('redirects', { timeout: 60_000 }, () => {
  const moved: Responder = (_, response) => response.writeHead(301, { location: '?moved' }).end()
  const page = json(200, { spaces: [], next_cursor: null, has_more: false })

  test('one of a POST is an error, because what follows it is a GET', async () => {
    await using api = await startApi(moved, page)
    await assert.rejects(
      api.client.spaces.create({ name: 'House' }),
      (error) => error instanceof vacancy.Problem && error.status === 301,
    )
    assert.deepEqual(api.methods, ['POST'])
  })

  test('one of a GET is followed', async () => {
    await using api = await startApi(moved, page)
    assert.deepEqual((await api.client.spaces.list()).data, [])
    assert.deepEqual(api.methods, ['GET', 'GET'])
  })
})
