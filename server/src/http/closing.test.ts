import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import { openWorld } from '../../test/world.ts'
import { drain } from './closing.ts'

// Well under the minute that a connection without a request would otherwise hold the server open.
test(
  'the server closes although a stream is open and a connection was never used',
  { timeout: 20_000 },
  async () => {
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
  },
)

test('a connection that is kept is not cut: its next answer says that it ends', async () => {
  const app = Fastify()
  app.get('/', async () => 'here')
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = async () => {
    const going = get(url, { agent })
    const [answer] = (await once(going, 'response')) as [IncomingMessage]
    answer.resume()
    await once(answer, 'end')
    return { status: answer.statusCode, says: answer.headers.connection, isKept: going.reusedSocket }
  }
  assert.deepEqual(await ask(), { status: 200, says: 'keep-alive', isKept: false })
  const drained = drain(app).then(() => app.close())
  assert.deepEqual(await ask(), { status: 200, says: 'close', isKept: true })
  await drained
})
