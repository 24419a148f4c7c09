import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../server/test/world.ts'
import { sendAtRate, openIdleConnections } from './idle.ts'

test('500 idle connections stay open, and every request succeeds', async () => {
  await using world = await openWorld()
  const owner = await world.home.as('owner')
  const idle = await openIdleConnections(world.url, 500, {})
  try {
    const responses = await sendAtRate(50, 2, () => owner.get('/api/v1/spaces'))
    assert.deepEqual(
      responses.filter(({ status }) => status !== 200),
      [],
    )
    assert.equal(idle.open(), 500)
  } finally {
    idle.close()
  }
})
