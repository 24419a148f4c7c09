import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import { openHostaway } from '../../sandbox/test/hostaway-caller.ts'
import { expectStatus } from './expect.ts'
import { connection } from './hostaway-live.ts'
import { unlimitedCalls, until } from './linked-units.ts'
import { localDay } from './local-days.ts'
import { addTarget } from './records.ts'
import { shareWorld } from './share-world.ts'
import { expireHeartbeats, startWorkerProcess } from './test-process.ts'

const secretKeys = `test:${randomBytes(32).toString('base64')}`
const { world, owner } = shareWorld({ env: { SECRET_KEYS: secretKeys } })
const listings = 9
const rows = 1_000

/** Lets a worker process work until something is reached, and kills it. */
async function workUntil<T>(read: () => Promise<T>, isReached: (found: T) => boolean): Promise<T> {
  await using worker = await startWorkerProcess(world, secretKeys, 'upkeep')
  const reached = await until(read, isReached, 240)
  await worker.kill('SIGKILL')
  await expireHeartbeats(world)
  return reached
}

suite('a worker that is killed during an import', () => {
  test('twice: every unit and booking is made once', async () => {
    await using hostaway = await openHostaway()
    const day = (days: number) => localDay('Europe/Rome', days)
    for (let n = 0; n < listings; n++) {
      const id = await hostaway.addListing({ name: `Villa ${n}`, address: `Via Cavour ${n}` })
      await hostaway.write(id, [{ startDate: day(30), endDate: day(39), price: 300 }])
      for (const start of [10, 20]) await hostaway.reserve(id, day(start), day(start + 3))
    }
    // Each call takes so long that the kills come in the middle.
    await hostaway.control('PUT', 'faults', { mode: 'slow', delay_ms: 300 })
    const target = await addTarget(owner, { config: { ...connection(hostaway.url), ...unlimitedCalls } })
    const created = await owner.post('/api/v1/imports', { channel_target_id: target.id })
    const path = `/api/v1/imports/${expectStatus(created, 201).import.id}`
    const read = async (): Promise<ImportRecord> => expectStatus(await owner.get(path), 200).import
    const unitsDone = ({ counts }: ImportRecord) => counts.find(({ kind }) => kind === 'unit')?.done ?? 0

    await workUntil(read, ({ status }) => status === 'planned')
    expectStatus(await owner.post(`${path}/run`), 200)
    for (const done of [2, 5]) {
      const killed = await workUntil(read, (found) => unitsDone(found) >= done)
      assert.equal(killed.status, 'running')
    }
    const completed = await workUntil(read, ({ status }) => status === 'completed')
    assert.deepEqual([unitsDone(completed), completed.bookings_imported], [listings, 2 * listings])

    const list = async (name: string) => expectStatus(await owner.get(`/api/v1/${name}?limit=100`), 200)
    const { units } = await list('units')
    const names = new Set(units.map(({ name }: { name: string }) => name))
    const { spaces } = await list('spaces')
    const { channel_listings } = await list('channel-listings')
    const { bookings } = await list('bookings')
    assert.deepEqual(
      [units, [...names], spaces, channel_listings, bookings].map(({ length }) => length),
      [listings, listings, listings, listings, 2 * listings],
    )
  })

  test('in the middle of a file: every row is imported once', async () => {
    const before = new Set((await listAll('units')).map(({ id }) => id))
    const file = [
      'name,space,price',
      ...Array.from({ length: rows }, (_, n) => `Room ${n},Hotel ${n % 20},${80 + (n % 50)}`),
    ]
    const created = await owner.send('POST', '/api/v1/file-imports?kind=units', {
      body: file.join('\n'),
      headers: { 'content-type': 'text/csv' },
    })
    const path = `/api/v1/file-imports/${expectStatus(created, 201).file_import.id}`
    const read = async (): Promise<FileImportRecord> => expectStatus(await owner.get(path), 200).file_import
    const rowsDone = ({ counts }: FileImportRecord) =>
      counts.find(({ action }) => action === 'create')?.done ?? 0

    const killed = await workUntil(read, ({ planned_count }) => planned_count > 0)
    assert.equal(killed.status, 'planning')
    await workUntil(read, ({ status }) => status === 'planned')
    expectStatus(await owner.post(`${path}/run`), 200)
    const listMade = async () => (await listAll('units')).filter(({ id }) => !before.has(id))
    for (const n of [100, 400]) {
      // A unit is seen as soon as it is committed, which is when its row is done.
      const find = async (): Promise<{ name: string }[]> =>
        expectStatus(await owner.get(`/api/v1/units?limit=100&q=Room%20${n}`), 200).units
      await workUntil(find, (found) => found.some(({ name }) => name === `Room ${n}`))
      const killed = await read()
      assert.deepEqual([killed.status, rowsDone(killed)], ['running', (await listMade()).length])
    }
    const completed = await workUntil(read, ({ status }) => status === 'completed')
    assert.deepEqual(completed.counts, [{ action: 'create', total: rows, done: rows }])

    const units = await listMade()
    const hotels = (await listAll('spaces')).filter(({ name }) => name.startsWith('Hotel'))
    assert.deepEqual(
      [units.length, new Set(units.map(({ name }) => name)).size, hotels.length],
      [rows, rows, 20],
    )
  })
})

async function listAll(name: 'units' | 'spaces'): Promise<{ id: string; name: string }[]> {
  const found: { id: string; name: string }[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = `limit=100${cursor && `&cursor=${cursor}`}`
    const page = expectStatus(await owner.get(`/api/v1/${name}?${query}`), 200)
    found.push(...page[name])
    cursor = page.next_cursor
  }
  return found
}

interface FileImportRecord {
  status: string
  planned_count: number
  counts: { action: string; total: number; done: number }[]
}

interface ImportRecord {
  status: string
  counts: { kind: string; done: number }[]
  bookings_imported: number
}
