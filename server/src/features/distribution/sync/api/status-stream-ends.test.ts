import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { openWorld } from '#test/world.ts'
import { createStatusHub, type StatusHub } from './statuses.ts'
import { streamSyncs } from './status-stream.ts'

const orgId = '00000000-0000-4000-8000-000000000001'
const listingId = '00000000-0000-4000-8000-000000000002'
const tell = (live: StatusHub) => live.notified(`${orgId} ${listingId}`)

/** A stream over a real connection whose reader never reads. */
async function open(live: StatusHub, before: (socket: Socket, accepted: Socket) => Promise<unknown>) {
  const began = Promise.withResolvers<ServerResponse>()
  const begin = async (raw: IncomingMessage, response: ServerResponse) => {
    await before(socket, raw.socket)
    const request = {
      raw,
      caller: { organization: { id: orgId } },
      headers: { authorization: 'Bearer none' },
    }
    const reply = { raw: response, hijack: () => {}, getHeaders: () => ({}) }
    const refused = () => Promise.reject(new Error('The token is over.'))
    streamSyncs(live, refused, request as unknown as FastifyRequest, reply as unknown as FastifyReply)
    began.resolve(response)
  }
  const server = createServer((raw, response) => void begin(raw, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nhost: vacancy\r\n\r\n')
  return {
    response: await began.promise,
    [Symbol.asyncDispose]: async () => {
      socket.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

suite('sync stream: the end', () => {
  test('ends a stream that may have missed a change, so that its client reads all states again', async () => {
    await using world = await openWorld()
    const { token } = await world.home.as('viewer')
    const stream = await fetch(`${world.url}/api/v1/sync/stream`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const database = openOwner(world.databaseUrl)
    try {
      await database.pipelined({ orgId: null }, [
        sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query ilike 'listen %'`,
      ])
    } finally {
      await database.close()
    }
    assert.match(await stream.text(), /^event: hello/)
  })

  test('does not subscribe a client that disconnected before the stream began', async () => {
    const live = createStatusHub(async () => [])
    await using _stream = await open(live, async (socket, accepted) => {
      socket.destroy()
      await once(accepted, 'close')
    })
    assert.equal(live.followers(), 0)
  })

  test('writes nothing after the end to a client that does not read', async () => {
    const live = createStatusHub(async () => ['x'.repeat(100_000)])
    await using stream = await open(live, async () => {})
    const { response } = stream
    while (response.writableLength < 100_000) {
      tell(live)
      await sleep(5)
    }
    live.end()
    assert.equal(response.writableEnded, true)
    assert.equal(live.followers(), 0)
    tell(live)
    await sleep(50)
    if (!response.closed) await once(response, 'close')
  })
})
