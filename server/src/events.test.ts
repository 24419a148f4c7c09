import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { test } from 'node:test'
import { text } from 'node:stream/consumers'

const lines = 300
const program = `
  import { events, logTo } from '${import.meta.resolve('./events.ts')}'
  logTo('info', 'api')
  for (let n = 0; n < ${lines}; n++) {
    events.started({ url: 'http://127.0.0.1' })
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  console.error('still here')
  process.exit(0)`

test(
  'a disk that is full stops the log, and not the process',
  { timeout: 20_000, skip: existsSync('/dev/full') ? false : 'this system has no /dev/full' },
  async () => {
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', full, 'pipe'],
    })
    closeSync(full)
    const [said, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')])
    assert.match(said, /still here/)
    assert.equal(code, 0)
  },
)

test('a line is written as it happens, each as JSON', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const told = said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { process: string; url: string })
  assert.equal(told.length, lines)
  assert.deepEqual(
    [...new Set(told.map(({ process, url }) => `${process} ${url}`))],
    ['api http://127.0.0.1'],
  )
})
