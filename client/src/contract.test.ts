import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { generate } from '../generate.ts'

test('the generated files match openapi.json', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vacancy-client-'))
  try {
    await generate(folder)
    for (const name of await readdir(folder)) {
      const [generated, committed] = await Promise.all([
        readFile(join(folder, name), 'utf8'),
        readFile(join(import.meta.dirname, 'contract', name), 'utf8'),
      ])
      assert.ok(generated === committed, `${name} is old: run npm run generate -w client`)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
