import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { test } from 'node:test'
import { text } from 'node:stream/consumers'

const lines = 300
const program = `
  import { events, startLog } from '${import.meta.resolve('./log.ts')}'
  startLog('info', 'api')
  for (let n = 0; n < ${lines}; n++) {
    events.started({ url: 'http://127.0.0.1' })
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  console.error('still here')
  process.exit(0)`

test(
  'a full disk stops the log but not the process',
  { timeout: 20_000, skip: existsSync('/dev/full') ? false : 'this system has no /dev/full' },
  async () => {
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', full, 'pipe'],
    })
    closeSync(full)
    const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')])
    assert.match(stderr, /still here/)
    assert.equal(code, 0)
  },
)

test('each event is written as a line of JSON', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const entries = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { process: string; url: string })
  assert.equal(entries.length, lines)
  assert.deepEqual(
    [...new Set(entries.map(({ process, url }) => `${process} ${url}`))],
    ['api http://127.0.0.1'],
  )
})
