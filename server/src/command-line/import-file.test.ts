import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { runCommand } from '#test/run-command.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })
const vacancy = (...args: string[]) =>
  runCommand(args, { VACANCY_URL: world.url, VACANCY_TOKEN: owner.token! })

suite('vacancy import file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vacancy-import-'))
  const path = join(folder, 'portfolio.csv')
  const write = (...lines: string[]) => writeFileSync(path, lines.join('\r\n'))
  after(() => rmSync(folder, { recursive: true }))

  test('shows rows with errors, imports the others, and a corrected file completes them', async () => {
    write('\uFEFFNumber;Label;Per night', 'A1;Loft;1.234,50', 'A2;Attic;\u001b[much')
    const command = ['import', 'file', path, '--kind', 'units', '--map', 'Label=name']
    const unmapped = await vacancy(...command)
    assert.equal(unmapped.code, 1)
    assert.match(
      unmapped.out,
      /^No column is mapped to base_price\.\nThe file has the columns Number, Label, Per/,
    )

    const all = [...command, '--map', 'Per night=base_price', '--map', 'Number=reference']
    const dry = await vacancy(...all, '--dry-run')
    assert.equal(dry.code, 1, dry.err)
    assert.match(dry.out, /^new +1\nwith errors +1$/m)
    assert.match(dry.out, /^3 +Per night + \[much +This must be an amount such as 1234\.50/m)
    assert.match(
      dry.out,
      /^Nothing was imported: this was a dry run\. Rows with errors: 1\. Correct the file/m,
    )
    assert.equal((await vacancy('units', 'list')).out, 'There are none.\n')

    const partial = await vacancy(...all, '--json')
    assert.equal(partial.code, 1, partial.err)
    assert.partialDeepStrictEqual(JSON.parse(partial.out), {
      status: 'completed',
      rows_with_errors: [{ position: 3, errors: [{ column: 'Per night', code: 'not_amount' }] }],
    })
    write('Number;Label;Per night', 'A1;Loft;1.234,50', 'A2;Attic;80')
    const done = await vacancy(...all)
    assert.deepEqual([done.code, done.err], [0, ''])
    assert.match(done.out, /^new +1\nhere already +1\n\nImported\.$/m)
    const { units } = JSON.parse((await vacancy('units', 'list', '--json')).out) as { units: object[] }
    assert.equal(units.length, 2)
  })

  test('says how to list the rows with errors that it does not show', async () => {
    write('Name;Price', ...Array.from({ length: 102 }, (_, at) => `Loft ${at};much`))
    const mapping = ['--map', 'Name=name', '--map', 'Price=base_price']
    const { out } = await vacancy('import', 'file', path, '--kind', 'units', '--dry-run', ...mapping)
    const [, count, command] = /^(\d+) more have errors: npx vacancy (.*)$/m.exec(out)!
    assert.equal(count, '2')
    const { file_import_rows: rows } = JSON.parse((await vacancy(...command!.split(' '), '--json')).out)
    assert.equal(rows.length, 102)
  })

  test('explains what is wrong with its arguments, and completes them', async () => {
    for (const args of [[], ['--kind', 'guests'], ['--kind', 'units', '--map', 'name']])
      assert.equal((await vacancy('import', 'file', path, ...args)).code, 2)
    const missing = await vacancy('import', 'file', join(folder, 'none.csv'), '--kind', 'units')
    assert.deepEqual([missing.code, /none\.csv/.test(missing.err)], [2, true])
    const completed = await vacancy('complete-words', '--', 'import', 'file', path, '--kind', '')
    assert.equal(completed.out, 'units\nrates\nbookings\n')
  })
})
