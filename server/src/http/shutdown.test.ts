import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import { openWorld } from '#test/world.ts'
import { drain } from './shutdown.ts'

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
