import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { inDays } from '#test/local-days.ts'
import { addAccount, addListing, addSpace, addTarget, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()
let spaceId: string

before(async () => (spaceId = (await addSpace(owner, { name: 'Alfama Terraces', currency: 'usd' })).id))

const path = '/api/v1/units'
suite('units: errors', () => {
  const refused: [string, object, string][] = [
    ['a unit without a space', { space_id: undefined }, '/space_id'],
    ['a space of null', { space_id: null }, '/space_id'],
    ['a space that is no id', { space_id: 'alfama' }, '/space_id'],
    ['a unit without a name', { name: undefined }, '/name'],
    ['an unknown type', { type: 'castle' }, '/type'],
    ['fewer than no bedrooms', { bedrooms: -1 }, '/bedrooms'],
    ['half a bedroom', { bedrooms: 1.5 }, '/bedrooms'],
    ['a third of a bathroom', { bathrooms: 0.3 }, '/bathrooms'],
    ['no guests', { max_guests: 0 }, '/max_guests'],
    ['guests in words', { max_guests: '2' }, '/max_guests'],
    ['a unit without a price', { base_price_cents: undefined }, '/base_price_cents'],
    ['a negative minimum', { min_price_cents: -1 }, '/min_price_cents'],
    ['a negative price', { base_price_cents: -1 }, '/base_price_cents'],
    ['a price with half a cent', { base_price_cents: 0.5 }, '/base_price_cents'],
    ['a price beyond 32 bits', { base_price_cents: 2_147_483_648 }, '/base_price_cents'],
    ['a price beyond whole numbers', { base_price_cents: 1e300 }, '/base_price_cents'],
    ['a price of null', { base_price_cents: null }, '/base_price_cents'],
    ['a quantity of none', { quantity: 0 }, '/quantity'],
    ['a currency in capitals', { currency: 'EUR' }, '/currency'],
    ['a status of spaces', { status: 'draft' }, '/status'],
    ['an unknown member', { price: 5 }, '/price'],
  ]
  for (const [what, wrong, pointer] of refused)
    test(`rejects ${what}`, async () => {
      const body = { space_id: spaceId, name: 'n', base_price_cents: 1, ...wrong }
      expectProblem(await owner.post(path, body), 400, 'validation-error', pointer)
    })

  test('rejects an unknown space', async () => {
    const body = { space_id: unknownId, name: 'n', base_price_cents: 1 }
    expectProblem(await owner.post(path, body), 422, 'reference-not-found', '/space_id')
    const { id } = await addUnit(owner, { space_id: spaceId })
    expectProblem(await owner.put(`${path}/${id}`, body), 422, 'reference-not-found', '/space_id')
    expectProblem(await owner.patch(`${path}/${id}`, body), 422, 'reference-not-found', '/space_id')
  })

  test('has the account of its space', async () => {
    const second = await addAccount(world, world.home.id, 'Third')
    const body = { space_id: spaceId, name: 'n', base_price_cents: 1, account_id: second }
    expectProblem(await owner.post(path, body), 422, 'semantic-error', '/account_id')
    const { id } = await addUnit(owner, { space_id: spaceId })
    expectProblem(await owner.patch(`${path}/${id}`, { account_id: second }), 422, 'semantic-error')
    const theirs = await addSpace(owner, { account_id: second })
    expectProblem(await owner.patch(`${path}/${id}`, { space_id: theirs.id }), 422, 'semantic-error')
  })

  test('a linked unit cannot leave the account of its target', async () => {
    const second = await addAccount(world, world.home.id, 'Fourth')
    const unit = await addUnit(owner)
    await addListing(owner, { unit_id: unit.id })
    const space = await owner.patch(`/api/v1/spaces/${unit.space_id}`, { account_id: second })
    expectProblem(space, 409, 'resource-in-use')
    const theirs = await addSpace(owner, { account_id: second })
    const moved = await owner.patch(`${path}/${unit.id}`, { space_id: theirs.id, account_id: second })
    expectProblem(moved, 409, 'resource-in-use')
    assert.deepEqual(expectStatus(await owner.get(`${path}/${unit.id}`), 200).unit, unit)
  })

  test('an archived unit changes only its status, and not directly to active', async () => {
    const unit = await addUnit(owner, { space_id: spaceId, status: 'archived' })
    expectProblem(await owner.patch(`${path}/${unit.id}`, { name: 'New' }), 409, 'resource-archived')
    for (const status of ['active', 'maintenance'])
      expectProblem(await owner.patch(`${path}/${unit.id}`, { status }), 409, 'invalid-status-transition')
    expectStatus(await owner.put(`${path}/${unit.id}`, { ...unit, status: 'inactive' }), 200)
  })

  test('a unit with listings cannot be deleted', async () => {
    const unit = await addUnit(owner, { space_id: spaceId })
    const listing = await addListing(owner, {
      unit_id: unit.id,
      channel_target_id: (await addTarget(owner)).id,
    })
    expectProblem(await owner.delete(`${path}/${unit.id}`), 409, 'resource-in-use')
    expectStatus(await owner.delete(`/api/v1/channel-listings/${listing.id}`), 204)
    expectStatus(await owner.delete(`${path}/${unit.id}`), 204)
  })

  test('the currency cannot change while future nights have prices', async () => {
    const { id } = await addUnit(owner, { space_id: spaceId })
    const priced = (days: number, price_cents: number | null) =>
      owner.post('/api/v1/calendar', {
        values: [{ unit_id: id, date_from: inDays(days), date_to: inDays(days), price_cents }],
      })
    expectStatus(await priced(0, 9_000), 201)
    expectStatus(await priced(40, 12_000), 201)
    expectStatus(await owner.patch(`${path}/${id}`, { name: 'Loft', currency: 'usd' }), 200)
    const refused = await owner.patch(`${path}/${id}`, { currency: 'gbp' })
    expectProblem(refused, 409, 'resource-in-use')
    assert.ok(refused.body.detail.includes(inDays(0)), refused.body.detail)
    expectStatus(await priced(0, null), 201)
    assert.ok((await owner.patch(`${path}/${id}`, { currency: 'gbp' })).body.detail.includes(inDays(40)))
    expectStatus(await priced(40, null), 201)
    assert.equal((await owner.patch(`${path}/${id}`, { currency: 'gbp' })).body.unit.currency, 'gbp')
  })

  test('a unit with bookings cannot be deleted', async () => {
    const { id } = await addUnit(owner, { space_id: spaceId })
    await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`insert into bookings (org_id, account_id, unit_id, guest_name, nights, check_in, check_out, total_cents, currency)
        values (${world.home.id}, ${world.home.accountId}, ${id}, 'Ada', '[2030-01-01,2030-01-03)',
          '2030-01-01T15:00Z', '2030-01-03T10:00Z', 100, 'eur')`,
    ])
    expectProblem(await owner.delete(`${path}/${id}`), 409, 'resource-in-use')
    expectStatus(await owner.patch(`${path}/${id}`, { status: 'archived' }), 200)
  })

  test('returns 404 for an unknown id with every method', async () => {
    const body = { space_id: spaceId, name: 'n', base_price_cents: 1 }
    for (const reply of [
      await owner.get(`${path}/${unknownId}`),
      await owner.put(`${path}/${unknownId}`, body),
      await owner.patch(`${path}/${unknownId}`, body),
      await owner.delete(`${path}/${unknownId}`),
    ])
      expectProblem(reply, 404, 'not-found')
  })
})
