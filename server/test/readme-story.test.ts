import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { childEnvironment } from './node-process.ts'
import { shareWorld } from './share-world.ts'

/** What the README does by the command line alone, in a real shell. */

const { world, owner } = shareWorld({ workers: true })
const root = join(import.meta.dirname, '../..')
const home = mkdtempSync(join(tmpdir(), 'vacancy-readme-'))
after(() => rmSync(home, { recursive: true, force: true }))

test('the commands of the README lead from a connected PMS to a sold room', async () => {
  const blocks = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^```sh\n(.*?)^```/gms)]
    .map(([, code]) => code!)
    .filter((code) => /=\$\(vacancy /.test(code))
  assert.ok(blocks.length > 0)
  const { stdout } = await promisify(execFile)('bash', ['-c', `set -eo pipefail\n${blocks.join('\n')}`], {
    cwd: root,
    env: childEnvironment({
      ...{ VACANCY_HOME: home, VACANCY_URL: world.url, VACANCY_TOKEN: owner.token!, PMS: world.pms.url },
      PATH: process.env['PATH']!,
    }),
  })
  const [changeId, synced, total, syncedAgain, calendar] = stdout.trim().split('\n')
  assert.match(changeId!, /^[0-9a-f-]{36}$/)
  assert.equal(total, String(3 * 17_500))
  for (const result of [synced, syncedAgain]) assert.equal(result, '1 listing in sync.')
  const { units } = JSON.parse(calendar!) as { units: { rooms: { available: number }[] }[] }
  assert.deepEqual(
    units.map(({ rooms }) => rooms[0]!.available),
    [0],
  )
})
