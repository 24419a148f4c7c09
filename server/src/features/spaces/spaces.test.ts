import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { TestCaller } from '../../../test/caller.ts'
import { expectProblem, expectStatus, ids } from '../../../test/expect.ts'
import { addAccount, addSpace, addUnit, noIds, unknownId } from '../../../test/stock.ts'
import { openWorld, type World } from '../../../test/world.ts'

let world: World
let owner: TestCaller
let stranger: TestCaller

before(async () => {
  world = await openWorld()
  owner = await world.home.as('owner')
  stranger = await world.away.as('owner')
})
after(() => world[Symbol.asyncDispose]())

const path = '/api/v1/spaces'
const whole = {
  name: 'Alfama Terraces',
  address: 'Rua de São Miguel 12',
  city: 'Lisboa',
  state: 'Lisboa',
  zip: '1100-544',
  country: 'PT',
  amenities: ['wifi', 'kitchen'],
  description: 'Two houses 🏠 above the river.\nNo lift.',
  status: 'draft',
  timezone: 'Atlantic/Azores',
  currency: 'usd',
}

suite('spaces: happy', () => {
  test('a space needs only a name; zone and currency come from the organization', async () => {
    const reply = await owner.post(path, { name: 'Graça House' })
    const { space } = expectStatus(reply, 201)
    const { id, created_at, updated_at, ...rest } = space
    assert.deepEqual(rest, {
      org_id: world.home.id,
      account_id: world.home.accountId,
      name: 'Graça House',
      address: null,
      city: null,
      state: null,
      zip: null,
      country: null,
      amenities: [],
      description: null,
      status: 'active',
      timezone: 'Europe/Lisbon',
      currency: 'eur',
    })
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(updated_at, created_at)
    assert.equal(reply.headers.get('location'), `${path}/${id}`)
  })

  test('what was given is kept to the letter and read back the same, alone and in the list', async () => {
    const made = await owner.post(path, whole)
    const { space } = expectStatus(made, 201)
    assert.deepEqual({ ...space, ...whole }, space)
    const read = await owner.get(`${path}/${space.id}`)
    assert.deepEqual(expectStatus(read, 200), made.body)
    assert.equal(read.headers.get('etag'), made.headers.get('etag'))
    const { spaces } = expectStatus(await owner.get(`${path}?q=alfama`), 200)
    assert.deepEqual(spaces, [space])
  })

  test('PATCH leaves what it does not name; null empties', async () => {
    const space = await addSpace(owner, whole)
    const reply = await owner.patch(`${path}/${space.id}`, { city: 'Porto', zip: null })
    const { updated_at, ...rest } = expectStatus(reply, 200).space
    assert.deepEqual({ ...rest, updated_at: space.updated_at }, { ...space, city: 'Porto', zip: null })
    assert.ok(updated_at > space.updated_at)
  })

  test('PUT empties what it leaves out, but keeps status, zone and currency, which the product adds', async () => {
    const space = await addSpace(owner, whole)
    const changed = expectStatus(await owner.put(`${path}/${space.id}`, { name: 'Renamed' }), 200).space
    assert.equal(changed.name, 'Renamed')
    for (const member of ['address', 'city', 'state', 'zip', 'country', 'description'])
      assert.equal(changed[member], null, member)
    assert.deepEqual(changed.amenities, [])
    assert.deepEqual(
      [changed.status, changed.timezone, changed.currency],
      [whole.status, whole.timezone, whole.currency],
    )
  })

  test('a client may send back the whole record that it read, unchanged or changed', async () => {
    const space = await addSpace(owner, whole)
    const before = await owner.get(`${path}/${space.id}`)
    const same = await owner.put(`${path}/${space.id}`, space)
    assert.deepEqual(expectStatus(same, 200), before.body, 'nothing changed, not even updated_at')
    assert.equal(same.headers.get('etag'), before.headers.get('etag'))
    const renamed = await owner.patch(`${path}/${space.id}`, { ...space, name: 'New', created_at: 'yesterday' })
    assert.equal(expectStatus(renamed, 200).space.name, 'New')
    assert.equal(renamed.body.space.created_at, space.created_at)
  })

  test('text is trimmed', async () => {
    const space = await addSpace(owner, { name: '  Mouraria \n', city: '\tLisboa ' })
    assert.deepEqual([space.name, space.city], ['Mouraria', 'Lisboa'])
    const patched = await owner.patch(`${path}/${space.id}`, { name: ' M ' })
    assert.equal(expectStatus(patched, 200).space.name, 'M')
  })

  test('the status goes draft → active ⇄ inactive → archived → inactive', async () => {
    const { id } = await addSpace(owner, { status: 'draft' })
    for (const status of ['active', 'inactive', 'active', 'archived', 'inactive', 'archived'])
      assert.equal(expectStatus(await owner.patch(`${path}/${id}`, { status }), 200).space.status, status)
  })

  test('an empty space is deleted, and then gone', async () => {
    const { id } = await addSpace(owner)
    const gone = await owner.delete(`${path}/${id}`)
    assert.equal(gone.status, 204)
    assert.equal(gone.text, '')
    expectProblem(await owner.get(`${path}/${id}`), 404, 'not-found')
    expectProblem(await owner.delete(`${path}/${id}`), 404, 'not-found')
  })

  test('a space belongs to the account of the token, or to another of the organization that is named', async () => {
    const second = await addAccount(world, world.home.id, 'Second', 'owner')
    const manager = await world.home.as('manager', { account_id: second })
    assert.equal((await addSpace(manager)).account_id, second)
    const space = await addSpace(owner, { account_id: second })
    assert.equal(space.account_id, second)
    await addUnit(owner, { space_id: space.id })
    const moved = await owner.patch(`${path}/${space.id}`, { account_id: world.home.accountId })
    assert.equal(expectStatus(moved, 200).space.account_id, world.home.accountId)
    const { units } = expectStatus(await owner.get(`/api/v1/units?space_id=${space.id}`), 200)
    assert.equal(units[0].account_id, world.home.accountId, 'its units move along')
  })
})

