import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem } from '#test/expect.ts'
import { shareWorld } from '#test/share-world.ts'

const { owner } = shareWorld()
const mebibyte = 1_048_576

const refused = async (body: string, status: number, code: string): Promise<string> => {
  const reply = await owner.send('POST', '/api/v1/file-imports?kind=rates', {
    body,
    headers: { 'content-type': 'text/csv' },
  })
  return expectProblem(reply, status, code).detail ?? ''
}

suite('a file that is too large', () => {
  test('is refused with what the limit is', async () => {
    const row = `Loft,2030-01-01,${'9'.repeat(200)}\n`
    const csv = `unit,date,price\n${row.repeat(Math.ceil((21 * mebibyte) / row.length))}`
    assert.match(await refused(csv, 400, 'file-too-large'), /more than 20 MiB/)
    const json = JSON.stringify([{ unit: 'x'.repeat(6 * mebibyte) }])
    assert.match(
      await refused(json, 400, 'file-too-large'),
      /JSON file has at most 5 MiB\. Send a larger one as CSV/,
    )
    assert.match(
      await refused(`unit\n${'Loft\n'.repeat(100_001)}`, 422, 'semantic-error'),
      /more than 100000 rows/,
    )
    assert.match(await refused(`${'a,'.repeat(200)}a\nb`, 422, 'semantic-error'), /more than 200 columns/)
    const { body } = await owner.get('/api/v1/file-imports')
    assert.deepEqual(body.file_imports, [], 'nothing of it is kept')
  })
})

test('refuses JSON with too many levels', async () => {
  const levels = 10_000
  const list = `[{"unit":${'['.repeat(levels)}${']'.repeat(levels)}}]`
  await refused(list, 422, 'semantic-error')
  await refused(`[${'{"unit":'.repeat(levels)}1${'}'.repeat(levels)}]`, 422, 'semantic-error')
})
