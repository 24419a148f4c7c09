import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, suite, test } from 'node:test'

const bin = resolve(import.meta.dirname, '../../bin')
const folders: string[] = []
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

suite('the bootstrap', () => {
  test('installs what the lock file names, then runs the file with its arguments', async () => {
    const root = makeRepository()
    const ran = await run(root, ['say.ts', 'a', '--b'])
    assert.deepEqual(ran, { code: 0, out: '["a","--b"]\n', err: ran.err })
    assert.match(ran.err, /Installing packages.*✓ Packages installed/s)
    assert.deepEqual(await run(root, ['say.ts']), { code: 0, out: '[]\n', err: '' })
  })

  test('installs once when two begin at the same time', async () => {
    const root = makeRepository()
    const both = await Promise.all([run(root, ['say.ts']), run(root, ['say.ts'])])
    assert.deepEqual(
      both.map(({ code }) => code),
      [0, 0],
    )
    const output = both.map(({ err }) => err).join('')
    assert.equal(output.match(/✓ Packages installed/g)?.length, 1)
    assert.match(output, /Another process is installing/)
  })

  test('installs again when the lock file has changed', async () => {
    const root = makeRepository()
    await run(root, ['say.ts'])
    writePackages(root, ['first', 'second'])
    assert.match((await run(root, ['say.ts'])).err, /✓ Packages installed/)
  })

  test('installs what only tests need when these are run, and keeps it', async () => {
    const root = makeRepository(['checker'])
    const isThere = (name: string) => existsSync(join(root, 'node_modules', name))
    assert.match((await vacancy(root)).err, /✓ Packages installed/)
    assert.deepEqual([isThere('first'), isThere('checker')], [true, false])
    assert.equal((await vacancy(root)).err, '')
    assert.match((await run(root, ['say.ts'])).err, /✓ Packages installed/)
    assert.deepEqual([isThere('first'), isThere('checker')], [true, true])
    assert.equal((await vacancy(root)).err, '')
    writePackages(root, ['first', 'second'], ['checker'])
    await vacancy(root)
    assert.deepEqual([isThere('second'), isThere('checker')], [true, true])
  })

  test('keeps only what is run, unless tests are', async () => {
    const root = makeRepository()
    const packed = packPackage(root, ['run.js', 'run.js.map', 'run.d.ts', 'README.md', 'LICENSE.md'])
    writePackages(root, ['first'], [], packed)
    // A package of the repository is a link, and not ours to change.
    writeFileSync(join(root, 'first', 'source.ts'), '')
    const files = () => globSync('*', { cwd: join(root, 'node_modules', 'packed') }).sort()
    await vacancy(root)
    assert.deepEqual(files(), ['LICENSE.md', 'package.json', 'run.js'])
    assert.ok(existsSync(join(root, 'first', 'source.ts')))
    writePackages(root, ['first'], ['checker'], packed)
    await run(root, ['say.ts'])
    assert.equal(files().length, 6)
  })

  test('says in one sentence what to do when the packages cannot be had', async () => {
    const root = makeRepository()
    writeFileSync(
      join(root, 'package-lock.json'),
      '{ "lockfileVersion": 3, "packages": { "": {}, "node_modules/x": {} } }',
    )
    const { code, err } = await run(root, ['say.ts'])
    assert.equal(code, 1)
    assert.match(err, /The packages could not be installed .*: check npm, the network and the disk/)
  })

  test('passes on the exit code', async () => {
    assert.equal((await run(makeRepository(), ['fail.ts'])).code, 7)
  })

  test('passes on a signal, and leaves nothing running', async () => {
    const root = makeRepository()
    await run(root, ['say.ts'])
    const wrapper = spawn(process.execPath, [join(root, 'bin', 'run.mjs'), join(root, 'wait.ts')])
    const pid = await new Promise<string>((resolve, reject) => {
      wrapper.stdout.once('data', (text) => resolve(String(text).trim()))
      wrapper.once('exit', (code) => reject(new Error(`it ended with ${code}`)))
    })
    wrapper.kill('SIGTERM')
    const code = await new Promise((ended) => wrapper.once('exit', ended))
    assert.equal(code, 5)
    assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' })
  })
})

/** A repository without packages: its npm ci needs no network. */
function makeRepository(dev: string[] = []) {
  const root = mkdtempSync(join(tmpdir(), 'vacancy-bootstrap-'))
  folders.push(root)
  cpSync(bin, join(root, 'bin'), { recursive: true })
  cpSync(join(bin, '..', '.npmrc'), join(root, '.npmrc'))
  writePackages(root, ['first'], dev)
  mkdirSync(join(root, 'server', 'bin'), { recursive: true })
  writeFileSync(join(root, 'server', 'bin', 'vacancy.ts'), '')
  writeFileSync(join(root, 'say.ts'), 'console.log(JSON.stringify(process.argv.slice(2) as string[]))')
  writeFileSync(join(root, 'fail.ts'), 'process.exitCode = 7 as number')
  writeFileSync(
    join(root, 'wait.ts'),
    `const timer = setInterval(() => {}, 1000)
     process.on('SIGTERM', () => { clearInterval(timer); process.exitCode = 5 })
     console.log(process.pid)`,
  )
  return root
}

/** A package that npm copies, with empty files of these names. Returns its address in a lock file. */
function packPackage(root: string, files: string[]) {
  const folder = join(root, 'package')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "name": "packed", "version": "1.0.0" }')
  for (const file of files) writeFileSync(join(folder, file), '')
  execFileSync('tar', ['-czf', join(root, 'packed.tgz'), '-C', root, 'package'])
  return { packed: 'file:packed.tgz' }
}

/** Packages in the repository itself; npm keeps no list of an empty installation. `packed` have been packed before. */
function writePackages(
  root: string,
  names: string[],
  dev: string[] = [],
  packed: Record<string, string> = {},
) {
  const links = (some: string[]) => Object.fromEntries(some.map((name) => [name, `file:${name}`]))
  const about = {
    ...{ name: 'trial', version: '1.0.0', type: 'module' },
    ...{ dependencies: { ...links(names), ...packed }, devDependencies: links(dev) },
  }
  const packages: Record<string, object> = { '': about }
  for (const name of [...names, ...dev]) {
    mkdirSync(join(root, name), { recursive: true })
    writeFileSync(join(root, name, 'package.json'), JSON.stringify({ name, version: '1.0.0' }))
    const kind = dev.includes(name) && { dev: true }
    packages[name] = { version: '1.0.0', ...kind }
    packages[`node_modules/${name}`] = { resolved: name, link: true, ...kind }
  }
  for (const [name, resolved] of Object.entries(packed))
    packages[`node_modules/${name}`] = { version: '1.0.0', resolved }
  writeFileSync(join(root, 'package.json'), JSON.stringify(about))
  const lock = { name: 'trial', version: '1.0.0', lockfileVersion: 3, requires: true, packages }
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock))
}

const run = (root: string, [file = '', ...args]: string[]) =>
  runNode(root, [join(root, 'bin', 'run.mjs'), join(root, file), ...args])
const vacancy = (root: string) => runNode(root, [join(root, 'bin', 'vacancy.mjs')])

function runNode(root: string, args: string[]) {
  const child = spawn(process.execPath, args, { cwd: root })
  let out = ''
  let err = ''
  child.stdout.on('data', (text) => (out += text))
  child.stderr.on('data', (text) => (err += text))
  return new Promise<{ code: number | null; out: string; err: string }>((ended) =>
    child.once('close', (code) => ended({ code, out, err })),
  )
}
