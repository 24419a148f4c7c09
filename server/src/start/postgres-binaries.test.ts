import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { canExecute, copyToReachableFolder, preparePostgresBinaries } from './postgres-binaries.ts'
import { findDataDir } from './postgres-folder.ts'

/** A machine whose administrator works with a umask that closes new files to others. */

const root = mkdtempSync(join(tmpdir(), 'vacancy-binaries-'))
const created = [root]
after(() => created.forEach((each) => rmSync(each, { recursive: true, force: true })))
const isRoot = process.getuid?.() === 0

/** The work must be synchronous: the umask is that of the process. */
function withUmask<T>(umask: number, work: () => T): T {
  const before = process.umask(umask)
  try {
    return work()
  } finally {
    process.umask(before)
  }
}

suite('with a umask that closes files to others, the user of PostgreSQL', { skip: !isRoot }, () => {
  const { runAs } = preparePostgresBinaries(join(root, 'home'))
  chmodSync(root, 0o755)

  test('may run the copy of its programs', () => {
    const installed = join(root, 'package', 'native')
    const parent = join(root, 'shared')
    const copy = withUmask(0o077, () => {
      mkdirSync(join(installed, 'bin'), { recursive: true })
      mkdirSync(join(installed, 'lib'))
      writeFileSync(join(installed, '..', 'package.json'), '{}')
      writeFileSync(join(installed, 'pg-symlinks.json'), '[]')
      writeFileSync(join(installed, 'lib', 'libpq.so'), '')
      for (const name of ['postgres', 'initdb'])
        writeFileSync(join(installed, 'bin', name), '#!/bin/sh', { mode: 0o700 })
      return copyToReachableFolder(installed, [parent], runAs)
    })
    assert.ok(canExecute(join(copy, 'bin', 'postgres'), runAs))
    assert.equal(canRead(join(copy, 'lib', 'libpq.so')), true)
    assert.equal(canRead(join(installed, 'lib', 'libpq.so')), false)
  })

  test('may enter the folder of its data when the home is closed', () => {
    const home = join(root, 'closed', 'home')
    const folder = withUmask(0o077, () => {
      mkdirSync(home, { recursive: true })
      return join(findDataDir(home, runAs), '..')
    })
    created.push(folder)
    assert.ok(!folder.startsWith(root))
    assert.ok(canExecute(folder, runAs))
  })

  const canRead = (path: string) => spawnSync('cat', [path], { ...runAs, cwd: '/' }).status === 0
})
