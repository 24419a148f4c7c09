import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, suite, test } from 'node:test'
import pg from 'pg'
import { startPostgres } from './postgres.ts'
import { waitForExit, isAlive } from './processes.ts'
import { removeFolder } from '../../test/remove-folder.ts'

const credentials = { user: 'vacancy', password: 'a b/c%d', database: 'vacancy' }
const homes: string[] = []
let home = ''

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'vacancy-postgres-'))
  homes.push(home)
})

after(() => homes.forEach((each) => removeFolder(each)))

suite('the embedded PostgreSQL', () => {
  test('starts, keeps its data over a restart, and leaves no process', async () => {
    const first = await start()
    assert.equal(first.report.wasCreated, true)
    assert.deepEqual(await ask(first.url, 'create table kept (n int); insert into kept values (7)'), [])
    await first.stop()
    assert.equal(isAlive(first.pid), false)

    const second = await start({ preferredPort: first.port })
    assert.equal(second.report.wasCreated, false)
    assert.equal(second.port, first.port)
    assert.deepEqual(await ask(second.url, 'select n from kept'), [{ n: 7 }])
    await second.stop()
  })

  test('is configured to lose no acknowledged commit', async () => {
    const postgres = await start({ isDurable: true })
    const names = ['fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums', 'listen_addresses']
    const rows = await ask(
      postgres.url,
      `select name, setting from pg_settings where name = any(array['${names.join("','")}'])`,
    )
    assert.deepEqual(Object.fromEntries(rows.map((row) => [row['name'], row['setting']])), {
      ...{ fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', data_checksums: 'on' },
      listen_addresses: '127.0.0.1',
    })
    await postgres.stop()
  })

  test('requires the password and leaves no copy of it on disk', async () => {
    const postgres = await start()
    const wrong = new URL(postgres.url)
    wrong.password = 'wrong'
    await assert.rejects(ask(wrong.href, 'select 1'), { code: '28P01' })
    assert.equal(statSync(postgres.dataDir).mode & 0o777, 0o700)
    assert.throws(() => statSync(join(home, 'postgres-password')), { code: 'ENOENT' })
    await postgres.stop()
  })

  test('uses another port when the preferred one is busy', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const postgres = await start({ preferredPort: port })
    assert.notEqual(postgres.port, port)
    await postgres.stop()
    other.close()
  })

  test('does not outlive a parent that was killed', async () => {
    const parent = await startInAnotherProcess()
    process.kill(parent.pid, 'SIGKILL')
    assert.equal(await waitForExit(parent.postgres, 10_000), true)
  })

  test('stops an orphan that still uses the folder, and keeps its data', async () => {
    const parent = await startInAnotherProcess()
    await ask(parent.url, 'create table kept (n int); insert into kept values (8)')
    process.kill(parent.lifeline, 'SIGKILL')
    process.kill(parent.pid, 'SIGKILL')
    await waitForExit(parent.pid, 5_000)
    assert.equal(isAlive(parent.postgres), true)

    const next = await start()
    assert.equal(next.report.leftover, 'orphan stopped')
    assert.equal(isAlive(parent.postgres), false)
    assert.deepEqual(await ask(next.url, 'select n from kept'), [{ n: 8 }])
    await next.stop()
  })

  test('starts again right after the server itself was killed', async () => {
    const first = await start()
    const client = new pg.Client({ connectionString: first.url })
    client.on('error', () => {})
    await client.connect()
    process.kill(first.pid, 'SIGKILL')
    assert.match(await first.lost, /^PostgreSQL ended/)
    const second = await start()
    assert.equal(second.report.leftover, 'stale pid file removed')
    assert.deepEqual(await ask(second.url, 'select 1 as n'), [{ n: 1 }])
    await second.stop()
    await client.end().catch(() => {})
  })

  test('ignores a pid file that names another program', async () => {
    const first = await start()
    const note = readFileSync(join(first.dataDir, 'postmaster.pid'), 'utf8')
    await first.stop()
    const other = spawn('sleep', ['60'], { uid: statSync(first.dataDir).uid })
    writeFileSync(join(first.dataDir, 'postmaster.pid'), note.replace(/^\d+/, String(other.pid)))
    const second = await start()
    assert.equal(second.report.leftover, 'stale pid file removed')
    assert.equal(isAlive(other.pid!), true)
    await second.stop()
    other.kill()
  })

  test('creates a new cluster when the first attempt was interrupted', async () => {
    const first = await start()
    await first.stop()
    writeFileSync(join(first.dataDir, '..', 'postgres-unfinished'), '')
    const second = await start()
    assert.equal(second.report.wasCreated, true)
    await second.stop()
  })
})

const start = (options: { isDurable?: boolean; preferredPort?: number } = {}) =>
  startPostgres({ home, credentials, isDurable: false, ...options })

async function ask(url: string, sql: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const result = await client.query(sql)
    return (result.rows ?? []) as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}

/** A parent process that the test can kill. */
async function startInAnotherProcess() {
  const script = `
    import { startPostgres } from ${JSON.stringify(import.meta.resolve('./postgres.ts'))}
    const { url, pid } = await startPostgres(${JSON.stringify({ home, credentials, isDurable: false })})
    process.send({ url, postgres: pid })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.on('message', () => {})
  const [facts] = await new Promise<[{ url: string; postgres: number }]>((resolve, reject) => {
    child.once('message', (message) => resolve([message as { url: string; postgres: number }]))
    child.once('exit', (code) => reject(new Error(`the parent ended with ${code}`)))
  })
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')
  const lifeline = Number(children.find((each) => Number(each) !== facts.postgres))
  return { ...facts, pid: child.pid!, lifeline }
}
