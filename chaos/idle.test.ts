import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../server/test/world.ts'
import { askSteadily, sitIdle } from './idle.ts'

test('500 idle connections stay open and disturb no request', async () => {
  await using world = await openWorld()
  const owner = await world.home.as('owner')
  const idle = await sitIdle(world.url, 500, {})
  try {
    const answers = await askSteadily(50, 2, () => owner.get('/api/v1/spaces'))
    assert.deepEqual(
      answers.filter(({ status }) => status !== 200),
      [],
    )
    assert.equal(idle.open(), 500)
  } finally {
    idle.close()
  }
})
