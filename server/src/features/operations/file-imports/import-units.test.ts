import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

const { owner } = shareWorld({ workers: true })

/** Imports a file of units, and returns how many rows of each kind it had, and the units of the space. */
async function importUnits(space: string, lines: readonly string[]) {
  const body = ['id,space,name,price', ...lines.map((line) => line.replace(',', `,${space},`))].join('\n')
  const sent = await owner.send('POST', '/api/v1/file-imports?kind=units', {
    body,
    headers: { 'content-type': 'text/csv' },
  })
  const { id } = expectStatus(sent, 201).file_import
  const reaches = (status: string) =>
    until(
      async () => expectStatus(await owner.get(`/api/v1/file-imports/${id}`), 200).file_import,
      (one) => one.status === status,
    )
  await reaches('planned')
  expectStatus(await owner.post(`/api/v1/file-imports/${id}/run`), 200)
  const { counts } = await reaches('completed')
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
})
