import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { suite, test } from 'node:test'
import ts from 'typescript'
import { applyFault, type Fault } from './fault.ts'
import { faults } from './faults.ts'

/** Each fault can be applied to the current code. `npm run chaos -- planted-faults` checks that the tests fail. */

const root = resolve(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(resolve(root, file), 'utf8')

suite('planted faults', () => {
  for (const fault of faults)
    test(`${fault.name} can be applied, and its tests exist`, () => {
      const text = applyFault(fault, textOf(fault.file))
      assert.deepEqual(syntaxErrorsOf(fault, text), [])
      assert.ok(fault.caughtBy.length > 0)
      for (const { file, test } of fault.caughtBy) {
        assert.ok(existsSync(resolve(root, file)), `${file} does not exist`)
        assert.ok(textOf(file).includes(test), `${file} has no test "${test}"`)
      }
    })

  test('the names are unique', () => {
    assert.equal(new Set(faults.map(({ name }) => name)).size, faults.length)
    assert.ok(faults.length >= 15)
  })

  test('throws when a text occurs never or twice', () => {
    const fault = { ...faults[0]!, edits: [['a', 'b']] as const }
    assert.throws(() => applyFault(fault, 'x'), /occurs 0 times/)
    assert.throws(() => applyFault(fault, 'a a'), /occurs 2 times/)
    assert.equal(applyFault(fault, 'x a'), 'x b')
  })
})

/** Syntax errors of the faulty file, with which every test would fail. */
function syntaxErrorsOf({ file }: Fault, text: string): string[] {
  if (!file.endsWith('.ts')) return []
  const { diagnostics = [] } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2024, erasableSyntaxOnly: true },
  })
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}
