import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { suite, test } from 'node:test'

/**
 * What docs/security.md and docs/reliability.md promise stands beside the tests that hold it: the name of a file, and
 * behind it the names of tests or suites as they stand there.
 */

const root = resolve(import.meta.dirname, '../..')
const textOf = (path: string) => readFileSync(resolve(root, path), 'utf8')
const documents = ['docs/security.md', 'docs/reliability.md']

/** A file in backticks, and the names in quotes that follow it. */
const claim = /`([\w./-]+\.ts)`((?:,?\s+“[^”]+”)*)/g

/** One sentence for each claim that is not so. */
function untrue(document: string, read: (path: string) => string | undefined): string[] {
  return [...document.matchAll(claim)].flatMap(([, path = '', quoted = '']) => {
    const text = read(path)
    if (text === undefined) return [`${path} is not there`]
    const names = [...quoted.matchAll(/“([^”]+)”/g)].map(([, name = '']) => name.replace(/\s+/g, ' '))
    if (path.endsWith('.test.ts') && names.length === 0) return [`${path}: no test is named`]
    return names.filter((name) => !text.includes(name)).map((name) => `${path} has no test “${name}”`)
  })
}

const fromDisk = (path: string) => (existsSync(resolve(root, path)) ? textOf(path) : undefined)

suite('promises of the documents', () => {
  for (const document of documents)
    test(`${document}: every test that is named is there`, () => {
      const text = textOf(document)
      assert.ok([...text.matchAll(claim)].length >= 20, 'It names tests.')
      assert.deepEqual(untrue(text, fromDisk), [])
    })

  for (const document of documents)
    test(`${document}: no promise stands alone`, () => {
      const alone = textOf(document)
        .split(/\n(?=- \*\*|\n|#)/)
        .filter((part) => part.startsWith('- **') && !new RegExp(claim).test(part))
      assert.deepEqual(alone, [])
    })

  test('what is gone would be found', () => {
    const read = (path: string) => (path === 'a/b.test.ts' ? "test('it holds', () => {})" : undefined)
    assert.deepEqual(untrue('Kept. `a/b.test.ts` “it\nholds”, “it is dreamt”', read), [
      'a/b.test.ts has no test “it is dreamt”',
    ])
    assert.deepEqual(untrue('Kept. `a/b.test.ts`, and `a/gone.test.ts` “it holds”', read), [
      'a/b.test.ts: no test is named',
      'a/gone.test.ts is not there',
    ])
  })
})
