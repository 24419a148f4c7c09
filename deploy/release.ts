/**
 * npm run release -- <version> [--dry-run] [--no-build]: sets the version, builds, writes the bill of materials, commits and
 * tags. Nothing is published; what to do next is printed. A failure leaves the tree as it was.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const root = resolve(import.meta.dirname, '..')
const workspaces = ['server', 'console', 'client', 'sandbox']
const options = { 'dry-run': { type: 'boolean' }, 'no-build': { type: 'boolean' } } as const

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
const git = (...args: string[]) => run('git', ...args)
const node = (...args: string[]) => run(process.execPath, ...args)

try {
  release()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}

function release(): void {
  const { positionals, values } = parseArgs({ allowPositionals: true, options })
  const [version = ''] = positionals
  const current = (JSON.parse(read('package.json')) as { version: string }).version
  const changes = assertReleasable(version, current)
  const changed = newContents(current, version)
  if (values['dry-run'])
    return console.log(
      `${version} can be released. It changes ${[...changed.keys()].join(', ') || 'no file'}.`,
    )
  try {
    for (const [path, content] of changed) writeFileSync(join(root, path), content)
    mkdirSync(join(root, 'dist'), { recursive: true })
    if (!values['no-build']) {
      node('server/bin/vacancy.ts', 'build')
      // Scripts around a command are off in this repository.
      run('npm', 'run', 'build', '--workspace', '@vacancy/client')
      run('npm', 'pack', '--workspace', '@vacancy/client', '--pack-destination', 'dist')
    }
    const materials = `dist/vacancy-${version}.cdx.json`
    // The lock file says what is installed in production; what is installed here has the tools as well.
    node(
      'node_modules/@cyclonedx/cyclonedx-npm/bin/cyclonedx-npm-cli.js',
      ...['--package-lock-only', '--omit', 'dev', '--output-reproducible', '--output-file', materials],
    )
    if (changed.size > 0) git('commit', '--quiet', '--all', '--message', `release: ${version}`)
    git('tag', '--annotate', `v${version}`, '--message', `${version}\n\n${changes}`)
    console.log(
      `v${version} is tagged; ${materials} is its bill of materials. Next: git push --follow-tags, then build and push the image.`,
    )
  } catch (error) {
    git('restore', '.')
    throw error
  }
}

/** Returns the section of the changelog. */
function assertReleasable(version: string, current: string): string {
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error('Name the version: npm run release -- 1.2.3 [--dry-run]')
  if (version.localeCompare(current, 'en', { numeric: true }) < 0)
    throw new Error(`${version} is older than ${current}, the version of package.json.`)
  if (git('status', '--porcelain')) throw new Error('The tree has changes: commit or stash them first.')
  if (git('tag', '--list', `v${version}`)) throw new Error(`There is a tag v${version} already.`)
  const section = read('CHANGELOG.md')
    .split(/^## /m)
    .find((part) => part.split(/\s/, 1)[0] === version)
  const changes = section?.split('\n').slice(1).join('\n').trim()
  if (!changes) throw new Error(`CHANGELOG.md has no section "## ${version}" with text.`)
  return changes
}

/** Every file that names the version, with its new content. */
function newContents(current: string, version: string): Map<string, string> {
  const inManifest = [`"version": "`, `"@vacancy/client": "`].map((start) => [start, '"'] as const)
  const places: [path: string, around: (readonly [before: string, after: string])[]][] = [
    ...['', ...workspaces].map(
      (name) => [join(name, 'package.json'), inManifest] as [string, typeof inManifest],
    ),
    ['openapi.json', [['"version":"', '"']]],
    ['client/README.md', [['vacancy-client-', '.tgz']]],
    ['deploy/kubernetes/kustomization.yaml', [['newTag: ', '\n']]],
  ]
  const contents = places.map(([path, around]): [string, string] => [
    path,
    around.reduce(
      (text, [before, after]) => text.replaceAll(before + current + after, before + version + after),
      read(path),
    ),
  ])
  contents.push(['package-lock.json', newLock(version)])
  return new Map(contents.filter(([path, content]) => content !== read(path)))
}

function newLock(version: string): string {
  const lock = JSON.parse(read('package-lock.json')) as Lock
  lock.version = version
  for (const name of ['', ...workspaces]) {
    const { dependencies } = Object.assign(lock.packages[name]!, { version })
    if (dependencies?.['@vacancy/client']) dependencies['@vacancy/client'] = version
  }
  return `${JSON.stringify(lock, null, 2)}\n`
}

interface Lock {
  version: string
  packages: Record<string, { version?: string; dependencies?: Record<string, string> }>
}
