// How much memory does a worker use for a full sync of a thousand units?
import { readFileSync, writeFileSync } from 'node:fs'
import { openChannex, openChannexProperty } from './channex.ts'
import pMap from 'p-map'
import { addListings } from './listings.ts'
import { expectStatus } from '../server/test/expect.ts'
import { withBenchWorld, reportVerdict, type BenchWorld } from './bench-world.ts'

const units = 1_000
const nights = 500
const limitMb = 300
const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** A property that is not live yet. */
type Property = { targetId: string; unitIds: string[]; goLive(): Promise<unknown> }

await withBenchWorld(async (bench) => {
  await using channex = await openChannex(bench)
  const properties: Record<string, () => Promise<Property>> = {
    generic: () => genericProperty(bench),
    channex: async () => {
      const property = await openChannexProperty(channex, { rooms: units })
      const { targetId, rooms, goLive } = property
      return { targetId, unitIds: rooms.map(({ unitId }) => unitId), goLive }
    },
  }
  console.log(`${units} units, ${nights} nights, each with another price than the adjacent ones\n`)
  console.log('| provider | full sync | seconds | idle MB | peak MB |\n|---|---|--:|--:|--:|')
  const peaks: number[] = []
  for (const [provider, open] of Object.entries(properties)) {
    const property = await open()
    await setPrices(bench, property.unitIds)
    for (const [name, start] of [
      ['initial sync', property.goLive],
      ['replay', () => replay(bench, property.targetId)],
    ] as const) {
      const worker = await bench.startWorker()
      const idleMb = memoryMb(worker.pid, 'VmRSS')
      resetPeak(worker.pid)
      const startedAt = performance.now()
      await start()
      await bench.settled(600)
      const seconds = (performance.now() - startedAt) / 1_000
      const peakMb = memoryMb(worker.pid, 'VmHWM')
      await worker.kill('SIGTERM')
      peaks.push(peakMb)
      const cells = [provider, name, seconds.toFixed(1), idleMb.toFixed(0), peakMb.toFixed(0)]
      console.log(`| ${cells.join(' | ')} |`)
    }
  }
  const peakMbOfAll = Math.max(...peaks)
  reportVerdict(peakMbOfAll < limitMb, `under ${limitMb} MB in the worker: ${peakMbOfAll.toFixed(0)} MB`)
})

async function replay({ operator }: BenchWorld, channel_target_id: string) {
  return expectStatus(await operator.post('/api/v1/sync/replays', { channel_target_id }), 201)
}

async function genericProperty({ operator }: BenchWorld): Promise<Property> {
  const listings = await addListings(operator, {
    targets: 1,
    listingsEach: units,
    config: {},
    status: 'inactive',
  })
  const path = `/api/v1/channel-targets/${listings[0]!.targetId}`
  return {
    targetId: listings[0]!.targetId,
    unitIds: listings.map(({ unitId }) => unitId),
    async goLive() {
      const { channel_type, name, config } = expectStatus(await operator.get(path), 200).channel_target
      expectStatus(await operator.put(path, { channel_type, name, config, status: 'active' }), 200)
    },
  }
}

/** Sets a different price for each weekday, so that adjacent nights cannot be merged into ranges. */
async function setPrices({ operator }: BenchWorld, unitIds: readonly string[]): Promise<void> {
  const batchSize = 100
  const changeBatch = async (at: number) => {
    const values = unitIds.slice(at * batchSize, (at + 1) * batchSize).flatMap((unit_id, unit) =>
      weekdays.map((weekday, n) => ({
        ...{ unit_id, date_from: day(0), date_to: day(nights), weekdays: [weekday] },
        price_cents: 10_000 + 100 * unit + n,
      })),
    )
    expectStatus(await operator.post('/api/v1/calendar', { values }), 201)
  }
  await pMap(Array(Math.ceil(unitIds.length / batchSize)).keys(), changeBatch, { concurrency: 2 })
}

/** The memory of a process from /proc. */
function memoryMb(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
  )!
  return Number(kilobytes) / 1_024
}

function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
