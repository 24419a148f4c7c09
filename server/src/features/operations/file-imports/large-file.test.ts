import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startNodeProcess } from '#test/node-process.ts'
import { shareWorld } from '#test/share-world.ts'

const { world } = shareWorld()
/** The API passes with this heap, and dies when the rows of the file are collected in a list. */
const maxHeapMb = 160
const rows = 90_000

test('a file of the largest size is received without holding its rows in memory', async () => {
  const { config, home, issuer } = world
  await using api = await startNodeProcess({
    file: 'server/bin/api.ts',
    flags: [`--max-old-space-size=${maxHeapMb}`],
    env: {
      ...{ PORT: '0', LOG_LEVEL: 'error', RATE_LIMITS: 'false', DATABASE_TIMEOUT_MS: '60000' },
      ...{ DATABASE_URL: config.database.url, VACANCY_HOME: config.home },
      ...{ OIDC_ISSUER: config.identity.issuer, OIDC_AUDIENCE: config.identity.audience },
      SECRET_KEYS: `test:${randomBytes(32).toString('base64')}`,
    },
  })
  // Short cells: as strings in lists they take many times the size of the file.
  const cells = Array.from({ length: 48 }, (_, n) => 100 + n).join(',')
  const header = ['name', 'price', ...Array.from({ length: 48 }, (_, n) => `c${n}`)].join(',')
  const file = [header, ...Array.from({ length: rows }, (_, n) => `Room ${n},120,${cells}`)].join('\n')
  assert.ok(file.length > 13 * 1_048_576 && file.length < 20 * 1_048_576, `${file.length} bytes`)
  const token = await issuer.sign({ sub: 'ana', org_id: home.id, account_id: home.accountId, role: 'owner' })
  const response = await fetch(`${api.facts.url}/api/v1/file-imports?kind=units`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    body: file,
  })
  const { file_import } = (await response.json()) as { file_import: { row_count: number } }
  assert.deepEqual([response.status, file_import.row_count], [201, rows], api.output())
})
