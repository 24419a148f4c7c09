import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { suite, test } from 'node:test'
import { groupFiles, isNamed, namedParts, runsOnEveryPostgres } from './test-order.ts'
import { testFiles } from './test-files.ts'

const files = testFiles(resolve(import.meta.dirname, '../..'))

suite('order of test files', () => {
  test('every file runs once', () => {
    assert.deepEqual(groupFiles(files).flat().sort(), files)
    assert.deepEqual(groupFiles([]), [])
  })

  test('every part of a name in the lists names a file', () => {
    const stale = namedParts.filter((part) => !files.some((file) => isNamed(file, part)))
    assert.deepEqual(stale, [])
  })

  test('every folder whose SQL is of its own has a file that runs on every PostgreSQL', () => {
    const root = resolve(import.meta.dirname, '../..')
    const folders = globSync('server/src/features/*/*/', { cwd: root })
    assert.ok(folders.length > 20)
    const tested = folders.filter((folder) => files.some((file) => file.startsWith(`${folder}/`)))
    const left = tested.filter(
      (folder) => !files.some((file) => file.startsWith(`${folder}/`) && runsOnEveryPostgres(file)),
    )
    assert.deepEqual(left, [])
  })
})
