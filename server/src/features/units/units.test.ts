import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openWorld, type World } from '../../../test/world.ts'
import type { TestCaller } from '../../../test/caller.ts'

let world: World
let owner: TestCaller
let spaceId: string

before(async () => {
  world = await openWorld()
  owner = await world.home.as('owner')
  const { body } = await owner.post('/api/v1/spaces', { name: 'Alfama Terraces' })
  spaceId = body.space.id
})
after(() => world[Symbol.asyncDispose]())

suite('units: happy', () => {
  test('a unit is created with defaults, and read back with its space', async () => {
    const made = await owner.post('/api/v1/units', {
      space_id: spaceId,
      name: 'Tejo Two',
      base_price_cents: 12_400,
    })
    assert.equal(made.status, 201, made.text)
    const { unit } = made.body
    assert.equal(unit.currency, 'eur')
    assert.equal(unit.space.id, spaceId)
    const read = await owner.get(`/api/v1/units/${unit.id}`)
    assert.deepEqual(read.body, made.body)
    assert.equal(read.headers.get('etag'), made.headers.get('etag'))
  })
})
