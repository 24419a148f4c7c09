import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, suite, test } from 'node:test'

/** The settings of a restore by deploy/backup.sh; restore.test.ts restores with it. */

const script = resolve(import.meta.dirname, '../../deploy/backup.sh')
const folder = mkdtempSync(join(tmpdir(), 'vacancy-backup-'))
const copy = join(folder, 'base/20260101T000000Z')
mkdirSync(copy, { recursive: true })
// A database that was restored to a moment keeps the settings of that restore.
writeFileSync(join(copy, 'postgresql.auto.conf'), "recovery_target_time = '2025-12-24 12:00:00+00'\n")
after(() => rmSync(folder, { recursive: true }))

/** The moment that PostgreSQL uses: the last setting of a name counts. */
function restoredTo(name: string, ...moment: string[]): string | undefined {
  execFileSync('sh', [script, 'restore', folder, join(folder, name), ...moment])
  const settings = readFileSync(join(folder, name, 'postgresql.auto.conf'), 'utf8')
  return [...settings.matchAll(/^recovery_target_time = '(.*)'$/gm)].at(-1)?.[1]
}

suite('restoring the copy of a database that was restored to a moment', () => {
  test('restores everything that was archived when no moment is given', () =>
    assert.equal(restoredTo('newest'), ''))

  test('restores to the given moment', () =>
    assert.equal(restoredTo('earlier', '2026-01-02 03:04:05+00'), '2026-01-02 03:04:05+00'))
})
