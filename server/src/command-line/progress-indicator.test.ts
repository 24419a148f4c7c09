import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { openProgressIndicator } from './progress-indicator.ts'

/** A terminal that keeps what is written to it. */
function terminal({ isTTY = true, columns = 80 } = {}) {
  const written: string[] = []
  const write: NodeJS.WriteStream['write'] = (text: string | Uint8Array) => written.push(String(text)) > 0
  return { isTTY, columns, write, written }
}

suite('the progress indicator', () => {
  test('draws a bar with a second line, and erases both', () => {
    const out = terminal()
    const progress = openProgressIndicator({ err: out, env: { NO_COLOR: '1' } }, false)
    progress.showBar(10, 40, 'listings')
    progress.showBar(20, 40, 'listings', '1 failed: 1 × network')
    progress.clear()
    assert.deepEqual(out.written, [
      `${'█'.repeat(7)}${'░'.repeat(23)} 10/40 listings`,
      `\r\x1b[0J${'█'.repeat(15)}${'░'.repeat(15)} 20/40 listings\n1 failed: 1 × network`,
      '\r\x1b[1A\x1b[0J',
    ])
  })

  test('never writes a line that the terminal would wrap', () => {
    const out = terminal({ columns: 44 })
    const progress = openProgressIndicator({ err: out, env: {} }, false)
    progress.showBar(1, 2, 'listings requested', 'x'.repeat(100))
    progress.showSpinner('y'.repeat(100))
    progress.clear()
    for (const line of out.written.flatMap((text) => text.split('\n')))
      assert.ok(stripVTControlCharacters(line).length <= 45, line)
  })

  test('has colours unless they are disabled', () => {
    const [plain, painted] = [terminal(), terminal()]
    openProgressIndicator({ err: plain, env: { NO_COLOR: '1' } }, false).showBar(1, 2, 'listings')
    openProgressIndicator({ err: painted, env: {} }, false).showBar(1, 2, 'listings')
    assert.ok(!plain.written.join('').includes('\x1b[3'))
    assert.ok(painted.written.join('').includes('\x1b[32m'))
  })

  test('draws nothing when the output is JSON or no terminal', () => {
    for (const [err, asJson] of [
      [terminal(), true],
      [terminal({ isTTY: false }), false],
    ] as const) {
      const progress = openProgressIndicator({ err, env: {} }, asJson)
      progress.showSpinner('reading')
      progress.showBar(1, 2, 'listings')
      progress.clear()
      assert.deepEqual(err.written, [])
    }
  })
})
