import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { checkSync } from 'recheck'
import { patternsIn, patternsOfContract, patternsOfPrograms, type Pattern } from './patterns.ts'

// A pattern that takes quadratic time blocks the process for one hostile text.

// Its native program takes a quarter of the time, and is there for few machines.
process.env['RECHECK_BACKEND'] = process.platform === 'linux' && process.arch === 'x64' ? 'native' : 'pure'

/** `unknown` means that the check did not finish: write the pattern more simply. */
function judged({ source, flags }: Pattern): string {
  // Steps are counted rather than time: on a busy machine every pattern takes long.
  const limits = { attackLimit: 20_000_000, attackTimeout: null, incubationTimeout: null, timeout: 240_000 }
  const { status } = checkSync(source, flags.replace(/[dv]/g, ''), limits)
  return status
}

function expectSafe(patterns: readonly Pattern[]): void {
  const once = new Map(patterns.map((one) => [`/${one.source}/${one.flags}`, one]))
  const bad = [...once].flatMap(([text, one]) => {
    const status = judged(one)
    return status === 'safe' ? [] : [`${one.place}: ${text.slice(0, 200)} is ${status}`]
  })
  assert.deepEqual(bad, [])
}

suite('regular expressions run in linear time', () => {
  test('in the code', () => {
    const patterns = patternsOfPrograms()
    assert.ok(patterns.length > 100, `only ${patterns.length} patterns were found`)
    expectSafe(patterns)
  })

  test('in the contract', () => {
    const patterns = patternsOfContract()
    assert.ok(patterns.length > 10, `only ${patterns.length} patterns were found`)
    expectSafe(patterns)
  })

  test('the checker detects each kind of slow pattern', () => {
    const text = [
      'const a = /^(a+)+$/i',
      "const b = new RegExp('(a|a)*$', 'u')",
      "const c = { pattern: '^(.*,)*x$' }",
      'const fine = /^a+$/',
    ].join('\n')
    const found = patternsIn(text, 'planted.ts')
    assert.deepEqual(
      found.map((one) => [one.source, one.flags, one.place, judged(one)]),
      [
        ['^(a+)+$', 'i', 'planted.ts:1', 'vulnerable'],
        ['(a|a)*$', 'u', 'planted.ts:2', 'vulnerable'],
        ['^(.*,)*x$', 'u', 'planted.ts:3', 'vulnerable'],
        ['^a+$', '', 'planted.ts:4', 'safe'],
      ],
    )
  })
})
