import assert from 'node:assert/strict'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, beforeEach, suite, test } from 'node:test'
import pg from 'pg'
import { startPostgres } from './postgres.ts'

/** The data folder is found again, also when its permissions changed; otherwise the start names it. */

const credentials = { user: 'vacancy', password: 'secret', database: 'vacancy' }
const folders: string[] = []
let parent = ''
let home = ''

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'vacancy-data-'))
  home = join(parent, 'home')
  mkdirSync(home, { mode: 0o700 })
  folders.push(parent)
})
after(() => folders.forEach((each) => rmSync(each, { recursive: true, force: true })))

/** Starts, runs the statement, and stops. */
async function ask(text: string, folder = home) {
  const postgres = await startPostgres({ home: folder, credentials, isDurable: false })
  if (!postgres.dataDir.startsWith(parent)) folders.push(dirname(postgres.dataDir))
  const client = new pg.Client({ connectionString: postgres.url })
  try {
    await client.connect()
    return { ...postgres, rows: (await client.query(text)).rows as unknown[] }
  } finally {
    await client.end()
    await postgres.stop()
  }
}

const make = () => ask('create table kept as select 7 as n')
const read = 'select n from kept'
const record = () => JSON.parse(readFileSync(join(home, 'database.json'), 'utf8')) as { data_dir: string }
const isRoot = process.getuid?.() === 0

suite('the folder of the embedded database', () => {
  test('is recorded, moves with its home, and is not created again when it is missing', async () => {
    chmodSync(parent, 0o755)
    await make()
    assert.deepEqual(record(), { data_dir: 'postgres' })
    const moved = join(parent, 'moved')
    renameSync(home, moved)
    assert.deepEqual((await ask(read, moved)).rows, [{ n: 7 }])
    renameSync(moved, home)

    renameSync(join(home, 'postgres'), join(parent, 'away'))
    await assert.rejects(ask(read), ({ message }) => message.includes(join(home, 'postgres')))
    assert.equal(existsSync(join(home, 'postgres')), false)
    renameSync(join(parent, 'away'), join(home, 'postgres'))
    assert.deepEqual((await ask(read)).rows, [{ n: 7 }])
  })

  test('of an older version is found and recorded', async () => {
    chmodSync(parent, 0o755)
    await make()
    rmSync(join(home, 'database.json'))
    assert.deepEqual((await ask(read)).rows, [{ n: 7 }])
    assert.deepEqual(record(), { data_dir: 'postgres' })
  })

  test(`is kept when its parent folder is closed${isRoot ? '' : ' to this user'}`, async () => {
    chmodSync(parent, 0o755)
    await make()
    chmodSync(parent, isRoot ? 0o700 : 0)
    await assert.rejects(
      ask(read),
      ({ message }) => message.includes(join(home, 'postgres')) || message.includes(parent),
    )
    chmodSync(parent, 0o755)
    assert.deepEqual((await ask(read)).rows, [{ n: 7 }])
  })

  test('is kept when its parent folder is opened', async () => {
    chmodSync(parent, 0o700)
    const first = await make()
    chmodSync(parent, 0o755)
    const second = await ask(read)
    assert.deepEqual(second.rows, [{ n: 7 }])
    assert.equal(second.dataDir, first.dataDir)
    assert.equal(second.report.wasCreated, false)
  })

  test('belongs to one home: a copied home does not use the same data', async () => {
    chmodSync(parent, 0o700)
    const { dataDir } = await make()
    const copy = join(parent, 'copy')
    cpSync(home, copy, { recursive: true })
    if (!isRoot) return void assert.ok(dataDir.startsWith(home))
    await assert.rejects(
      ask(read, copy),
      ({ message }) => message.includes(home) && message.includes(dataDir),
    )
    rmSync(home, { recursive: true })
    assert.deepEqual((await ask(read, copy)).rows, [{ n: 7 }])
  })
})
