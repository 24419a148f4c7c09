import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addAccount, addSpace, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld()

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

suite('spaces', () => {
  test('creates a space from a name, with the time zone and currency of the organization', async () => {
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

  test('returns all fields unchanged, alone and in the list', async () => {
    const made = await owner.post(path, whole)
    const { space } = expectStatus(made, 201)
    assert.deepEqual({ ...space, ...whole }, space)
    const read = await owner.get(`${path}/${space.id}`)
    assert.deepEqual(expectStatus(read, 200), made.body)
    assert.equal(read.headers.get('etag'), made.headers.get('etag'))
    const { spaces } = expectStatus(await owner.get(`${path}?q=alfama`), 200)
    assert.deepEqual(spaces, [space])
  })

  test('PATCH keeps missing fields; null clears a field', async () => {
    const space = await addSpace(owner, whole)
    const reply = await owner.patch(`${path}/${space.id}`, { city: 'Porto', zip: null })
    const { updated_at, ...rest } = expectStatus(reply, 200).space
    assert.deepEqual({ ...rest, updated_at: space.updated_at }, { ...space, city: 'Porto', zip: null })
    assert.ok(updated_at > space.updated_at)
  })

  test('PUT clears missing fields or sets their defaults', async () => {
    const [space, plain] = [await addSpace(owner, whole), await addSpace(owner)]
    const changed = expectStatus(await owner.put(`${path}/${space.id}`, { name: 'Renamed' }), 200).space
    assert.equal(changed.name, 'Renamed')
    for (const member of ['address', 'city', 'state', 'zip', 'country', 'description'])
      assert.equal(changed[member], null, member)
    assert.deepEqual(changed.amenities, [])
    assert.deepEqual(
      [changed.status, changed.timezone, changed.currency],
      [plain.status, plain.timezone, plain.currency],
    )
  })

  test('accepts the whole record as it was read, changed or not', async () => {
    const space = await addSpace(owner, whole)
    const before = await owner.get(`${path}/${space.id}`)
    const same = await owner.put(`${path}/${space.id}`, space)
    assert.deepEqual(expectStatus(same, 200), before.body, 'nothing changed, not even updated_at')
    assert.equal(same.headers.get('etag'), before.headers.get('etag'))
    const renamed = await owner.patch(`${path}/${space.id}`, {
      ...space,
      name: 'New',
      created_at: 'yesterday',
    })
    assert.equal(expectStatus(renamed, 200).space.name, 'New')
    assert.equal(renamed.body.space.created_at, space.created_at)
  })

  test('trims text', async () => {
    const space = await addSpace(owner, { name: '  Mouraria \n', city: '\tLisboa ' })
    assert.deepEqual([space.name, space.city], ['Mouraria', 'Lisboa'])
    const patched = await owner.patch(`${path}/${space.id}`, { name: ' M ' })
    assert.equal(expectStatus(patched, 200).space.name, 'M')
  })

  test('allows draft → active ⇄ inactive → archived → inactive', async () => {
    const { id } = await addSpace(owner, { status: 'draft' })
    for (const status of ['active', 'inactive', 'active', 'archived', 'inactive', 'archived'])
      assert.equal(expectStatus(await owner.patch(`${path}/${id}`, { status }), 200).space.status, status)
  })

  test('deletes a space without units', async () => {
    const { id } = await addSpace(owner)
    const gone = await owner.delete(`${path}/${id}`)
    assert.equal(gone.status, 204)
    assert.equal(gone.text, '')
    expectProblem(await owner.get(`${path}/${id}`), 404, 'not-found')
    expectProblem(await owner.delete(`${path}/${id}`), 404, 'not-found')
  })

  test('belongs to the account of the token, or to a given one of the organization', async () => {
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

suite('spaces: security', () => {
  test('another organization finds nothing by id, in the list or by filter', async () => {
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

  test('writes nothing for another organization or its accounts', async () => {
    const theirs = { name: 'n', account_id: world.away.accountId }
    expectProblem(await owner.post(path, theirs), 422, 'reference-not-found', '/account_id')
    const { id } = await addSpace(owner)
    expectProblem(await owner.patch(`${path}/${id}`, theirs), 422, 'reference-not-found', '/account_id')
    const foreign = { name: 'n', org_id: world.away.id }
    expectProblem(await owner.post(path, foreign), 400, 'validation-error', '/org_id')
  })

  test('reading and writing require their permissions', async () => {
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

  test('returns 401 without a valid token, also for unknown records', async () => {
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
