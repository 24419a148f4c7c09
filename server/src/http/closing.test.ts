import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { openWorld } from '../../test/world.ts'

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
