import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { openLogFile } from './log-file.ts'

suite('the log of a child', () => {
  test('is kept as it is while it cannot be copied, as on a full disk', (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'vacancy-log-'))
    const path = join(folder, 'api.log')
    writeFileSync(path, 'ready\n')
    context.mock.timers.enable({ apis: ['setInterval'] })
    const log = openLogFile(path)
    try {
      truncateSync(path, 20_000_001)
      // Where the copy belongs nothing can be written.
      mkdirSync(`${path}.1`)
      // An error that is thrown here would end the supervisor, and the product with it.
      context.mock.timers.tick(30_000)
      assert.deepEqual([statSync(path).size, existsSync(`${path}.1`)], [20_000_001, false])
      context.mock.timers.tick(30_000)
      assert.deepEqual([statSync(path).size, statSync(`${path}.1`).size], [0, 20_000_001])
    } finally {
      log.close()
      rmSync(folder, { recursive: true })
    }
  })
})
