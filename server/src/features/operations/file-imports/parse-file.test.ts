import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseFile } from './parse-file.ts'

async function parsed(content: string) {
  const folder = await mkdtemp(join(tmpdir(), 'parse-file-'))
  try {
    const path = join(folder, 'received')
    await writeFile(path, content)
    const { columns, rows } = await parseFile(path, Buffer.byteLength(content))
    const found: unknown[] = []
    for await (const { position, cells } of rows) found.push([position, ...cells])
    return { columns, rows: found }
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('the line that names the separator for a spreadsheet program is no header', async () => {
  const { columns, rows } = await parsed('\uFEFFsep=;\r\nUnit;Price, net\r\nLoft;100\r\n')
  assert.deepEqual(columns, ['Unit', 'Price, net'])
  // Such programs do not count it as a row.
  assert.deepEqual(rows, [[2, 'Loft', '100']])
})

test('empty rows above the header are no header', async () => {
  const { columns, rows } = await parsed('\n;;\nUnit;Price\nLoft;100\n')
  assert.deepEqual(columns, ['Unit', 'Price'])
  assert.deepEqual(rows, [[4, 'Loft', '100']])
})
