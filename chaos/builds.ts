import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './part.ts'

export interface Build extends Disposable {
  root: string
  commit: string
  /** The migration that the build does not know. */
  migration: string
}

/** The code as it was before the newest migration came in, with the packages of today. */
export function buildBefore(): Build {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const migration = git('ls-files', 'server/migrations').split('\n').sort().at(-1)!
  const born = git('log', '--diff-filter=A', '--format=%H', '-1', '--', migration)
  const commit = git('rev-parse', `${born}^`)
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
