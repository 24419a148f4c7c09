import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse, type Options } from 'csv-parse/sync'
import { csvLine } from './csv.ts'

test('no cell is a formula, also where spreadsheets separate cells by semicolons', () => {
  const names = ['=1+1', 'Ada;=1+1', 'Ada;@SUM(1)', 'Ada\n=1+1', 'Ada\r\n-1+1', 'Ada;"=1+1;']
  for (const delimiter of [',', ';']) {
    const options: Options = {
      delimiter,
      relax_quotes: true,
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n'],
    }
    const lines = parse(csvLine(['id', ...names, { name: 'Ada;=1+1' }, -5]), options)
    const cells = lines.flat()
    assert.deepEqual(
      cells.filter((cell) => /^"*[=+\-@]/.test(cell) && cell !== '-5'),
      [],
      delimiter,
    )
  }
  assert.equal(csvLine(['+351 912', -5, 'a;b']), '+351 912,-5,a;b\r\n')
})
