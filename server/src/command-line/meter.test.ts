import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { openMeter } from './meter.ts'

/** A terminal that keeps what is written to it. */
function terminal({ isTTY = true, columns = 80 } = {}) {
  const written: string[] = []
  const write: NodeJS.WriteStream['write'] = (text: string | Uint8Array) => written.push(String(text)) > 0
  return { isTTY, columns, write, written }
}

suite('the meter', () => {
  test('fills a bar, with a second line below, and takes both away', () => {
    const out = terminal()
    const meter = openMeter(out, { isQuiet: false, hasColor: false })
    meter.fill(10, 40, 'listings')
    meter.fill(20, 40, 'listings', '1 failed: 1 × network')
    meter.clear()
    assert.deepEqual(out.written, [
      `${'█'.repeat(7)}${'░'.repeat(23)} 10/40 listings`,
      `\r\x1b[0J${'█'.repeat(15)}${'░'.repeat(15)} 20/40 listings\n1 failed: 1 × network`,
      '\r\x1b[1A\x1b[0J',
    ])
  })

  test('never writes a line that the terminal would wrap', () => {
    const out = terminal({ columns: 44 })
    const meter = openMeter(out, { isQuiet: false, hasColor: true })
    meter.fill(1, 2, 'listings asked for', 'x'.repeat(100))
    meter.spin('y'.repeat(100))
    meter.clear()
    for (const line of out.written.flatMap((text) => text.split('\n')))
      assert.ok(stripVTControlCharacters(line).length <= 45, line)
  })

  test('has colours unless they are not wanted', () => {
    const [plain, painted] = [terminal(), terminal()]
    openMeter(plain, { isQuiet: false, hasColor: false }).fill(1, 2, 'listings')
    openMeter(painted, { isQuiet: false, hasColor: true }).fill(1, 2, 'listings')
    assert.ok(!plain.written.join('').includes('\x1b[3'))
    assert.ok(painted.written.join('').includes('\x1b[32m'))
  })

  test('draws nothing for a program, and nothing where there is no terminal', () => {
    for (const [out, isQuiet] of [
      [terminal(), true],
      [terminal({ isTTY: false }), false],
    ] as const) {
      const meter = openMeter(out, { isQuiet, hasColor: true })
      meter.spin('reading')
      meter.fill(1, 2, 'listings')
      meter.clear()
      assert.deepEqual(out.written, [])
    }
  })
})
