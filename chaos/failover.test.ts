import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findMissingPackages } from './patroni.ts'
import type { Report } from './scenario.ts'

/** `npm run chaos -- failover` kills more, and checks how long a failover takes. */
test('nothing is lost when the leader of PostgreSQL, the primary of Redis and the processes are replaced', async (t) => {
  const missing = findMissingPackages()
  if (missing.length > 0) {
    assert.ok(!process.env['CI'], 'CI has all packages')
    return t.diagnostic(`NOT TESTED: these packages are not installed: ${missing.join(', ')}`)
  }
  const folder = mkdtempSync(join(tmpdir(), 'vacancy-failover-'))
  try {
    const path = join(folder, 'report.json')
    const args = [join(import.meta.dirname, 'failover.ts'), '--short', '--json', path]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    t.signal.addEventListener('abort', () => child.kill())
    await once(child, 'exit')
    const { findings } = JSON.parse(readFileSync(path, 'utf8')) as Report
    assert.deepEqual(
      findings.filter(({ passed }) => !passed),
      [],
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
