import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { startChannex } from '../sandbox/src/channex/server.ts'
import { channexCaller } from '../sandbox/test/channex-caller.ts'
import { shareWorld } from '../server/test/share-world.ts'

/**
 * Packs the client, installs it in an empty project, and runs the examples of its README and of the guides there. The
 * blocks of the shell in all guides are one session, in the order of docs/guides/README.md.
 */

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const { world, owner } = shareWorld({ workers: true, env: { RATE_LIMITS: 'true' } })
let project: string

/** A program of this machine. */
const findProgram = (name: string) =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

/** The Node of this machine, if it is another one than that of the tests. */
const hostNode = findProgram('node')
const hostVersion = hostNode && execFileSync(hostNode, ['--version'], { encoding: 'utf8' }).trim()
const nodes = new Map([
  ...(hostNode && hostVersion ? [[hostVersion, hostNode] as const] : []),
  [process.version, process.execPath],
])
if (nodes.size === 1) console.error('NOT TESTED HERE: the examples of the client on another Node')
const runtimes = new Map([...nodes].map(([version, node]) => [`Node ${version}`, [node]]))
for (const [name, ...args] of [['deno', 'run', '--allow-all', '--quiet'], ['bun']] as const) {
  const program = findProgram(name)
  if (program) runtimes.set(name, [program, ...args])
  else console.error(`NOT TESTED HERE: the examples of the client on ${name}`)
}
const curl = findProgram('curl')
if (!curl) console.error('NOT TESTED HERE: the examples of the guides with curl')

const typescript = [process.execPath, join(root, 'node_modules/typescript/bin/tsc')] as const
const compilerOptions = {
  target: 'ES2022',
  module: 'NodeNext',
  strict: true,
  // The types of the package are checked too.
  skipLibCheck: false,
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
}

before(async () => {
  project = await mkdtemp(join(tmpdir(), 'vacancy-package-'))
  await run('npm', ['run', 'build', '-w', 'client'], { cwd: root })
  await run('npm', ['pack', '-w', 'client', '--pack-destination', project], { cwd: root })
  const [tarball] = await readdir(project)
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }))
  await run('npm', ['install', '--prefer-offline', `./${tarball}`], { cwd: project })
  for (const { name, code } of await readExamples()) await writeFile(join(project, `${name}.ts`), code)
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
})
after(() => rm(project, { recursive: true, force: true }))

/** The fenced blocks of a page in one language. */
async function readBlocks(page: string, language: string): Promise<string[]> {
  const text = await readFile(join(root, page), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code!)
}

async function readExamples() {
  const pages = ['client/README.md', ...globSync('docs/guides/*.md', { cwd: root })]
  const codes = await Promise.all(pages.map((page) => readBlocks(page, 'ts')))
  return pages.flatMap((page, index) =>
    codes[index]!.map((code, at) => ({ name: `${page.replaceAll(/\W/g, '-')}-${twoDigits(at + 1)}`, code })),
  )
}

/** The examples run in the order of their names: later ones read what earlier ones create. */
const twoDigits = (number: number) => String(number).padStart(2, '0')

/** All blocks of the shell in the guides, each after a line that names it. */
async function readSession(): Promise<string> {
  const index = await readFile(join(root, 'docs/guides/README.md'), 'utf8')
  const pages = [...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => `docs/guides/${name}`)
  assert.deepEqual(
    pages.toSorted(),
    globSync('docs/guides/*.md', { cwd: root })
      .filter((page) => !page.endsWith('README.md'))
      .sort(),
    'the index names every guide',
  )
  const blocks = await Promise.all(pages.map((page) => readBlocks(page, 'sh')))
  return pages
    .flatMap((page, at) =>
      blocks[at]!.map((code, number) => `echo '@ ${page}, block ${number + 1}'\n${code}`),
    )
    .join('\n')
}

/** A property at a stand-in of Channex, for the guide that imports it. */
async function openChannex() {
  const channex = await startChannex()
  world.defer(() => channex.close())
  const { seedProperty, control } = channexCaller(() => channex.url)
  const key = 'key-of-the-guides'
  await control('POST', 'seed', { keys: [{ key }] })
  const { property } = await seedProperty()
  return { CHANNEX_URL: channex.url, CHANNEX_PROPERTY: property, CHANNEX_KEY: key }
}

suite('the packed client', { concurrency: false }, () => {
  test('contains the built files only, which import nothing but eventsource-parser', async () => {
    const folder = join(project, 'node_modules/@vacancy/client')
    const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    assert.deepEqual(
      files.filter((name) => !/^dist\/.*\.(js|d\.ts)$/.test(name)),
      ['README.md', 'package.json'],
    )
    const imported = new Set<string>()
    for (const name of files.filter((name) => name.endsWith('.js')))
      for (const [, from] of (await readFile(join(folder, name), 'utf8')).matchAll(
        / from ["']([^."'][^"']*)/g,
      ))
        imported.add(from!)
    assert.deepEqual([...imported], ['eventsource-parser'])
  })

  test('has types with which every example compiles', async () => {
    const [node, compiler] = typescript
    await run(node, [compiler, '-p', project]).catch(({ stdout }: { stdout: string }) => assert.fail(stdout))
  })

  for (const [name, [program = '', ...args]] of runtimes)
    test(`runs every example on ${name}`, async () => {
      // Deno caches in its home.
      const env = { VACANCY_URL: world.url, VACANCY_TOKEN: owner.token!, HOME: project }
      for (const file of globSync('*.js', { cwd: project }).sort()) {
        const { stdout } = await run(program, [...args, file], { cwd: project, env, timeout: 60_000 }).catch(
          ({ stderr, code }: { stderr: string; code: unknown }) =>
            assert.fail(`${file} ended with ${String(code)}: ${stderr}`),
        )
        assert.notEqual(stdout, '', `${file} wrote nothing`)
      }
    })

  test('every block of the shell in the guides runs', async () => {
    if (!curl) return
    const env = {
      ...{
        PATH: process.env['PATH'],
        VACANCY_URL: world.url,
        VACANCY_TOKEN: owner.token!,
        PMS_URL: world.pms.url,
      },
      ...(await openChannex()),
    }
    const script = `set -euo pipefail\n${await readSession()}`
    const { stdout } = await run('bash', ['--norc', '-c', script], {
      cwd: project,
      env,
      timeout: 180_000,
    }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => assert.fail(`${stdout}\n${stderr}`))
    assert.doesNotMatch(stdout, /^undefined$/m, stdout)
  })
})
