import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../world.ts'
import { host } from './attacker.ts'
import { openWire, type Wire } from './raw-answers.ts'

const ask = `GET /health HTTP/1.1\r\n${host}Connection: close\r\n\r\n`
const answered = async (wire: Wire) => {
  wire.write(ask)
  return (await wire.ended).map(({ status }) => status)
}

test('limits connections, closes further ones at once, and accepts new ones later', async () => {
  const most = 12
  await using world = await openWorld({ env: { MAX_CONNECTIONS: String(most) } })
  const wires: Wire[] = []
  for (let n = 0; n < most; n++) wires.push(await openWire(world.url))
  for (let n = 0; n < 5; n++) {
    await using oneTooMany = await openWire(world.url)
    assert.deepEqual(await oneTooMany.ended, [])
  }
  assert.deepEqual(await answered(wires[0]!), [200])
  await using next = await openWire(world.url)
  assert.deepEqual(await answered(next), [200])
  for (const wire of wires.slice(1)) assert.deepEqual(await answered(wire), [200])
})
