import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addCharge, addSpace, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld()

const path = '/api/v1/charges'
const fee = { name: 'Cleaning', kind: 'fee', basis: 'stay', amount_cents: 5_000 }

suite('charges', () => {
  test('creates a charge in the currency of its space, and returns it alone and in the list', async () => {
    const space = await addSpace(owner, { currency: 'gbp' })
    const made = await owner.post(path, { ...fee, space_id: space.id })
    const { charge } = expectStatus(made, 201)
    const { id, created_at, updated_at, ...rest } = charge
    assert.deepEqual(rest, {
      org_id: world.home.id,
      account_id: world.home.accountId,
      space_id: space.id,
      unit_id: null,
      ...fee,
      currency: 'gbp',
      percent: null,
      applies_to: null,
      included: false,
      min_nights: null,
      max_nights: null,
      charged_nights: null,
      guests_included: 0,
      status: 'active',
    })
    assert.equal(created_at, updated_at)
    assert.equal(made.headers.get('location'), `${path}/${id}`)
    const read = await owner.get(`${path}/${id}`)
    assert.deepEqual(expectStatus(read, 200), made.body)
    assert.equal(read.headers.get('etag'), made.headers.get('etag'))
    const found = await owner.get(`${path}?space_id=${space.id}&kind=fee&status=active&q=clean`)
    assert.deepEqual(expectStatus(found, 200).charges, [charge])
    const again = await owner.put(`${path}/${id}`, charge)
    assert.deepEqual([again.body, again.headers.get('etag')], [made.body, made.headers.get('etag')])
  })

  test('keeps four decimal places of a percentage, which applies to the nights by default', async () => {
    const unit = await addUnit(owner)
    const charge = await addCharge(owner, { unit_id: unit.id, kind: 'tax', percent: 7.0125, included: true })
    assert.deepEqual(
      [charge.percent, charge.applies_to, charge.amount_cents, charge.included],
      [7.0125, 'base', null, true],
    )
  })

  test('PATCH keeps missing fields; PUT replaces all fields and requires the space or unit', async () => {
    const unit = await addUnit(owner)
    const charge = await addCharge(owner, {
      unit_id: unit.id,
      basis: 'guest_night',
      charged_nights: 7,
      status: 'inactive',
    })
    const patched = expectStatus(await owner.patch(`${path}/${charge.id}`, { amount_cents: 300 }), 200).charge
    assert.deepEqual({ ...patched, updated_at: charge.updated_at }, { ...charge, amount_cents: 300 })
    for (const pointer of ['/space_id', '/unit_id'])
      expectProblem(await owner.put(`${path}/${charge.id}`, fee), 422, 'semantic-error', pointer)
    const whole = { ...fee, unit_id: unit.id }
    const replaced = expectStatus(await owner.put(`${path}/${charge.id}`, whole), 200).charge
    assert.deepEqual(
      [replaced.unit_id, replaced.basis, replaced.charged_nights, replaced.status],
      [unit.id, 'stay', null, 'active'],
    )
    const becomes = { basis: 'percent', percent: 3, amount_cents: null }
    assert.equal(
      expectStatus(await owner.patch(`${path}/${charge.id}`, becomes), 200).charge.applies_to,
      'base',
    )
    expectStatus(await owner.delete(`${path}/${charge.id}`), 204)
    expectProblem(await owner.get(`${path}/${charge.id}`), 404, 'not-found')
  })

  test('a percentage takes the currency of the unit or space, and rejects a stale ETag', async () => {
    const unit = await addUnit(owner)
    const charge = await addCharge(owner, { unit_id: unit.id, percent: 5 })
    const etag = (await owner.get(`${path}/${charge.id}`)).headers.get('etag')!
    expectStatus(await owner.patch(`/api/v1/units/${unit.id}`, { currency: 'jpy' }), 200)
    assert.equal((await owner.get(`${path}/${charge.id}`)).body.charge.currency, 'jpy')
    const late = await owner.patch(`${path}/${charge.id}`, { percent: 1 }, { 'if-match': etag })
    expectProblem(late, 412, 'precondition-failed')
    const space = await addSpace(owner)
    const other = await addCharge(owner, { space_id: space.id, percent: 5 })
    expectStatus(await owner.patch(`/api/v1/spaces/${space.id}`, { currency: 'usd' }), 200)
    assert.equal((await owner.get(`${path}/${other.id}`)).body.charge.currency, 'usd')
  })

  test('an amount never becomes the same number of another currency', async () => {
    const space = await addSpace(owner)
    const unit = await addUnit(owner)
    const places = [
      [{ unit_id: unit.id }, `/api/v1/units/${unit.id}`],
      [{ space_id: space.id }, `/api/v1/spaces/${space.id}`],
    ] as const
    for (const [place, placePath] of places) {
      const charge = await addCharge(owner, { ...place, name: 'Cleaning' })
      const rejected = await owner.patch(placePath, { currency: 'jpy' })
      expectProblem(rejected, 409, 'resource-in-use')
      assert.deepEqual(rejected.body.held_by, { charges: [charge.id] })
      assert.match(rejected.body.detail, /The charge Cleaning is EUR 50\.00\./)
      expectStatus(await owner.delete(`${path}/${charge.id}`), 204)
      expectStatus(await owner.patch(placePath, { currency: 'jpy' }), 200)
    }
  })

  test('is deleted with its unit', async () => {
    const unit = await addUnit(owner)
    const charge = await addCharge(owner, { unit_id: unit.id })
    expectStatus(await owner.delete(`/api/v1/units/${unit.id}`), 204)
    expectProblem(await owner.get(`${path}/${charge.id}`), 404, 'not-found')
  })
})

