// How much memory does a worker take for a full sync of a thousand units?
import { readFileSync, writeFileSync } from 'node:fs'
import { openChannex, openChannexProperty } from './channex.ts'
import { abreast, stock } from './client.ts'
import { inHouse, stop, verdict, type House } from './house.ts'

const units = 1_000
const nights = 500
const limitMb = 300
const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** One property with so many units; gives the target and its units. */
type Property = { targetId: string; unitIds: string[]; goLive(): Promise<unknown> }

await inHouse(async (house) => {
  await using channex = await openChannex(house)
  const properties: Record<string, () => Promise<Property>> = {
    sandbox: () => sandboxProperty(house),
    channex: async () => {
      const property = await openChannexProperty(channex, { rooms: units })
      const { targetId, rooms, goLive } = property
      return { targetId, unitIds: rooms.map(({ unitId }) => unitId), goLive }
    },
  }
  console.log(`${units} units, ${nights} nights, each at another price than its neighbours\n`)
  console.log('| provider | full sync | seconds | rests at MB | peak MB |\n|---|---|--:|--:|--:|')
  const peaks: number[] = []
  for (const [provider, open] of Object.entries(properties)) {
    const property = await open()
    await decideAll(house, property.unitIds)
    for (const [occasion, ask] of [
      ['when it goes live', property.goLive],
      [
        'sent again',
        () => house.client.post('/api/v1/sync/replays', { channel_target_id: property.targetId }),
      ],
    ] as const) {
      const worker = await house.startWorker()
      const restsMb = memoryMb(worker.pid!, 'VmRSS')
      forgetPeak(worker.pid!)
      const startedAt = performance.now()
      await ask()
      await house.settled(600)
      const seconds = (performance.now() - startedAt) / 1_000
      const peakMb = memoryMb(worker.pid!, 'VmHWM')
      await stop(worker)
      peaks.push(peakMb)
      const cells = [provider, occasion, seconds.toFixed(1), restsMb.toFixed(0), peakMb.toFixed(0)]
      console.log(`| ${cells.join(' | ')} |`)
    }
  }
  const most = Math.max(...peaks)
  verdict(most < limitMb, `under ${limitMb} MB in the worker: ${most.toFixed(0)} MB`)
})

async function sandboxProperty({ client, operator }: House): Promise<Property> {
  const listings = await stock(client, { targets: 1, listingsEach: units, config: {}, status: 'inactive' })
  const path = `/api/v1/channel-targets/${listings[0]!.targetId}`
  return {
    targetId: listings[0]!.targetId,
    unitIds: listings.map(({ unitId }) => unitId),
    async goLive() {
      const { channel_type, name, config } = (await client.get(path)).channel_target
      const { status, text } = await operator.put(path, { channel_type, name, config, status: 'active' })
      if (status !== 200) throw new Error(text)
    },
  }
}

/** A price of its own for each weekday, so that no night is like the next and nothing can be joined. */
async function decideAll({ client }: House, unitIds: readonly string[]): Promise<void> {
  const each = 100
  const changes = Array.from({ length: Math.ceil(unitIds.length / each) }, (_, at) => () => {
    const values = unitIds.slice(at * each, (at + 1) * each).flatMap((unit_id, unit) =>
      weekdays.map((weekday, n) => ({
        ...{ unit_id, date_from: day(0), date_to: day(nights), weekdays: [weekday] },
        price_cents: 10_000 + 100 * unit + n,
      })),
    )
    return client.post('/api/v1/calendar', { values })
  })
  await abreast(2, changes)
}

/** From /proc, as the kernel counts it. */
function memoryMb(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(
    readFileSync(`/proc/${pid}/status`, 'utf8'),
  )!
  return Number(kilobytes) / 1_024
}

function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
