import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { text } from 'node:stream/consumers'

const lines = 300
const program = (event = "{ url: 'http://127.0.0.1' }") => `
  import { events, startLog } from '${import.meta.resolve('./log.ts')}'
  startLog('info', 'api')
  for (let n = 0; n < ${lines}; n++) {
    events.started(${event})
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  console.error('still here')
  process.exit(0)`

test(
  'a full disk stops the log but not the process',
  { timeout: 20_000, skip: existsSync('/dev/full') ? false : 'this system has no /dev/full' },
  async () => {
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program()], {
      stdio: ['ignore', full, 'pipe'],
    })
    closeSync(full)
    const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')])
    assert.match(stderr, /still here/)
    assert.equal(code, 0)
  },
)

test('a pipe that is not read does not keep the process from ending', { timeout: 20_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vacancy-log-'))
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const pipe = openSync(path, 'r+')
  // 300 lines of 1 KB; a pipe takes 64 KB.
  const child = spawn(
    process.execPath,
    ['--input-type=module', '--eval', program("{ url: 'x'.repeat(1_000) }")],
    { stdio: ['ignore', pipe, 'pipe'] },
  )
  const ended = once(child, 'exit')
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000)
  assert.deepEqual(await ended, [0, null])
  clearTimeout(timer)
  closeSync(pipe)
  rmSync(folder, { recursive: true })
})

test('each event is written as a line of JSON', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program()], {
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
