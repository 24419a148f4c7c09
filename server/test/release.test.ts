import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, suite, test } from 'node:test'

const root = resolve(import.meta.dirname, '../..')
const clone = mkdtempSync(join(tmpdir(), 'vacancy-release-'))
const changelog = join(clone, 'CHANGELOG.md')
const tools = join(clone, 'node_modules/@cyclonedx')
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    cwd: clone,
    encoding: 'utf8',
  }).trim()
const commit = () => git('commit', '--quiet', '--all', '--message', 'test')
const environment = {
  ...process.env,
  ...{ GIT_AUTHOR_NAME: 'Test', GIT_AUTHOR_EMAIL: 'test@example.com' },
  ...{ GIT_COMMITTER_NAME: 'Test', GIT_COMMITTER_EMAIL: 'test@example.com' },
}
const release = (...args: string[]) =>
  spawnSync(process.execPath, [join(clone, 'deploy/release.ts'), ...args], {
    encoding: 'utf8',
    env: environment,
  })
const refuses = (args: string[], reason: RegExp) => {
  const { status, stderr } = release(...args)
  assert.match(stderr, reason)
  assert.equal(status, 1)
}
const versionOf = (path: string) =>
  (JSON.parse(readFileSync(join(clone, path), 'utf8')) as { version: string }).version

before(() => {
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone])
  // The scripts and manifests of the tree, which may not be committed yet.
  for (const path of ['deploy/release.ts', 'CHANGELOG.md', 'package.json', 'package-lock.json'])
    cpSync(join(root, path), join(clone, path))
  writeFileSync(changelog, readFileSync(changelog, 'utf8').replace(/^## /m, '## 98.0.0\n\n- First.\n\n## '))
  git('add', '--all')
  commit()
  mkdirSync(join(clone, 'node_modules'))
  symlinkSync(join(root, 'node_modules/@cyclonedx'), tools)
})
after(() => rmSync(clone, { recursive: true, force: true }))

suite('npm run release', () => {
  test('refuses what cannot be released', () => {
    refuses([], /Name the version/)
    refuses(['0.0.1'], /older than/)
    refuses(['99.0.0'], /no section "## 99.0.0"/)
    appendFileSync(changelog, '\n')
    refuses(['98.0.0'], /commit or stash/)
    git('restore', '.')
    assert.equal(git('status', '--porcelain'), '')
  })

  test('changes nothing when it is tried', () => {
    const { status, stdout } = release('98.0.0', '--dry-run')
    assert.match(stdout, /can be released.*server\/package\.json.*package-lock\.json/)
    assert.deepEqual([status, git('status', '--porcelain'), git('tag', '--list')], [0, '', ''])
  })

  test('leaves the tree as it was when a step fails', () => {
    unlinkSync(tools)
    refuses(['98.0.0', '--no-build'], /cyclonedx/)
    symlinkSync(join(root, 'node_modules/@cyclonedx'), tools)
    assert.deepEqual([git('status', '--porcelain'), git('tag', '--list')], ['', ''])
  })

  test('sets the version everywhere, lists the packages of production, and tags', () => {
    const { status, stderr } = release('98.0.0', '--no-build')
    assert.equal(status, 0, stderr)
    for (const path of ['', 'server/', 'console/', 'client/', 'sandbox/'])
      assert.equal(versionOf(`${path}package.json`), '98.0.0')
    assert.equal(
      git('grep', '--files-with-matches', '"@vacancy/client": "98.0.0"', '*.json'),
      'console/package.json\npackage-lock.json',
    )
    assert.match(
      readFileSync(join(clone, 'deploy/kubernetes/kustomization.yaml'), 'utf8'),
      /newTag: 98\.0\.0$/m,
    )
    const materials = JSON.parse(
      readFileSync(join(clone, 'dist/vacancy-98.0.0.cdx.json'), 'utf8'),
    ) as Materials
    const names = materials.components.map(({ name }) => name)
    assert.deepEqual(
      ['fastify', 'pg', 'typescript', 'eslint'].filter((name) => names.includes(name)),
      ['fastify', 'pg'],
    )
    assert.equal(materials.metadata.component.version, '98.0.0')
    assert.equal(git('describe'), 'v98.0.0')
    assert.match(git('tag', '--list', '--format=%(contents)'), /- First\./)
    assert.equal(git('status', '--porcelain'), '')
    refuses(['98.0.0'], /tag v98\.0\.0 already/)
  })
})

interface Materials {
  components: { name: string }[]
  metadata: { component: { version: string } }
}
