import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import { addSpace, unknownId } from '#test/records.ts'
import { openWorld, type World } from '#test/world.ts'

suite('properties are an alias of spaces', () => {
  let world: World
  let owner: TestCaller
  before(async () => {
    world = await openWorld()
    owner = await world.home.as('owner')
    await addSpace(await world.away.as('owner'), { name: 'Theirs' })
    for (const fields of [{ city: 'Porto' }, { city: 'Porto', status: 'draft' }, { city: 'Faro' }])
      await addSpace(owner, fields)
  })
  after(() => world[Symbol.asyncDispose]())

  for (const query of [
    '',
    '?city=Porto',
    '?status=draft',
    '?sort=-name&limit=2',
    '?q=space',
    '?city=Nowhere',
  ])
    test(`GET /api/v1/properties${query} lists what the spaces list`, async () => {
      const [properties, spaces] = await Promise.all(
        ['properties', 'spaces'].map((name) => owner.get(`/api/v1/${name}${query}`)),
      )
      assert.equal(properties!.status, 200, properties!.text)
      assert.deepEqual(Object.keys(properties!.body), ['properties', 'next_cursor', 'has_more'])
      assert.deepEqual(properties!.body.properties, spaces!.body.spaces)
      assert.equal(properties!.body.has_more, spaces!.body.has_more)
    })

  test('pages continue, and a cursor of /spaces is rejected', async () => {
    const first = await owner.get('/api/v1/properties?limit=2')
    assert.equal(first.body.properties.length, 2)
    const next = await owner.get(/<(.+)>/.exec(first.headers.get('link')!)![1]!)
    assert.deepEqual([next.body.properties.length, next.body.has_more], [1, false])
    const { next_cursor } = (await owner.get('/api/v1/spaces?limit=2')).body
    const refused = await owner.get(`/api/v1/properties?limit=2&cursor=${next_cursor}`)
    assert.deepEqual([refused.status, refused.body.code], [400, 'invalid-cursor'])
  })

  test('GET /api/v1/properties/:id returns the space with its ETag', async () => {
    const { properties } = (await owner.get('/api/v1/properties')).body
    const [property, space] = await Promise.all(
      ['properties', 'spaces'].map((name) => owner.get(`/api/v1/${name}/${properties[0].id}`)),
    )
    assert.deepEqual(property!.body, { property: space!.body.space })
    assert.equal(property!.headers.get('etag'), space!.headers.get('etag'))
    assert.equal((await owner.get(`/api/v1/properties/${unknownId}`)).status, 404)
  })

  test('401 without authentication, 403 without spaces:read, and no write operations', async () => {
    assert.equal((await world.caller(null).get('/api/v1/properties')).status, 401)
    assert.equal((await (await world.home.as('service')).get('/api/v1/properties')).status, 403)
    assert.equal((await owner.post('/api/v1/properties', { name: 'X' })).status, 405)
  })
})