suite('charges: errors', () => {
  const unit_id = unknownId
  for (const [what, members, pointer] of [
    ['no name', { name: undefined }, '/name'],
    ['an unknown kind', { kind: 'gift' }, '/kind'],
    ['an unknown basis', { basis: 'week' }, '/basis'],
    ['an amount below nothing', { amount_cents: -1 }, '/amount_cents'],
    ['half a unit', { amount_cents: 0.5 }, '/amount_cents'],
    ['more than everything', { percent: 100.1 }, '/percent'],
    ['an unknown member', { price: 1 }, '/price'],
  ] as const)
    test(`rejects ${what}`, async () => {
      const body = { ...fee, unit_id, ...members }
      expectProblem(await owner.post(path, body), 400, 'validation-error', pointer)
    })

  test('rejects fields that contradict each other', async () => {
    const unit = await addUnit(owner)
    const percent = { basis: 'percent', amount_cents: null, percent: 5 }
    for (const [members, pointer] of [
      [{ amount_cents: null }, '/amount_cents'],
      [{ percent: 5 }, '/percent'],
      [{ applies_to: 'base' }, '/applies_to'],
      [{ ...percent, percent: null }, '/percent'],
      [{ ...percent, amount_cents: 5 }, '/amount_cents'],
      [{ ...percent, percent: 1.00001 }, '/percent'],
      [{ ...percent, applies_to: 'base_and_fees' }, '/applies_to'],
      [{ included: true }, '/included'],
      [{ charged_nights: 3 }, '/charged_nights'],
      [{ guests_included: 1 }, '/guests_included'],
      [{ min_nights: 3, max_nights: 2 }, '/max_nights'],
      [{ currency: 'usd' }, '/currency'],
      [{ account_id: unknownId }, '/account_id'],
    ] as const) {
      const reply = await owner.post(path, { ...fee, unit_id: unit.id, ...members })
      expectProblem(reply, 422, 'semantic-error', pointer)
    }
  })

  test('belongs to one existing space or unit that is not archived, and keeps it', async () => {
    const [space, unit] = [await addSpace(owner), await addUnit(owner, { status: 'archived' })]
    expectProblem(await owner.post(path, fee), 422, 'semantic-error', '/unit_id')
    const both = { ...fee, space_id: space.id, unit_id: unit.id }
    expectProblem(await owner.post(path, both), 422, 'semantic-error', '/unit_id')
    for (const member of ['space_id', 'unit_id'])
      expectProblem(
        await owner.post(path, { ...fee, [member]: unknownId }),
        422,
        'reference-not-found',
        `/${member}`,
      )
    expectProblem(await owner.post(path, { ...fee, unit_id: unit.id }), 409, 'resource-archived')
    const charge = await addCharge(owner, { space_id: space.id })
    for (const [member, value] of [
      ['unit_id', unit.id],
      ['space_id', null],
    ])
      expectProblem(
        await owner.patch(`${path}/${charge.id}`, { [member!]: value }),
        422,
        'semantic-error',
        `/${member}`,
      )
  })

  test('a unit has at most 100 charges, also with concurrent requests', async () => {
    const unit = await addUnit(owner)
    const add = (count: number) =>
      Promise.all(Array.from({ length: count }, () => owner.post(path, { ...fee, unit_id: unit.id })))
    // Few at a time: a request waits two seconds at most for a connection, and these wait for one another.
    for (let added = 0; added < 96; added += 8) for (const reply of await add(8)) expectStatus(reply, 201)
    const replies = await add(8)
    const refused = replies.filter(({ status }) => status !== 201)
    assert.equal(refused.length, 4)
    for (const reply of refused) expectProblem(reply, 422, 'semantic-error', '/unit_id')
  })
})

suite('charges: security', () => {
  test('another organization reads and changes nothing', async () => {
    const unit = await addUnit(owner)
    const charge = await addCharge(owner, { unit_id: unit.id, name: 'Only ours' })
    for (const reply of [
      await stranger.get(`${path}/${charge.id}`),
      await stranger.put(`${path}/${charge.id}`, fee),
      await stranger.patch(`${path}/${charge.id}`, { name: 'Taken' }),
      await stranger.delete(`${path}/${charge.id}`),
    ])
      expectProblem(reply, 404, 'not-found')
    const reply = await stranger.post(path, { ...fee, unit_id: unit.id })
    expectProblem(reply, 422, 'reference-not-found', '/unit_id')
    for (const query of ['', '?q=ours', `?unit_id=${unit.id}`])
      assert.deepEqual(ids(expectStatus(await stranger.get(path + query), 200).charges), [], query)
  })

  test('reading and writing require their permissions', async () => {
    const unit = await addUnit(owner)
    const charge = await addCharge(owner, { unit_id: unit.id })
    const viewer = await world.home.as('viewer')
    expectStatus(await viewer.get(`${path}/${charge.id}`), 200)
    for (const reply of [
      await viewer.post(path, { ...fee, unit_id: unit.id }),
      await viewer.patch(`${path}/${charge.id}`, { name: 'n' }),
      await viewer.delete(`${path}/${charge.id}`),
    ])
      expectProblem(reply, 403, 'forbidden')
  })
})
