// How many pushes a second does one worker deliver to an instant PMS, against a bare loop of the same calls?
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Agent } from 'undici'
import { abreast, stock, type Stocked } from './client.ts'
import { inHouse, quantile, verdict, type House } from './house.ts'

const targets = 20
const listingsEach = 100
const rounds = 3
/** The engine lets so many connections to one PMS be open; a target of the sandbox has four calls under way. */
const engineAbreast = Math.min(64, targets * 4)

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

await inHouse(async (house) => {
  const listings = await stock(house.client, { targets, listingsEach, config: { debounce_ms: 0 } })
  const worker = await house.startWorker()
  await house.settled(300)
  await house.settleIn()
  console.log(`${listings.length} listings of ${targets} targets; ${rounds} rounds of each kind\n`)
  console.log(
    '| each listing has | pushes/s | calls | calls/s | bare, one at a time | ratio | bare, abreast | ratio |',
  )
  console.log('|---|--:|--:|--:|--:|--:|--:|--:|')
  const kinds: Record<string, (listing: Stocked, at: number) => Promise<unknown>> = {
    'a change of content, a call each': ({ unitId }, at) =>
      house.client.patch(`/api/v1/units/${unitId}`, { bedrooms: 1 + (at % 9) }),
    'a change of nights, 50 in a call': ({ unitId }, at) =>
      house.client.post('/api/v1/calendar', {
        values: [{ unit_id: unitId, date_from: day(10), date_to: day(12), price_cents: 20_000 + at }],
      }),
  }
  const ratios: number[] = []
  for (const [name, change] of Object.entries(kinds)) {
    const found: Round[] = []
    for (let at = 1; at <= rounds; at++)
      found.push(await round(house, worker.pid!, listings, (listing) => change(listing, at)))
    const pick = (of: (round: Round) => number) => quantile(found.map(of), 0.5)
    const single = pick(({ callsPerSecond, single }) => callsPerSecond / single)
    const many = pick(({ callsPerSecond, many }) => callsPerSecond / many)
    ratios.push(single)
    const cells = [
      pick(({ pushesPerSecond }) => pushesPerSecond).toFixed(0),
      pick(({ calls }) => calls).toFixed(0),
      pick(({ callsPerSecond }) => callsPerSecond).toFixed(0),
      pick(({ single }) => single).toFixed(0),
      single.toFixed(2),
      pick(({ many }) => many).toFixed(0),
      many.toFixed(2),
    ]
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
  verdict(ratios[0]! >= 0.7, `at least 70 % of a bare loop: ${(ratios[0]! * 100).toFixed(0)} %`)
})

interface Round {
  calls: number
  pushesPerSecond: number
  callsPerSecond: number
  /** Calls per second of the bare loop. */
  single: number
  many: number
}

/** The worker stands still while every listing changes, and is timed from the moment it may go on. */
async function round(
  house: House,
  workerPid: number,
  listings: readonly Stocked[],
  change: (listing: Stocked) => Promise<unknown>,
): Promise<Round> {
  await fetch(`${house.pmsUrl}/_control/calls`, { method: 'DELETE' })
  process.kill(workerPid, 'SIGSTOP')
  await abreast(
    8,
    listings.map((listing) => () => change(listing)),
  )
  await sleep(500)
  const startedAt = Date.now()
  process.kill(workerPid, 'SIGCONT')
  await house.settled(300)
  const [row] = await house.query(
    sql<{
      last: string
    }>`select max(finished_at) as last from sync_audit where finished_at is not null`,
  )
  const seconds = (Date.parse(row!.last) - startedAt) / 1_000
  const calls = await recorded(house)
  const single = await bare(house, calls, 1)
  const many = await bare(house, calls, engineAbreast)
  return {
    calls: calls.length,
    pushesPerSecond: listings.length / seconds,
    callsPerSecond: calls.length / seconds,
    single,
    many,
  }
}

interface Recorded {
  method: string
  path: string
  body: unknown
  idempotency_key: string
  traceparent: string
}

async function recorded({ pmsUrl }: House): Promise<Recorded[]> {
  const answer = await fetch(`${pmsUrl}/_control/calls`)
  return ((await answer.json()) as { calls: Recorded[] }).calls
}

/** The same calls again, prepared beforehand, with connections that stay open; calls per second. */
async function bare({ pmsUrl }: House, calls: readonly Recorded[], lanes: number): Promise<number> {
  const agent = new Agent({ connections: lanes, pipelining: 1 })
  const mark = randomUUID()
  const requests = calls.map(({ method, path, body, idempotency_key, traceparent }) => ({
    ...{ origin: pmsUrl, path, method: method, body: JSON.stringify(body) },
    headers: {
      'content-type': 'application/json',
      'idempotency-key': `${idempotency_key}-${mark}`,
      traceparent,
    },
  }))
  const one = async (request: (typeof requests)[number]) => {
    const { statusCode, body } = await agent.request(request)
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`)
  }
  const startedAt = performance.now()
  await abreast(
    lanes,
    requests.map((request) => () => one(request)),
  )
  const seconds = (performance.now() - startedAt) / 1_000
  await agent.close()
  return calls.length / seconds
}
