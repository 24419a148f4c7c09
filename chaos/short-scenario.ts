import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Report } from './scenario.ts'
import { removeFolder } from '../server/test/remove-folder.ts'

/** Runs the short form of a scenario in a process of its own, unless a package is missing on this machine. */
export async function runShort(t: TestContext, name: string, missing: readonly string[]): Promise<void> {
  if (missing.length > 0) {
    assert.ok(!process.env['CI'], 'CI has all packages')
    return t.diagnostic(`NOT TESTED: these packages are not installed: ${missing.join(', ')}`)
  }
  const folder = mkdtempSync(join(tmpdir(), 'vacancy-short-'))
  try {
    const path = join(folder, 'report.json')
    const args = [join(import.meta.dirname, `${name}.ts`), '--short', '--json', path]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    t.signal.addEventListener('abort', () => child.kill())
    await once(child, 'exit')
    const { findings, metrics } = JSON.parse(readFileSync(path, 'utf8')) as Report
    if (metrics['NOT TESTED']) t.diagnostic(`NOT TESTED: ${metrics['NOT TESTED']}`)
    assert.deepEqual(
      findings.filter(({ passed }) => !passed),
      [],
    )
  } finally {
    removeFolder(folder)
  }
}
