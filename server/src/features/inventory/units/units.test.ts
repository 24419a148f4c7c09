import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, suite, test } from 'node:test'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addAccount, addBooking, addCharge, addFeed, addPlan, addSpace, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld()
let spaceId: string

before(async () => (spaceId = (await addSpace(owner, { name: 'Alfama Terraces', currency: 'usd' })).id))

const path = '/api/v1/units'
const whole = {
  name: 'Tejo Two',
  type: 'loft',
  bedrooms: 3,
  bathrooms: 1.5,
  max_guests: 6,
  base_price_cents: 12_400,
  min_price_cents: 8_000,
  quantity: 4,
  currency: 'gbp',
  status: 'maintenance',
}

suite('units', () => {
  test('creates a unit from space, name and price, with the currency and account of the space', async () => {
    const reply = await owner.post(path, { space_id: spaceId, name: 'Tejo One', base_price_cents: 9_000 })
    const { id, created_at, updated_at, space, ...rest } = expectStatus(reply, 201).unit
    assert.deepEqual(rest, {
      org_id: world.home.id,
      account_id: world.home.accountId,
      space_id: spaceId,
      name: 'Tejo One',
      type: 'apartment',
      bedrooms: 1,
      bathrooms: 1,
      max_guests: 2,
      quantity: 1,
      base_price_cents: 9_000,
      min_price_cents: null,
      free_of_charge: false,
      currency: 'usd',
      status: 'active',
    })
    assert.equal(updated_at, created_at)
    assert.equal(reply.headers.get('location'), `${path}/${id}`)
    assert.deepEqual(space, (await owner.get(`/api/v1/spaces/${spaceId}`)).body.space)
  })

  test('returns all fields unchanged with the nested space, alone and in the list', async () => {
    const made = await owner.post(path, { space_id: spaceId, ...whole })
    const { unit } = expectStatus(made, 201)
    assert.deepEqual({ ...unit, ...whole }, unit)
    const read = await owner.get(`${path}/${unit.id}`)
    assert.deepEqual(expectStatus(read, 200), made.body)
    assert.equal(read.headers.get('etag'), made.headers.get('etag'))
    const { units } = expectStatus(await owner.get(`${path}?q=tejo%20two`), 200)
    assert.deepEqual(units, [unit])
  })

  test('are listed by their ids, those of others and unknown ones left out', async () => {
    const one = await addUnit(owner, { space_id: spaceId })
    const two = await addUnit(owner, { space_id: spaceId })
    const foreign = await addUnit(stranger)
    const query = [one, two, foreign, { id: randomUUID() }].map(({ id }) => `id=${id}`).join('&')
    const { units } = expectStatus(await owner.get(`${path}?${query}`), 200)
    assert.deepEqual(ids(units).toSorted(), [one.id, two.id].toSorted())
    expectStatus(await stranger.delete(`${path}/${foreign.id}`), 204)
  })

  test('a change of the space shows in its units immediately', async () => {
    const space = await addSpace(owner)
    const unit = await addUnit(owner, { space_id: space.id })
    const before = await owner.get(`${path}/${unit.id}`)
    await owner.patch(`/api/v1/spaces/${space.id}`, { city: 'Faro' })
    const later = await owner.get(`${path}/${unit.id}`, { 'if-none-match': before.headers.get('etag')! })
    assert.equal(expectStatus(later, 200).unit.space.city, 'Faro')
  })

  test('PATCH keeps missing fields', async () => {
    const unit = await addUnit(owner, { space_id: spaceId, ...whole })
    const reply = await owner.patch(`${path}/${unit.id}`, { base_price_cents: 2_147_483_647 })
    const { updated_at, ...rest } = expectStatus(reply, 200).unit
    assert.deepEqual({ ...rest, updated_at: unit.updated_at }, { ...unit, base_price_cents: 2_147_483_647 })
    assert.ok(updated_at > unit.updated_at)
  })

  test('PUT sets the defaults of missing fields', async () => {
    const { id } = await addUnit(owner, { space_id: spaceId, ...whole })
    const plain = { space_id: spaceId, name: 'Plain', base_price_cents: 5_000 }
    const { unit } = expectStatus(await owner.put(`${path}/${id}`, plain), 200)
    assert.deepEqual(
      [unit.type, unit.bedrooms, unit.bathrooms, unit.max_guests, unit.base_price_cents],
      ['apartment', 1, 1, 2, 5_000],
    )
    assert.deepEqual(
      [unit.quantity, unit.currency, unit.status, unit.min_price_cents],
      [1, 'usd', 'active', null],
    )
  })

  test('accepts the whole record as it was read, with its nested space', async () => {
    const unit = await addUnit(owner, { space_id: spaceId, ...whole })
    const before = await owner.get(`${path}/${unit.id}`)
    assert.deepEqual(expectStatus(await owner.put(`${path}/${unit.id}`, unit), 200), before.body)
    const changed = { ...unit, name: 'New', space: { ...unit.space, name: 'Not through here' } }
    const reply = expectStatus(await owner.patch(`${path}/${unit.id}`, changed), 200).unit
    assert.equal(reply.name, 'New')
    assert.equal(reply.space.name, 'Alfama Terraces')
  })

  test('can move to another space of its account and back', async () => {
    const unit = await addUnit(owner, { space_id: spaceId })
    const other = await addSpace(owner)
    const moved = await owner.patch(`${path}/${unit.id}`, { space_id: other.id })
    assert.equal(expectStatus(moved, 200).unit.space.id, other.id)
    const second = await addAccount(world, world.home.id, 'Second')
    const theirs = await addSpace(owner, { account_id: second })
    const fields = { space_id: theirs.id, account_id: second }
    assert.equal(expectStatus(await owner.patch(`${path}/${unit.id}`, fields), 200).unit.account_id, second)
  })

  test('takes its records to the other account, which their updated_at tells', async () => {
    const space = await addSpace(owner)
    const unit = await addUnit(owner, { space_id: space.id })
    const plan = await addPlan(owner, { unit_id: unit.id })
    const charge = await addCharge(owner, { unit_id: unit.id })
    const feed = await addFeed(owner, { unit_id: unit.id })
    const booking = await addBooking(owner, { unitId: unit.id })
    const account_id = await addAccount(world, world.home.id, 'Buyer')
    expectStatus(await owner.patch(`/api/v1/spaces/${space.id}`, { account_id }), 200)
    for (const [list, { id, updated_at, updatedAt = updated_at }] of [
      ['units', unit],
      ['rate-plans', plan],
      ['charges', charge],
      ['calendar-feeds', feed],
      ['bookings', booking],
    ] as const) {
      const [moved] = Object.values(expectStatus(await owner.get(`/api/v1/${list}/${id}`), 200)) as [
        Record<string, string>,
      ]
      assert.equal(moved['account_id'], account_id, list)
      assert.ok((moved['updated_at'] ?? moved['updatedAt'])! > updatedAt, list)
    }
  })

  test('changes freely between active, inactive and maintenance; archived becomes inactive only', async () => {
    const { id } = await addUnit(owner, { space_id: spaceId })
    for (const status of ['maintenance', 'inactive', 'active', 'archived', 'inactive', 'active'])
      assert.equal(expectStatus(await owner.patch(`${path}/${id}`, { status }), 200).unit.status, status)
  })

  test('deletes a unit without listings and bookings', async () => {
    const { id } = await addUnit(owner, { space_id: spaceId })
    assert.equal((await owner.delete(`${path}/${id}`)).status, 204)
    expectProblem(await owner.get(`${path}/${id}`), 404, 'not-found')
  })
})