suite('spaces: error', () => {
  test('each wrong member is named, all at once', async () => {
    const wrong = {
      name: '   ',
      country: 'Portugal',
      amenities: ['wifi', 'wifi', 'Not Snake'],
      status: 'open',
      timezone: '+02:00',
      currency: 'EUR',
      zip: 5,
      stars: 5,
    }
    expectProblem(
      await owner.post(path, wrong),
      400,
      'validation-error',
      '/name',
      '/country',
      '/amenities',
      '/amenities/2',
      '/status',
      '/timezone',
      '/currency',
      '/zip',
      '/stars',
    )
  })

  const refused: [string, object, string][] = [
    ['no name', {}, '/name'],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, '/name'],
    ['a name of null', { name: null }, '/name'],
    ['a country that does not exist', { name: 'n', country: 'XX' }, '/country'],
    ['a currency that does not exist', { name: 'n', currency: 'zzz' }, '/currency'],
    ['a zone that does not exist', { name: 'n', timezone: 'Europe/Atlantis' }, '/timezone'],
    ['101 amenities', { name: 'n', amenities: Array.from({ length: 101 }, (_, at) => `a${at}`) }, '/amenities'],
    ['amenities of null', { name: 'n', amenities: null }, '/amenities'],
    ['a description of 10,001 characters', { name: 'n', description: 'd'.repeat(10_001) }, '/description'],
    ['an account of another form', { name: 'n', account_id: 'mine' }, '/account_id'],
  ]
  for (const [what, body, pointer] of refused)
    test(`${what} is refused`, async () =>
      expectProblem(await owner.post(path, body), 400, 'validation-error', pointer))

  test('255 characters are counted as people count them', async () => {
    assert.equal((await addSpace(owner, { name: '🏠'.repeat(255) })).name.length, 510)
  })

  test('an empty PATCH is refused', async () => {
    const { id } = await addSpace(owner)
    const reply = await owner.patch(`${path}/${id}`, {})
    expectProblem(reply, 400, 'validation-error')
    assert.equal(reply.body.errors[0].code, 'too_few')
  })

  test('states that do not follow each other are a conflict', async () => {
    for (const [from, to] of [
      ['active', 'draft'],
      ['inactive', 'draft'],
      ['draft', 'inactive'],
      ['archived', 'active'],
      ['archived', 'draft'],
    ]) {
      const { id } = await addSpace(owner, { status: from })
      expectProblem(await owner.patch(`${path}/${id}`, { status: to }), 409, 'invalid-status-transition')
    }
  })

  test('an archived space changes in nothing but its status', async () => {
    const space = await addSpace(owner, { status: 'archived' })
    expectProblem(await owner.patch(`${path}/${space.id}`, { name: 'New' }), 409, 'resource-archived')
    const both = { ...space, name: 'New', status: 'inactive' }
    expectProblem(await owner.put(`${path}/${space.id}`, both), 409, 'resource-archived')
    expectStatus(await owner.put(`${path}/${space.id}`, { ...space, status: 'inactive' }), 200)
  })

  test('a space with units is not deleted', async () => {
    const { id } = await addSpace(owner)
    const unit = await addUnit(owner, { space_id: id })
    expectProblem(await owner.delete(`${path}/${id}`), 409, 'resource-in-use')
    expectStatus(await owner.delete(`/api/v1/units/${unit.id}`), 204)
    expectStatus(await owner.delete(`${path}/${id}`), 204)
  })

  test('an unknown id is 404, and what is no id at all 400', async () => {
    for (const reply of [
      await owner.get(`${path}/${unknownId}`),
      await owner.put(`${path}/${unknownId}`, { name: 'n' }),
      await owner.patch(`${path}/${unknownId}`, { name: 'n' }),
      await owner.delete(`${path}/${unknownId}`),
    ])
      expectProblem(reply, 404, 'not-found')
    for (const id of noIds)
      expectProblem(await owner.get(`${path}/${id}`), 400, 'validation-error', '/id')
  })

  test('an id or organization other than its own cannot be set', async () => {
    const space = await addSpace(owner)
    expectProblem(await owner.post(path, { ...space }), 400, 'validation-error', '/id')
    expectProblem(
      await owner.put(`${path}/${space.id}`, { ...space, id: unknownId }),
      400,
      'validation-error',
      '/id',
    )
    expectProblem(
      await owner.patch(`${path}/${space.id}`, { org_id: world.away.id }),
      400,
      'validation-error',
      '/org_id',
    )
    assert.deepEqual(expectStatus(await owner.get(`${path}/${space.id}`), 200).space, space)
  })
})

