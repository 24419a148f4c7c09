import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { suite, test } from 'node:test'
import ts from 'typescript'
import { faults } from './faults.ts'
import { faultyFiles } from './faulty-copy.ts'
import { mutate, type Mutation } from './mutation.ts'

/** Each fault can be planted in the current code. `npm run chaos -- planted-faults` checks that the tests fail. */

const root = resolve(import.meta.dirname, '../..')

suite('planted faults', () => {
  for (const fault of faults)
    test(`${fault.name} can be planted, and its test files exist`, () => {
      const files = faultyFiles(fault, root)
      for (const [file, text] of files) assert.deepEqual(syntaxErrorsOf(file, text), [])
      assert.ok(files.size > 0 && fault.caughtBy.length > 0)
      for (const file of fault.caughtBy) assert.ok(existsSync(join(root, file)), `${file} does not exist`)
    })

  test('the names are unique', () => {
    assert.equal(new Set(faults.map(({ name }) => name)).size, faults.length)
  })
})

suite('a mutation', () => {
  const source = `
    export const limit = 5
    export async function outer(a: number, b?: number) {
      const rest = b === undefined ? 0 : b
      if (a > limit) throw new Error('a')
      await save(a, rest)
      const inner = () => check(a) && check(rest)
      return { a, rest: inner(), rows: sql\`select max(n.x, 2) as top from n where n.a = \${a} and n.b = 1 for update\` }
    }`
  const mutated = (mutation: object) =>
    mutate(source, { file: 'example.ts', function: 'outer', becomes: '0', ...mutation } as Mutation)

  for (const [mutation, expected] of [
    [{ function: 'limit', whole: true }, /const limit = 0\n/],
    [{ function: 'inner', whole: true }, /inner = \(\) => \{ return 0 \}/],
    [{ condition: 'limit', becomes: 'false' }, /if \(false\) throw/],
    [{ comparison: 'b' }, /rest = \(0\) \? 0/],
    [{ conditional: 'b' }, /rest = \(0\)\n/],
    [{ call: 'save', argument: 1 }, /save\(a, 0\)/],
    [{ call: 'save', becomes: ({ args }: { args: string[] }) => `keep(${args[1]})` }, /await keep\(rest\)/],
    [{ statement: 'save', becomes: '' }, /\n {6};\n/],
    [{ awaitOf: 'save' }, /void save\(a, rest\)\.catch/],
    [{ property: 'rest' }, /rest: 0, rows/],
    [{ property: 'a', becomes: '' }, /return \{ {2}rest/],
    [{ variable: 'rest' }, /rest = 0\n/],
    [{ reference: 'limit' }, /a > 0\)/],
    [{ sqlLock: true, becomes: '' }, /n\.b = 1 `/],
    [{ sqlCondition: 'n.a', becomes: 'true' }, /where true and n\.b = 1 for/],
    [{ sqlCondition: 'n.b', becomes: 'true' }, /\$\{a\} and true for/],
    [{ sqlCall: 'max' }, /select 0 as top/],
    [{ sqlCall: 'max', argument: 1 }, /max\(n\.x, 0\)/],
    [{ sqlColumn: 'top' }, /select 0 as top/],
  ] as const)
    test(`replaces ${JSON.stringify(mutation)}`, () => assert.match(mutated(mutation), expected))

  test('fails when its place or its function is missing or not the only one', () => {
    assert.throws(() => mutated({ call: 'absent' }), /occurs 0 times/)
    assert.throws(() => mutated({ call: 'check' }), /occurs 2 times/)
    assert.throws(() => mutated({ function: 'absent', whole: true }), /0 functions named absent/)
  })
})

/** Syntax errors of the faulty file, with which every test would fail. */
function syntaxErrorsOf(file: string, text: string): string[] {
  if (!file.endsWith('.ts')) return []
  const { diagnostics = [] } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2024, erasableSyntaxOnly: true },
  })
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}
