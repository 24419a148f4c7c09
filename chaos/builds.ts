import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './managed-process.ts'

export interface Build extends Disposable {
  root: string
  commit: string
  /** The migration that the build does not know. */
  migration: string
}

/** Checks out the commit before the newest migration was added, with the packages of the current build. */
export function checkOutPreviousBuild(): Build {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const migration = git('ls-files', 'server/migrations').split('\n').sort().at(-1)!
  const addedIn = git('log', '--diff-filter=A', '--format=%H', '-1', '--', migration)
  const commit = git('rev-parse', `${addedIn}^`)
  const folder = mkdtempSync(join(tmpdir(), 'vacancy-build-'))
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 512 * 1_048_576 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  for (const place of ['', 'server', 'sandbox', 'client', 'console'])
    if (existsSync(join(root, place, 'node_modules')))
      symlinkSync(join(root, place, 'node_modules'), join(folder, place, 'node_modules'))
  return {
    root: folder,
    commit,
    migration,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
