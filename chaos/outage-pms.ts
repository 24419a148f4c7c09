// Do other targets notice when the PMS of one is silent or slow, and is all right when it is back?
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { startFaultProxy, type Fault } from '../server/test/fault-proxy.ts'
import type { Asked, Body } from './door.ts'
import { openHouse, type House } from './house.ts'
import { reckon } from './kills.ts'
import { startLoad } from './load.ts'
import { scenario, tellTally } from './scenario.ts'
import { fillHouse } from './stock.ts'

const timeoutMs = 2_000
const mostRatio = 2
const faults: Fault[] = [
  { mode: 'blackhole' },
  { mode: 'trickle', bytesPerSecond: 40 },
  { mode: 'reset' },
  { mode: 'drop_reply' },
]

await scenario(import.meta, { loops: 30, short: 8 }, async (scene) => {
  await using house = await openHouse({ env: { PMS_TIMEOUT_MS: String(timeoutMs) } })
  const way = house.parts.use(await startFaultProxy(house.outside.pmsUrl))
  const stock = await fillHouse(house)
  const disturbed = [...stock.scarce, ...stock.wide]
  for (const { targetId } of disturbed) await lead(house, targetId, way.url)
  const healthy = stock.priced.map(({ listingId }) => listingId)
  for (const fault of faults) {
    const load = startLoad(house, stock, { name: fault.mode })
    const quietFrom = new Date()
    await sleep(scene.loops * 1_000)
    const from = new Date()
    await way.set(fault)
    await sleep(scene.loops * 1_000)
    const until = new Date()
    await way.set({ mode: 'pass' })
    const usual = await waitsOf(house, healthy, quietFrom, from)
    const meanwhile = await waitsOf(house, healthy, from, until)
    scene.verdict(
      `${fault.mode}: pushes of other targets go on`,
      meanwhile.pushes > 0 && meanwhile.medianMs <= mostRatio * Math.max(usual.medianMs, 50),
      `${meanwhile.pushes} with a median of ${meanwhile.medianMs} ms, ${usual.pushes} with ${usual.medianMs} ms before`,
    )
    scene.verdicts(
      (await reckon(house, load)).map((finding) => ({ ...finding, name: `${fault.mode}: ${finding.name}` })),
    )
    scene.figure(`${fault.mode}: requests`, tellTally(load))
  }
  const [row] = await house.query(
    sql<{
      longest: number
    }>`select coalesce(max(extract(epoch from finished_at - started_at)) * 1000, 0)::int as longest
      from sync_audit where finished_at is not null`,
  )
  scene.figure('longest attempt, ms', row!.longest)
})

/** Sends the pushes of a target by another way. */
async function lead(house: House, targetId: string, url: string): Promise<void> {
  const path = `/api/v1/channel-targets/${targetId}`
  const { channel_type, name } = (await answered(house, { method: 'GET', path })).channel_target
  const body = { channel_type, name, config: { debounce_ms: 100, base_url: url } }
  await answered(house, { method: 'PUT', path, body })
}

async function answered({ doors }: House, asked: Asked): Promise<Body> {
  const outcome = await doors[0]!.ask(asked)
  if (outcome.kind === 'answered' && outcome.status === 200) return outcome.body
  throw new Error(JSON.stringify(outcome))
}

/** How long the pushes of these listings took that ended in that time. */
async function waitsOf({ query }: House, listings: readonly string[], from: Date, to: Date) {
  const [row] = await query(sql<{ pushes: number; medianMs: number }>`
    select count(*)::int as pushes,
      coalesce(percentile_cont(0.5) within group (order by extract(epoch from finished_at - started_at) * 1000), 0)::int
        as "medianMs"
    from sync_audit
    where channel_listing_id = any(${[...listings]}::uuid[])
      and finished_at between ${from.toISOString()} and ${to.toISOString()}`)
  return row!
}
