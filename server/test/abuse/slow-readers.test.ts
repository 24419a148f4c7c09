import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { until } from '../linked-units.ts'
import { openWorld } from '../world.ts'
import { host } from './attacker.ts'
import { openWire, type Wire } from './raw-answers.ts'

const asked = 200

test('closes connections whose response is not read', async () => {
  await using world = await openWorld({ env: { SILENCE_TIMEOUT_MS: '2000' } })
  const answer = await world.caller(null).get('/api/v1/openapi.json')
  await using wire = await openWire(world.url)
  wire.socket.pause()
  wire.write(`GET /api/v1/openapi.json HTTP/1.1\r\n${host}\r\n`.repeat(asked))
  assert.ok(
    await until(
      () => isOpen(wire),
      (open) => !open,
    ).then((open) => !open),
    'it is open still',
  )
  let bytes = 0
  wire.socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume()
  await new Promise((resolve) => wire.socket.once('close', resolve))
  assert.ok(bytes < answer.text.length * asked, 'all of it was sent')
})

/** Whether the server's end of the connection is still open, according to the kernel. */
async function isOpen({ socket }: Wire): Promise<boolean> {
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')
  const table = await readFile('/proc/net/tcp', 'latin1')
  const established = '01'
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .some(
      ([, local = '', remote = '', state]) =>
        local.endsWith(`:${hex(socket.remotePort!)}`) &&
        remote.endsWith(`:${hex(socket.localPort!)}`) &&
        state === established,
    )
}
