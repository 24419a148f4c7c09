import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { suite, test } from 'node:test'
import { groupFiles, namedParts, runsOnInstalled } from './test-order.ts'
import { testFiles } from './test-files.ts'

const files = testFiles(resolve(import.meta.dirname, '../..'))

suite('order of test files', () => {
  test('every file runs once', () => {
    assert.deepEqual(groupFiles(files).flat().sort(), files)
    assert.deepEqual(groupFiles([]), [])
  })

  test('no process runs files on two versions of PostgreSQL', () => {
    const mixed = groupFiles(files).filter((group) => new Set(group.map(runsOnInstalled)).size > 1)
    assert.deepEqual(mixed, [])
  })

  test('every part of a name in the lists names a file', () => {
    const stale = namedParts.filter((part) => !files.some((file) => file.includes(part)))
    assert.deepEqual(stale, [])
  })
})
