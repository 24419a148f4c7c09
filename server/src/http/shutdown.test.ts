import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import { openWorld } from '#test/world.ts'
import { handleErrors } from './problems.ts'
import { drain, limitCloseTime } from './shutdown.ts'

// An unused connection would otherwise keep the server open for a minute.
test('the server closes with an open stream and an unused connection', { timeout: 20_000 }, async () => {
  await using world = await openWorld()
  const { port } = new URL(world.url)
  const unused = connect(Number(port), '127.0.0.1').on('error', () => {})
  await once(unused, 'connect')
  const { token } = await world.home.as('viewer')
  const stream = await fetch(`${world.url}/api/v1/sync/stream`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const ended = stream.text()
  await world[Symbol.asyncDispose]()
  await ended
})

test('a kept-alive connection is closed after its next response', async () => {
  const app = Fastify()
  app.get('/', async () => 'hello')
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const request = async () => {
    const sent = get(url, { agent })
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    return {
      status: response.statusCode,
      connection: response.headers.connection,
      isReused: sent.reusedSocket,
    }
  }
  assert.deepEqual(await request(), { status: 200, connection: 'keep-alive', isReused: false })
  const drained = drain(app).then(() => app.close())
  assert.deepEqual(await request(), { status: 200, connection: 'close', isReused: true })
  await drained
})

test('a request that takes too long is interrupted and gets its response', { timeout: 20_000 }, async () => {
  const app = Fastify()
  const interrupted = Promise.withResolvers<never>()
  limitCloseTime(app, () => interrupted.reject(new Error('Connection terminated')))
  handleErrors(app, 'http://127.0.0.1')
  const started = Promise.withResolvers<void>()
  app.get('/', () => {
    started.resolve()
    return interrupted.promise
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const answer = fetch(url)
  await started.promise
  await app.close()
  const response = await answer
  assert.equal(response.status, 503)
  assert.ok(response.headers.has('retry-after'))
  const { code, detail } = (await response.json()) as { code: string; detail: string }
  assert.equal(code, 'unavailable')
  assert.match(detail, /stopping/)
})

test('a request that arrived while the process stood still is answered', { timeout: 20_000 }, async () => {
  const app = Fastify({ return503OnClosing: false })
  limitCloseTime(app, () => {})
  app.get('/', async () => 'hello')
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const client = connect(Number(port), '127.0.0.1')
  await Promise.all([once(client, 'connect'), once(app.server, 'connection')])
  const answer = client.setEncoding('utf8').take(1).toArray()
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await app.close()
  assert.match((await answer)[0] as string, /^HTTP\/1.1 200 OK\r\n/)
})
