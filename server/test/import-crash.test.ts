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

    const workUntil = async (isReached: (found: ImportRecord) => boolean) => {
      await using worker = await startWorkerProcess(world, secretKeys, 'upkeep')
      const reached = await until(read, isReached, 60)
      await worker.kill('SIGKILL')
      await expireHeartbeats(world)
      return reached
    }
    await workUntil(({ status }) => status === 'planned')
    expectStatus(await owner.post(`${path}/run`), 200)
    for (const done of [2, 5]) {
      const killed = await workUntil((found) => unitsDone(found) >= done)
      assert.equal(killed.status, 'running')
    }
    const completed = await workUntil(({ status }) => status === 'completed')
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
})

interface ImportRecord {
  status: string
  counts: { kind: string; done: number }[]
  bookings_imported: number
}