suite('units: security', () => {
  test('another organization reads and changes nothing', async () => {
    const unit = await addUnit(owner, { space_id: spaceId, name: 'Only ours' })
    const before = await owner.get(`${path}/${unit.id}`)
    const theirs = await addSpace(stranger)
    for (const reply of [
      await stranger.get(`${path}/${unit.id}`),
      await stranger.put(`${path}/${unit.id}`, { space_id: theirs.id, name: 'Taken', base_price_cents: 1 }),
      await stranger.patch(`${path}/${unit.id}`, { name: 'Taken' }),
      await stranger.delete(`${path}/${unit.id}`),
    ])
      expectProblem(reply, 404, 'not-found')
    assert.deepEqual((await owner.get(`${path}/${unit.id}`)).body, before.body)
    for (const query of ['', `?org_id=${world.home.id}`, '?q=ours', `?space_id=${spaceId}`])
      assert.deepEqual(expectStatus(await stranger.get(path + query), 200).units, [], query)
  })

  test('rejects a space of another organization in POST and PATCH', async () => {
    const body = { space_id: spaceId, name: 'n', base_price_cents: 1 }
    expectProblem(await stranger.post(path, body), 422, 'reference-not-found', '/space_id')
    const unit = await addUnit(stranger)
    expectProblem(await stranger.patch(`${path}/${unit.id}`, body), 422, 'reference-not-found', '/space_id')
    const foreign = { ...body, account_id: world.away.accountId }
    expectProblem(await owner.post(path, foreign), 422, 'semantic-error', '/account_id')
    expectProblem(
      await owner.post(path, { ...body, org_id: world.away.id }),
      400,
      'validation-error',
      '/org_id',
    )
  })

  test('reading and writing require their permissions', async () => {
    const unit = await addUnit(owner, { space_id: spaceId })
    const viewer = await world.home.as('viewer')
    expectStatus(await viewer.get(`${path}/${unit.id}`), 200)
    for (const reply of [
      await viewer.post(path, { space_id: spaceId, name: 'n' }),
      await viewer.put(`${path}/${unit.id}`, { space_id: spaceId, name: 'n' }),
      await viewer.patch(`${path}/${unit.id}`, { name: 'n' }),
      await viewer.delete(`${path}/${unit.id}`),
    ])
      expectProblem(reply, 403, 'forbidden')
    const service = await world.home.as('service', { permissions: ['units:write'] })
    expectProblem(await service.get(`${path}/${unit.id}`), 403, 'forbidden')
    expectStatus(await service.patch(`${path}/${unit.id}`, { name: 'By a machine' }), 200)
  })

  test('returns 401 without a token', async () => {
    const anonymous = world.caller(null)
    for (const reply of [
      await anonymous.get(path),
      await anonymous.post(path, {}),
      await anonymous.delete(`${path}/x`),
    ])
      expectProblem(reply, 401, 'unauthorized')
  })
})
