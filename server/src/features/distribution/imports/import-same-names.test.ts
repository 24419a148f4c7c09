import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startChannex } from '../../../../../sandbox/src/channex/server.ts'
import { channexCaller } from '../../../../../sandbox/test/channex-caller.ts'
import { openHostaway } from '../../../../../sandbox/test/hostaway-caller.ts'
import { apiKey, connection } from '#test/channex-live.ts'
import { connection as hostawayConnection } from '#test/hostaway-live.ts'
import { countsOf, day, useImports } from '#test/imports.ts'
import { shortDebounce, unlimitedCalls } from '#test/linked-units.ts'
import { addTarget, addUnit } from '#test/records.ts'

const { opened, read, owner, plan, run } = useImports()

/** A Channex account whose properties each have rooms of these names, and a target for each property. */
async function startProperties(...properties: string[][]) {
  const channex = await startChannex()
  opened.defer(() => channex.close())
  const { control } = channexCaller(() => channex.url)
  const seeded = await control('POST', 'seed', {
    keys: [{ key: apiKey }],
    properties: properties.map((rooms, at) => ({
      ...{ title: `House ${at + 1}`, currency: 'EUR', timezone: 'UTC' },
      room_types: rooms.map((title) => ({ title, count_of_rooms: 1, rate_plans: [{ title: 'Flexible' }] })),
    })),
  })
  const targets: string[] = []
  for (const { id, room_types } of seeded.body.properties as SeededProperty[]) {
    const nights = { property_id: id, date_from: day(0), date_to: day(499) }
    const values = room_types.map(({ rate_plans: [plan] }) => ({
      ...{ ...nights, rate_plan_id: plan!.id, rate: 12_000 },
    }))
    assert.equal((await control('POST', 'values', { kind: 'restrictions', values })).status, 200)
    const config = { ...connection(channex.url, id), ...shortDebounce, ...unlimitedCalls }
    targets.push((await addTarget(owner(), { config })).id)
  }
  return targets
}

interface SeededProperty {
  id: string
  room_types: { rate_plans: { id: string }[] }[]
}

/** That one page of Hostaway has. */
const listingsPerPage = 100

const importAll = async (target: string) => await run((await plan(target)).id)
const placesOf = async (name: string): Promise<string[]> =>
  (await read(`units?limit=100&q=${name}`)).units
    .map((unit: { space: { name: string } }) => unit.space.name)
    .sort()

suite('rooms with one name', () => {
  test('of two properties become two units', async () => {
    const [first, second] = (await startProperties(['Double'], ['Double'])) as [string, string]
    await importAll(first)
    const done = await importAll(second)
    assert.ok(countsOf(done).includes('unit create 1 1'), countsOf(done).join())
    assert.deepEqual(await placesOf('Double'), ['House 1', 'House 2'])
  })

  test('of one account are not both the unit that has this name here', async () => {
    const hostaway = await openHostaway()
    opened.defer(() => hostaway.close())
    for (const city of ['Porto', 'Braga']) await hostaway.addListing({ name: 'Twin', city })
    await addUnit(owner(), { name: 'Twin' })
    const config = { ...hostawayConnection(hostaway.url), ...unlimitedCalls }
    const done = await importAll((await addTarget(owner(), { config })).id)
    assert.deepEqual(
      countsOf(done).filter((count) => count.startsWith('unit')),
      ['unit create 1 1', 'unit match 1 1'],
    )
    assert.equal((await placesOf('Twin')).length, 2)
  })

  test('on different pages of one account are not both the unit that has this name here', async () => {
    const hostaway = await openHostaway()
    opened.defer(() => hostaway.close())
    await hostaway.addListing({ name: 'Pair', city: 'Porto' })
    for (let at = 1; at < listingsPerPage; at += 1)
      await hostaway.addListing({ name: `Archived ${at}`, specialStatus: 'archived' })
    await hostaway.addListing({ name: 'Pair', city: 'Braga' })
    await addUnit(owner(), { name: 'Pair' })
    const config = { ...hostawayConnection(hostaway.url), ...unlimitedCalls }
    const done = await importAll((await addTarget(owner(), { config })).id)
    assert.deepEqual(
      countsOf(done).filter((count) => count.startsWith('unit')),
      ['unit create 1 1', 'unit match 1 1', `unit skip ${listingsPerPage - 1} ${listingsPerPage - 1}`],
    )
    assert.equal((await placesOf('Pair')).length, 2)
  })
})
