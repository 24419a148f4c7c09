import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

/** Logs one event with a hostile text in every external value. */
const program = `
import { events, startLog } from '#telemetry/log.ts'
const text = process.env.HOSTILE
startLog('info', 'api')
const error = new Error(text)
error.stack = 'Error: ' + text + '\\n    at nowhere'
events.requestFailed({ requestId: text, error })
events.pmsMessageUnrouted({ source: text, kind: text })
events.identityProviderError(error)
`

for (const lineBreak of ['\r\n', '\n', '\r', '\u0085', '\u2028', '\u2029', '\u001b[2J', '"}\n'])
  test(`a text with ${JSON.stringify(lineBreak)} adds no line to the log`, () => {
    const hostile = `x${lineBreak}{"level":60,"msg":"forged"}${lineBreak}`
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module-typescript', '-e', program],
      {
        cwd: new URL('../../', import.meta.url),
        env: { ...process.env, HOSTILE: hostile },
        encoding: 'utf8',
      },
    )
    const lines = stdout.trimEnd().split(/\r\n|[\n\r\v\f]/)
    assert.equal(lines.length, 3, stdout + stderr)
    for (const line of lines) {
      const entry = JSON.parse(line) as { msg: string; process: string }
      assert.equal(entry.process, 'api')
      assert.notEqual(entry.msg, 'forged')
      assert.ok(!line.includes('\u001b'))
    }
  })
