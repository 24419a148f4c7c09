import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { addSpace, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { owner } = shareWorld({ workers: true })

const reaches = (id: string, status: string) =>
  until(
    async () => expectStatus(await owner.get(`/api/v1/file-imports/${id}`), 200).file_import,
    (one) => one.status === status,
  )

async function plan(space: string, lines: readonly string[], more = ''): Promise<string> {
  const body = [`id,space,name,price${more}`, ...lines.map((line) => line.replace(',', `,${space},`))].join(
    '\n',
  )
  const sent = await owner.send('POST', '/api/v1/file-imports?kind=units', {
    body,
    headers: { 'content-type': 'text/csv' },
  })
  const { id } = expectStatus(sent, 201).file_import
  await reaches(id, 'planned')
  return id
}

async function run(id: string) {
  expectStatus(await owner.post(`/api/v1/file-imports/${id}/run`), 200)
  return await reaches(id, 'completed')
}

/** Imports a file of units, and returns how many rows of each kind it had, and the units of the space. */
async function importUnits(space: string, lines: readonly string[], more = '') {
  const { counts } = await run(await plan(space, lines, more))
  const { units } = expectStatus(await owner.get('/api/v1/units?limit=100'), 200)
  return {
    counts: counts.map(({ action, total }: { action: string; total: number }) => `${action} ${total}`),
    units: units
      .filter((unit: { space: { name: string } }) => unit.space.name === space)
      .map((unit: { name: string; base_price_cents: number }) => [unit.name, unit.base_price_cents])
      .sort(),
  }
}

suite('units of a file', () => {
  test('are not taken for those whose id in the other system is their name', async () => {
    const { counts, units } = await importUnits('Numbers', ['101,201,80', '102,101,90'])
    assert.deepEqual(counts, ['create 2'])
    assert.deepEqual(units, [
      ['101', 9_000],
      ['201', 8_000],
    ])
  })

  test('that have one name are not taken for one unit', async () => {
    const { counts, units } = await importUnits('Names', ['1,Double,80', '2,double,90', '3,Single,60'])
    assert.deepEqual(counts, ['create 2', 'error 1'])
    const again = await importUnits('Names', ['1,Double,80', '4,double,90', '3,Single,60'])
    assert.deepEqual(again.counts, ['error 1', 'match 2'])
    assert.deepEqual(again.units, units)
    assert.deepEqual(units, [
      ['Double', 8_000],
      ['Single', 6_000],
    ])
  })

  test('are made once by two imports of the same file that run at the same time', async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `T${at},Room ${at},80`)
    const plans = [await plan('Twice', lines), await plan('Twice', lines)]
    await Promise.all(plans.map(run))
    const { spaces } = expectStatus(await owner.get('/api/v1/spaces?q=Twice'), 200)
    assert.equal(spaces.length, 1)
    const { units } = expectStatus(await owner.get(`/api/v1/units?space_id=${spaces[0].id}&limit=100`), 200)
    assert.equal(units.length, 40)
  })

  test('have the country of a name in English, German or Portuguese', async () => {
    const rows = ['P1,Haus,80,Deutschland', 'P2,Casa,80,brasil', 'P3,Cabin,80,Norway', 'P4,Flat,80,pt']
    for (const row of rows) await importUnits(`Place ${row}`.replaceAll(',', ' '), [row], ',country')
    const { spaces } = expectStatus(await owner.get('/api/v1/spaces?q=Place&sort=name'), 200)
    assert.deepEqual(
      spaces.map(({ country }: { country: string }) => country),
      ['DE', 'BR', 'NO', 'PT'],
    )
  })

  test('that were exported here are found by their ids, although they have one name', async () => {
    const { id: space_id } = await addSpace(owner, { name: 'Exported' })
    const made = await Promise.all([1, 2].map(() => addUnit(owner, { space_id, name: 'Twin' })))
    const { counts } = await importUnits(
      'Exported',
      made.map(({ id }) => `${id},Twin,80`),
    )
    assert.deepEqual(counts, ['match 2'])
  })
})
