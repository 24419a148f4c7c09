import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient } from '@hey-api/openapi-ts'
import config from '../openapi-ts.config.ts'

test('the generated types match openapi.json', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vacancy-client-'))
  try {
    const { plugins } = await config
    await createClient({
      input: new URL('../../openapi.json', import.meta.url).pathname,
      output: { path: folder, entryFile: false },
      plugins: plugins!,
      logs: { level: 'silent', file: false },
    })
    const [generated, committed] = await Promise.all([
      readFile(join(folder, 'types.gen.ts'), 'utf8'),
      readFile(new URL('contract/types.gen.ts', import.meta.url), 'utf8'),
    ])
    assert.ok(generated === committed, 'openapi.json has changed: run npm run generate -w client')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
