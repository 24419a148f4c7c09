import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { suite, test } from 'node:test'

/** What docs/security.md and docs/reliability.md promise stands beside the files of the tests that prove it. */

const root = resolve(import.meta.dirname, '../..')
const documents = ['docs/security.md', 'docs/reliability.md']
const file = /`([\w./-]+\.ts)`/g

const filesIn = (text: string) => [...text.matchAll(file)].map(([, path = '']) => path)
const exists = (path: string) => existsSync(resolve(root, path))
const missing = (text: string, isThere: (path: string) => boolean) =>
  filesIn(text).filter((path) => !isThere(path))
const promisesWithoutTest = (text: string) =>
  text
    .split(/\n(?=- \*\*|\n|#)/)
    .filter((part) => part.startsWith('- **'))
    .filter((part) => !filesIn(part).some((path) => path.endsWith('.test.ts')))

suite('promises of the documents', () => {
  for (const document of documents) {
    const text = readFileSync(resolve(root, document), 'utf8')

    test(`${document}: every file that is named exists`, () => {
      assert.ok(filesIn(text).length >= 20)
      assert.deepEqual(missing(text, exists), [])
    })

    test(`${document}: every promise names a test file`, () =>
      assert.deepEqual(promisesWithoutTest(text), []))
  }

  test('a missing file and a promise without a test are found', () => {
    const text = '- **Kept.** `a/b.test.ts`, and `a/gone.test.ts`\n- **Alone.** `a/c.ts`'
    assert.deepEqual(
      missing(text, (path) => path !== 'a/gone.test.ts'),
      ['a/gone.test.ts'],
    )
    assert.deepEqual(promisesWithoutTest(text), ['- **Alone.** `a/c.ts`'])
  })
})

test('docs/architecture.md names every feature', () => {
  const [, , , list = ''] = readFileSync(resolve(root, 'docs/architecture.md'), 'utf8').split('```')
  const named = new Set(list.match(/[\w-]+/g))
  const folder = resolve(root, 'server/src/features')
  const features = readdirSync(folder).flatMap((area) => readdirSync(resolve(folder, area)))
  assert.deepEqual(
    features.filter((name) => !named.has(name)),
    [],
  )
})