suite('spaces: security', () => {
  test('a stranger finds nothing: not by id, not in the list, not by filter', async () => {
    const space = await addSpace(owner, { name: 'Only ours' })
    const before = await owner.get(`${path}/${space.id}`)
    for (const reply of [
      await stranger.get(`${path}/${space.id}`),
      await stranger.put(`${path}/${space.id}`, { name: 'Taken' }),
      await stranger.patch(`${path}/${space.id}`, { name: 'Taken' }),
      await stranger.delete(`${path}/${space.id}`),
    ])
      expectProblem(reply, 404, 'not-found')
    assert.deepEqual((await owner.get(`${path}/${space.id}`)).body, before.body)
    for (const query of ['', `?org_id=${world.home.id}`, '?q=ours', `?account_id=${world.home.accountId}`])
      assert.deepEqual(expectStatus(await stranger.get(path + query), 200).spaces, [], query)
  })

  test('nothing is written for another organization or its accounts', async () => {
    const theirs = { name: 'n', account_id: world.away.accountId }
    expectProblem(await owner.post(path, theirs), 422, 'reference-not-found', '/account_id')
    const { id } = await addSpace(owner)
    expectProblem(await owner.patch(`${path}/${id}`, theirs), 422, 'reference-not-found', '/account_id')
    const foreign = { name: 'n', org_id: world.away.id }
    expectProblem(await owner.post(path, foreign), 400, 'validation-error', '/org_id')
  })

  test('reading and writing each need their permission', async () => {
    const space = await addSpace(owner)
    for (const role of ['viewer', 'staff'] as const) {
      const reader = await world.home.as(role)
      assert.ok(ids(expectStatus(await reader.get(`${path}?limit=100`), 200).spaces).includes(space.id))
      for (const reply of [
        await reader.post(path, { name: 'n' }),
        await reader.put(`${path}/${space.id}`, { name: 'n' }),
        await reader.patch(`${path}/${space.id}`, { name: 'n' }),
        await reader.delete(`${path}/${space.id}`),
      ])
        expectProblem(reply, 403, 'forbidden')
    }
    const service = await world.home.as('service', { permissions: ['units:read'] })
    expectProblem(await service.get(path), 403, 'forbidden')
    expectProblem(await service.get(`${path}/${space.id}`), 403, 'forbidden')
  })

  test('without a valid token there is 401, also for what does not exist', async () => {
    for (const caller of [world.caller(null), world.caller('not.a.token')])
      for (const reply of [
        await caller.get(path),
        await caller.get(`${path}/${unknownId}`),
        await caller.post(path, { nonsense: true }),
        await caller.delete(`${path}/${unknownId}`),
      ]) {
        expectProblem(reply, 401, 'unauthorized')
        assert.match(reply.headers.get('www-authenticate')!, /^Bearer/)
      }
  })
})
