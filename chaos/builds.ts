import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './managed-process.ts'

export interface Build extends Disposable {
  root: string
  commit: string
  /** The migrations that the build does not know. */
  missing: string[]
}

const folder = 'server/migrations'
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const migrationsIn = (listing: string) => listing.split('\n').filter((path) => path.endsWith('.sql'))
const needsStop = (path: string) => readFileSync(join(root, path), 'utf8').startsWith('-- Needs a stop')

/**
 * Checks out the last build that runs on the current database without its newest migrations, with today's packages.
 * Undefined when the history does not reach back to it, as in a shallow clone.
 */
export function checkOutPreviousBuild(): Build | undefined {
  const previous = findPreviousBuild()
  if (!previous) return undefined
  const { commit, missing } = previous
  const build = mkdtempSync(join(tmpdir(), 'vacancy-build-'))
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 512 * 1_048_576 })
  execFileSync('tar', ['-x', '-C', build], { input: archive })
  for (const place of ['', 'server', 'sandbox', 'client', 'console'])
    if (existsSync(join(root, place, 'node_modules')))
      symlinkSync(join(root, place, 'node_modules'), join(build, place, 'node_modules'))
  return {
    root: build,
    commit,
    missing,
    [Symbol.dispose]: () => rmSync(build, { recursive: true, force: true }),
  }
}

/** A build with a migration that was renamed later would try to apply it again, so it is passed over. */
function findPreviousBuild(): Pick<Build, 'commit' | 'missing'> | undefined {
  if (!existsSync(join(root, '.git'))) return undefined
  const current = migrationsIn(git('ls-files', folder))
  for (const commit of git('log', '--format=%H', '--', folder).split('\n')) {
    const known = migrationsIn(git('ls-tree', '--name-only', commit, `${folder}/`))
    const missing = current.filter((path) => !known.includes(path))
    if (missing.length === 0 || known.some((path) => !current.includes(path))) continue
    const stops = missing.filter(needsStop)
    if (stops.length > 0)
      throw new Error(`No earlier build runs beside this one, because of ${stops.join(', ')}.`)
    return { commit, missing }
  }
  if (git('rev-parse', '--is-shallow-repository') === 'true') return undefined
  throw new Error('No earlier build has only migrations of this one.')
}
