import assert from 'node:assert/strict'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { openConsolePages } from './console-pages.ts'

suite('pages of the console', () => {
  test('name the files of the build that is there, also after a new one', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'vacancy-pages-'))
    context.after(() => rm(folder, { recursive: true }))
    const manifest = join(folder, 'manifest.json')
    const build = async (hash: string, at: number) => {
      await writeFile(
        join(folder, 'index.html'),
        `<head><script src="/assets/main-${hash}.js"></script></head>`,
      )
      const chunk = { file: `assets/inbox-${hash}.js` }
      await writeFile(manifest, JSON.stringify({ 'src/pages/inbox/inbox.tsx': chunk }))
      await utimes(manifest, at, at)
    }
    await build('old', 1_000_000)
    const pages = await openConsolePages(folder)
    assert.match((await pages()).index, /main-old/)

    await rm(manifest)
    assert.match((await pages()).index, /main-old/, 'between two builds')

    await build('new', 2_000_000)
    const { index, byPath } = await pages()
    assert.match(index, /main-new/)
    assert.match(byPath.get('/inbox')!, /inbox-new\.js.*<\/head>/)
    assert.doesNotMatch(byPath.get('/inbox')!, /old/)
  })
})
