import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectProblem, expectStatus, names } from '#test/expect.ts'
import { addBooking, addListing, addPlan, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld()

const path = '/api/v1/rate-plans'
const plansOf = async (unitId: string) =>
  expectStatus(await owner.get(`${path}?unit_id=${unitId}&sort=name`), 200).rate_plans
const defaultOf = async (unitId: string) =>
  (await plansOf(unitId)).find(({ is_default }: { is_default: boolean }) => is_default)
const defaultsOf = async (unitId: string) =>
  names((await plansOf(unitId)).filter(({ is_default }: { is_default: boolean }) => is_default))

suite('rate plans', () => {
  test('a new unit has a default plan in its currency', async () => {
    const unit = await addUnit(owner, { currency: 'gbp' })
    const [plan, ...others] = await plansOf(unit.id)
    assert.deepEqual(others, [])
    const { id, created_at, updated_at, ...rest } = plan
    assert.deepEqual(rest, {
      org_id: world.home.id,
      account_id: world.home.accountId,
      unit_id: unit.id,
      name: 'Standard',
      currency: 'gbp',
      meal_plan: 'none',
      is_default: true,
      status: 'active',
    })
    assert.deepEqual([typeof id, created_at], ['string', updated_at])
  })

  test('creates a plan from a unit and a name, and returns it alone and in the list', async () => {
    const unit = await addUnit(owner)
    const made = await owner.post(path, { unit_id: unit.id, name: 'Half board', meal_plan: 'half_board' })
    const { rate_plan: plan } = expectStatus(made, 201)
    assert.deepEqual(
      [plan.currency, plan.meal_plan, plan.is_default, plan.status],
      ['eur', 'half_board', false, 'active'],
    )
    assert.equal(made.headers.get('location'), `${path}/${plan.id}`)
    const read = await owner.get(`${path}/${plan.id}`)
    assert.deepEqual(expectStatus(read, 200), made.body)
    assert.equal(read.headers.get('etag'), made.headers.get('etag'))
    assert.deepEqual(names(await plansOf(unit.id)), ['Half board', 'Standard'])
    const found = await owner.get(`${path}?unit_id=${unit.id}&q=HALF&status=active`)
    assert.deepEqual(expectStatus(found, 200).rate_plans, [plan])
    assert.deepEqual((await owner.put(`${path}/${plan.id}`, plan)).body, made.body)
  })

  test('PATCH keeps missing fields; PUT replaces all fields', async () => {
    const plan = await addPlan(owner, { meal_plan: 'breakfast', status: 'inactive' })
    const renamed = expectStatus(await owner.patch(`${path}/${plan.id}`, { name: 'New' }), 200).rate_plan
    assert.deepEqual({ ...renamed, updated_at: plan.updated_at }, { ...plan, name: 'New' })
    const replaced = expectStatus(
      await owner.put(`${path}/${plan.id}`, { unit_id: plan.unit_id, name: 'Plain' }),
      200,
    ).rate_plan
    assert.deepEqual([replaced.name, replaced.meal_plan, replaced.status], ['Plain', 'none', 'active'])
  })

  test('a new default plan replaces the previous one, which can then be deleted', async () => {
    const unit = await addUnit(owner)
    const standard = await defaultOf(unit.id)
    const etag = (await owner.get(`${path}/${standard.id}`)).headers.get('etag')!
    const second = await addPlan(owner, { unit_id: unit.id, name: 'A', is_default: true })
    assert.deepEqual(await defaultsOf(unit.id), ['A'])
    expectProblem(
      await owner.patch(`${path}/${standard.id}`, { name: 'x' }, { 'if-match': etag }),
      412,
      'precondition-failed',
    )
    expectStatus(await owner.patch(`${path}/${standard.id}`, { is_default: true }), 200)
    assert.deepEqual(await defaultsOf(unit.id), ['Standard'])
    expectStatus(await owner.put(`${path}/${second.id}`, { ...second, is_default: true }), 200)
    assert.deepEqual(await defaultsOf(unit.id), ['A'])
    expectStatus(await owner.delete(`${path}/${standard.id}`), 204)
    assert.deepEqual(names(await plansOf(unit.id)), ['A'])
  })

  test('exactly one plan is the default after concurrent changes', async () => {
    const unit = await addUnit(owner)
    const plans = await Promise.all([1, 2, 3, 4].map(() => addPlan(owner, { unit_id: unit.id })))
    const replies = await Promise.all(
      plans.map(({ id }) => owner.patch(`${path}/${id}`, { is_default: true })),
    )
    for (const reply of replies) expectStatus(reply, 200)
    assert.equal((await defaultsOf(unit.id)).length, 1)
  })

  test('plans follow the currency of their unit', async () => {
    const plan = await addPlan(owner)
    expectStatus(await owner.patch(`/api/v1/units/${plan.unit_id}`, { currency: 'jpy' }), 200)
    for (const { currency } of await plansOf(plan.unit_id)) assert.equal(currency, 'jpy')
  })

  test('deactivating a plan pushes every night to its listings', async () => {
    const plan = await addPlan(owner)
    const { id } = await addListing(owner, { unit_id: plan.unit_id })
    const changesOf = async () =>
      (await owner.get(`/api/v1/sync/status/${id}`)).body.pending_changes as number
    const before = await changesOf()
    expectStatus(await owner.patch(`${path}/${plan.id}`, { name: 'Only a name' }), 200)
    assert.equal(await changesOf(), before)
    expectStatus(await owner.patch(`${path}/${plan.id}`, { status: 'inactive' }), 200)
    assert.equal(await changesOf(), before + 1)
    expectStatus(await owner.patch(`${path}/${plan.id}`, { status: 'active', is_default: true }), 200)
    assert.equal(await changesOf(), before + 2)
  })

  test('deleted, it is removed from bookings, whose ETag and updated_at change', async () => {
    const plan = await addPlan(owner, { unit_id: (await addUnit(owner)).id })
    const booking = await addBooking(owner, { unitId: plan.unit_id, ratePlanId: plan.id })
    const etag = async () => (await owner.get(`/api/v1/bookings/${booking.id}`)).headers.get('etag')
    const before = await etag()
    const since = encodeURIComponent(new Date().toISOString())
    expectStatus(await owner.delete(`${path}/${plan.id}`), 204)
    assert.notEqual(await etag(), before)
    const { bookings } = expectStatus(await owner.get(`/api/v1/bookings?updated_since=${since}`), 200)
    assert.deepEqual(
      bookings.map(({ id, ratePlanId }: Record<string, unknown>) => [id, ratePlanId]),
      [[booking.id, null]],
    )
  })
})

suite('rate plans: errors', () => {
  const wrong: [string, object, string][] = [
    ['no name', { name: undefined }, '/name'],
    ['no unit', { unit_id: undefined }, '/unit_id'],
    ['an unknown meal plan', { meal_plan: 'brunch' }, '/meal_plan'],
    ['an unknown status', { status: 'maintenance' }, '/status'],
    ['a default of null', { is_default: null }, '/is_default'],
    ['an unknown member', { price_cents: 1 }, '/price_cents'],
  ]
  for (const [what, members, pointer] of wrong)
    test(`rejects ${what}`, async () => {
      const body = { unit_id: unknownId, name: 'n', ...members }
      expectProblem(await owner.post(path, body), 400, 'validation-error', pointer)
    })

  test('requires an existing unit, keeps it, and has its account and currency', async () => {
    const unknown = { unit_id: unknownId, name: 'n' }
    expectProblem(await owner.post(path, unknown), 422, 'reference-not-found', '/unit_id')
    const plan = await addPlan(owner)
    const body = { unit_id: plan.unit_id, name: 'n' }
    const other = await addUnit(owner)
    for (const [members, pointer] of [
      [{ currency: 'usd' }, '/currency'],
      [{ account_id: unknownId }, '/account_id'],
    ] as const) {
      expectProblem(await owner.post(path, { ...body, ...members }), 422, 'semantic-error', pointer)
      expectProblem(await owner.patch(`${path}/${plan.id}`, members), 422, 'semantic-error', pointer)
    }
    for (const unit_id of [other.id, unknownId])
      expectProblem(await owner.patch(`${path}/${plan.id}`, { unit_id }), 422, 'semantic-error', '/unit_id')
  })

  test('rejects two plans of a unit with the same name', async () => {
    const plan = await addPlan(owner, { name: 'Flexible' })
    const again = { unit_id: plan.unit_id, name: 'FLEXIBLE' }
    expectProblem(await owner.post(path, again), 409, 'already-exists')
    const other = await addPlan(owner, { unit_id: plan.unit_id })
    expectProblem(await owner.patch(`${path}/${other.id}`, { name: 'flexible' }), 409, 'already-exists')
    expectStatus(await owner.patch(`${path}/${plan.id}`, { name: 'flexible' }), 200)
  })

  test('the default plan cannot be unset, deactivated or deleted', async () => {
    const unit = await addUnit(owner)
    const { id } = await defaultOf(unit.id)
    for (const reply of [
      await owner.patch(`${path}/${id}`, { is_default: false }),
      await owner.patch(`${path}/${id}`, { status: 'inactive' }),
      await owner.patch(`${path}/${id}`, { status: 'archived' }),
      await owner.delete(`${path}/${id}`),
      await owner.post(path, { unit_id: unit.id, name: 'n', is_default: true, status: 'inactive' }),
    ])
      expectProblem(reply, 409, 'resource-in-use')
    assert.deepEqual(await defaultsOf(unit.id), ['Standard'])
  })

  test('a plan that a listing is linked to cannot be deleted', async () => {
    const plan = await addPlan(owner)
    const listing = await addListing(owner, { unit_id: plan.unit_id })
    const linked = JSON.stringify([{ rate_plan_id: plan.id, external_id: 'RP-1' }])
    await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`update channel_listings set rate_plans = ${linked}::jsonb where id = ${listing.id}`,
    ])
    expectProblem(await owner.delete(`${path}/${plan.id}`), 409, 'resource-in-use')
    expectStatus(await owner.delete(`/api/v1/channel-listings/${listing.id}`), 204)
    expectStatus(await owner.delete(`${path}/${plan.id}`), 204)
    expectProblem(await owner.get(`${path}/${plan.id}`), 404, 'not-found')
  })

  test('an archived plan changes only its status, and not directly to active', async () => {
    const plan = await addPlan(owner, { status: 'archived' })
    expectProblem(await owner.patch(`${path}/${plan.id}`, { name: 'x' }), 409, 'resource-archived')
    expectProblem(
      await owner.patch(`${path}/${plan.id}`, { status: 'active' }),
      409,
      'invalid-status-transition',
    )
    for (const status of ['inactive', 'active'])
      expectStatus(await owner.patch(`${path}/${plan.id}`, { status }), 200)
    const unit = await addUnit(owner, { status: 'archived' })
    expectProblem(await owner.post(path, { unit_id: unit.id, name: 'n' }), 409, 'resource-archived')
  })
})

