import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from './connect.ts'

/** A message of the server: a letter, its length, the rest. */
const frame = (letter: string, rest: Buffer) => {
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeInt32BE(rest.length + 4, 1)
  return Buffer.concat([head, rest])
}
const fatal = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'

// When PostgreSQL is killed the welcome and the farewell of a connection can come in one packet: then the farewell is
// read before anybody has the connection in hand.
test('a connection that dies in the packet of its birth fails who asked, and ends no process', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () =>
      socket.end(
        Buffer.concat([
          frame('R', Buffer.alloc(4)),
          frame('Z', Buffer.from('I')),
          frame('E', Buffer.from(fatal)),
        ]),
      ),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const database = openDatabase({
    url: `postgres://nobody@127.0.0.1:${port}/nothing`,
    ...{ poolSize: 2, role: null, statementTimeoutMs: 1_000, prepare: false, applicationName: 'test' },
    onError: () => {},
  })
  try {
    await assert.rejects(database.pipelined({ orgId: null }, [sql`select 1`]))
    await assert.rejects(database.transaction({ orgId: null }, (connection) => connection.run(sql`select 1`)))
  } finally {
    await database.close()
    server.close()
  }
})
