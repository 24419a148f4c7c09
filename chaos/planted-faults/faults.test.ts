import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { suite, test } from 'node:test'
import ts from 'typescript'
import { planted, type Fault } from './fault.ts'
import { faults } from './faults.ts'

/** The list fits the code as it is; whether the tests notice the faults is seen by planting them, which takes minutes. */

const root = resolve(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(resolve(root, file), 'utf8')

suite('planted faults', () => {
  for (const fault of faults)
    test(`${fault.name} can be planted, and its tests are there`, () => {
      const text = planted(fault, textOf(fault.file))
      assert.deepEqual(mistakesOf(fault, text), [])
      assert.ok(fault.caughtBy.length > 0)
      for (const { file, test } of fault.caughtBy) {
        assert.ok(existsSync(resolve(root, file)), `${file} is not there`)
        assert.ok(textOf(file).includes(test), `${file} has no test "${test}"`)
      }
    })

  test('each has a name of its own', () => {
    assert.equal(new Set(faults.map(({ name }) => name)).size, faults.length)
    assert.ok(faults.length >= 15)
  })

  test('a text that stands nowhere, or twice, is told', () => {
    const fault = { ...faults[0]!, edits: [['a', 'b']] as const }
    assert.throws(() => planted(fault, 'x'), /stands 0 times/)
    assert.throws(() => planted(fault, 'a a'), /stands 2 times/)
    assert.equal(planted(fault, 'x a'), 'x b')
  })
})

/** What keeps the file from being loaded: then every test would be red, and none would have noticed anything. */
function mistakesOf({ file }: Fault, text: string): string[] {
  if (!file.endsWith('.ts')) return []
  const { diagnostics = [] } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2024, erasableSyntaxOnly: true },
  })
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}