suite('rate plans: security', () => {
  test('another organization reads and changes nothing', async () => {
    const plan = await addPlan(owner, { name: 'Only ours' })
    const body = { unit_id: plan.unit_id, name: 'Taken' }
    for (const reply of [
      await stranger.get(`${path}/${plan.id}`),
      await stranger.put(`${path}/${plan.id}`, body),
      await stranger.patch(`${path}/${plan.id}`, { name: 'Taken' }),
      await stranger.delete(`${path}/${plan.id}`),
    ])
      expectProblem(reply, 404, 'not-found')
    expectProblem(await stranger.post(path, body), 422, 'reference-not-found', '/unit_id')
    for (const query of ['', '?q=ours', `?unit_id=${plan.unit_id}`])
      assert.deepEqual(expectStatus(await stranger.get(path + query), 200).rate_plans, [], query)
  })

  test('reading and writing require their permissions', async () => {
    const plan = await addPlan(owner)
    const viewer = await world.home.as('viewer')
    expectStatus(await viewer.get(`${path}/${plan.id}`), 200)
    for (const reply of [
      await viewer.post(path, { unit_id: plan.unit_id, name: 'n' }),
      await viewer.patch(`${path}/${plan.id}`, { name: 'n' }),
      await viewer.delete(`${path}/${plan.id}`),
    ])
      expectProblem(reply, 403, 'forbidden')
  })
})
