import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { openHome } from './home.ts'

let home = ''
const file = (name: string) => join(home, name)
const textOf = (name: string) => readFileSync(file(name), 'utf8')

beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'vacancy-home-'))))
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** Opens and closes the home as one start does. */
function start() {
  const opened = openHome(home)
  opened.savePorts({ postgres: 5_432 })
  opened.close()
  return opened.secrets
}

suite('the secrets of a home', () => {
  test('are created once, with a backup, and only this user can read them', () => {
    const made = start()
    assert.deepEqual(start(), made)
    for (const name of ['secrets.json', 'secrets.backup.json']) {
      assert.deepEqual(JSON.parse(textOf(name)), made)
      assert.equal(statSync(file(name)).mode & 0o777, 0o600)
    }
    assert.deepEqual(
      readdirSync(home).filter((name) => /\.\d+$/.test(name)),
      [],
    )
  })

  const damages: Record<string, () => void> = {
    'cut short': () => truncateSync(file('secrets.json'), 40),
    empty: () => truncateSync(file('secrets.json'), 0),
    'without a member': () => writeFileSync(file('secrets.json'), '{"secret_keys":"local:AAAA"}'),
    'of another kind': () => writeFileSync(file('secrets.json'), '[]'),
  }
  for (const [name, damage] of Object.entries(damages))
    test(`${name}: the start fails, writes nothing, and says how to restore them`, () => {
      const made = start()
      damage()
      const damaged = textOf('secrets.json')
      assert.throws(start, ({ message }) => message.includes(file('secrets.json')) && message.includes('cp '))
      assert.equal(textOf('secrets.json'), damaged)
      writeFileSync(file('secrets.json'), textOf('secrets.backup.json'))
      assert.deepEqual(start(), made)
    })

  for (const left of ['secrets.backup.json', 'ports.json', 'database.json'])
    test(`missing beside ${left}: the start fails and creates none`, () => {
      start()
      writeFileSync(file('database.json'), '{"data_dir":"postgres"}')
      for (const name of readdirSync(home)) if (name !== left && name !== 'logs') rmSync(file(name))
      assert.throws(start, ({ message }) => message.includes(`${file('secrets.json')} is missing`))
      assert.equal(readdirSync(home).includes('secrets.json'), false)
      assert.equal(readdirSync(home).includes('start.lock'), false)
    })

  test('changed by hand: the backup is updated, and the older one is kept', () => {
    const made = start()
    const changed = { ...made, secret_keys: `new:${made.internal_service_token},${made.secret_keys}` }
    writeFileSync(file('secrets.json'), JSON.stringify(changed))
    assert.deepEqual(start(), changed)
    assert.deepEqual(JSON.parse(textOf('secrets.backup.json')), changed)
    const older = readdirSync(home).filter((name) => name.startsWith('secrets.backup-'))
    assert.deepEqual(
      older.map((name) => JSON.parse(textOf(name))),
      [made],
    )
  })
})

test('the lock of a home is written atomically, and a damaged one is ignored', () => {
  const opened = openHome(home)
  assert.equal(JSON.parse(textOf('start.lock')).pid, process.pid)
  assert.throws(start, /already runs/)
  opened.close()
  writeFileSync(file('start.lock'), '{"pid":')
  start()
  renameSync(file('secrets.backup.json'), file('elsewhere'))
  start()
  assert.deepEqual(JSON.parse(textOf('secrets.backup.json')), JSON.parse(textOf('secrets.json')))
})

test('a lock of another container on the same volume holds while that one touches it', async ({ mock }) => {
  writeFileSync(
    file('start.lock'),
    JSON.stringify({ pid: process.pid, startTime: '1', host: 'other-container' }),
  )
  assert.throws(start, /other-container/)
  const minuteAgo = new Date(Date.now() - 60_000)
  utimesSync(file('start.lock'), minuteAgo, minuteAgo)
  mock.timers.enable({ apis: ['setInterval'] })
  const opened = openHome(home)
  utimesSync(file('start.lock'), minuteAgo, minuteAgo)
  const watcher = watch(file('start.lock'))
  const touched = once(watcher, 'change')
  mock.timers.tick(5_000)
  await touched
  watcher.close()
  assert.ok(statSync(file('start.lock')).mtimeMs > minuteAgo.getTime())
  opened.close()
})
