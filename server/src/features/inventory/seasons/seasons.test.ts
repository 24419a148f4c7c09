import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addSeason, addSpace, addUnit, unknownId } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()

const path = '/api/v1/seasons'
const value = { date_from: '2030-07-01', date_to: '2030-07-14', price_percent: 10, min_stay_arrival: 3 }
const apply = (id: string, body: object) => owner.post(`${path}/${id}/apply`, body)
const firstDay = async (unitId: string) => {
  const reply = await owner.get(`/api/v1/calendar?unit_id=${unitId}&from=2030-07-05&to=2030-07-06`)
  const { price_cents, min_stay_arrival } = expectStatus(reply, 200).calendar[0].plans[0].days[0]
  return [price_cents, min_stay_arrival]
}

suite('seasons', () => {
  test('are created, listed, replaced and deleted', async () => {
    const made = expectStatus(await owner.post(path, { name: 'Summer', values: [value] }), 201).season
    assert.deepEqual([made.name, made.values, made.org_id], ['Summer', [value], world.home.id])
    assert.ok(ids(expectStatus(await owner.get(`${path}?q=summ`), 200).seasons).includes(made.id))
    const replaced = await owner.put(`${path}/${made.id}`, { ...made, name: 'High season' })
    assert.equal(expectStatus(replaced, 200).season.name, 'High season')
    expectStatus(await owner.delete(`${path}/${made.id}`), 204)
    expectProblem(await owner.get(`${path}/${made.id}`), 404, 'not-found')
  })

  test('applying one is one change of all its units, based on their own prices, which can be reverted', async () => {
    const space = await addSpace(owner)
    const units = [
      await addUnit(owner, { space_id: space.id, base_price_cents: 10_000 }),
      await addUnit(owner, { space_id: space.id, base_price_cents: 20_000 }),
    ]
    const other = await addUnit(owner, { base_price_cents: 10_000 })
    const past = { ...value, date_from: '2020-07-01', date_to: '2020-07-14' }
    const season = await addSeason(owner, {
      values: [past, value, { ...value, weekdays: ['sat'], price_percent: 50 }],
    })
    const dry = expectStatus(await apply(season.id, { space_ids: [space.id], dry_run: true }), 200)
    assert.deepEqual(await firstDay(units[0].id), [10_000, 1])
    const made = expectStatus(await apply(season.id, { space_ids: [space.id] }), 201).calendar_change
    assert.deepEqual(
      [made.units, made.nights_changed, made.season_id],
      [2, dry.calendar_preview.nights_changed, season.id],
    )
    assert.deepEqual(await Promise.all([...units, other].map(({ id }) => firstDay(id))), [
      [11_000, 3],
      [22_000, 3],
      [10_000, 1],
    ])
    const found = expectStatus(await owner.get(`/api/v1/calendar-changes?season_id=${season.id}`), 200)
    assert.deepEqual(ids(found.calendar_changes), [made.id])
    const { audit } = (await owner.get('/api/v1/sync/audit?action=calendar.changed&limit=100')).body
    const entry = audit.find(({ id }: { id: string }) => id === made.id)
    assert.deepEqual([entry.changes.length, entry.changes[0].after.name], [1, season.name])
    expectStatus(await owner.post(`/api/v1/calendar-changes/${made.id}/revert`, undefined), 201)
    assert.deepEqual(await firstDay(units[0].id), [10_000, 1])
  })

  test('units are selected by exactly one member, and errors point to it', async () => {
    const unit = await addUnit(owner, { base_price_cents: 10_000, min_price_cents: 9_500 })
    const { id } = await addSeason(owner)
    expectProblem(await apply(id, {}), 422, 'semantic-error', '/unit_ids')
    expectProblem(await apply(id, { all: true, unit_ids: [unit.id] }), 422, 'semantic-error', '/unit_ids')
    const unknown = await apply(id, { unit_ids: [unit.id, unknownId] })
    expectProblem(unknown, 422, 'reference-not-found', '/unit_ids/1')
    expectProblem(await apply(id, { space_ids: [unknownId] }), 422, 'semantic-error', '/space_ids')
    const late = await addSeason(owner, {
      values: [{ ...value, date_from: '2200-07-01', date_to: '2200-07-14' }],
    })
    expectProblem(await apply(late.id, { unit_ids: [unit.id], years: 1 }), 422, 'semantic-error', '/years')
    const cheap = await addSeason(owner, { values: [{ ...value, price_percent: -10 }] })
    const low = await apply(cheap.id, { unit_ids: [unit.id] })
    expectProblem(low, 422, 'price-below-minimum', '/unit_ids/0')
    const gone = await addSeason(owner, {
      values: [{ ...value, date_from: '2020-01-01', date_to: '2020-01-02' }],
    })
    expectProblem(await apply(gone.id, { unit_ids: [unit.id] }), 422, 'semantic-error')
    const nothing = await owner.post(path, {
      name: 'Nothing',
      values: [{ date_from: '2030-07-01', date_to: '2030-07-02' }],
    })
    expectProblem(nothing, 422, 'semantic-error', '/values/0')
  })

  test('amounts are not applied to units of several currencies, percentages are', async () => {
    const units = [
      await addUnit(owner, { base_price_cents: 10_000, currency: 'eur' }),
      await addUnit(owner, { base_price_cents: 10_000, currency: 'jpy' }),
    ]
    const body = { unit_ids: ids(units) }
    const { date_from, date_to } = value
    for (const amount of [{ price_cents: 18_900 }, { price_delta_cents: 2_000 }]) {
      const { id } = await addSeason(owner, { values: [value, { date_from, date_to, ...amount }] })
      for (const dry_run of [true, false])
        expectProblem(await apply(id, { ...body, dry_run }), 422, 'semantic-error', '/unit_ids/1')
      expectStatus(await apply(id, { unit_ids: [units[1].id] }), 201)
    }
    const { id } = await addSeason(owner, { values: [value] })
    expectStatus(await apply(id, body), 201)
  })

  test('other organizations and readers cannot', async () => {
    const unit = await addUnit(owner)
    const { id } = await addSeason(owner)
    const stranger = await world.away.as('owner')
    const viewer = await world.home.as('viewer')
    const body = { unit_ids: [unit.id] }
    expectProblem(await stranger.post(`${path}/${id}/apply`, body), 404, 'not-found')
    expectProblem(await viewer.post(`${path}/${id}/apply`, body), 403, 'forbidden')
    const theirs = await addSeason(stranger)
    expectProblem(await stranger.post(`${path}/${theirs.id}/apply`, body), 422, 'reference-not-found')
  })
})
