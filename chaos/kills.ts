import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkLedger } from './check-ledger.ts'
import type { Door } from './door.ts'
import type { House } from './house.ts'
import type { Finding } from './ledger.ts'
import type { Load } from './load.ts'
import { cpuMsOf, type Part } from './part.ts'
import { settle } from './settle.ts'
import type { Listed } from './stock.ts'

/** How long until a part that was killed served again, and what befell others meanwhile. */
export interface Blows {
  /** From the start of the new process until it answered a request that needs the database. */
  readyMs: number[]
  /** What the processor spent on that, where it is one process: a figure that a busy machine does not stretch as much. */
  cpuMs?: number[]
}

/** One API process after the other is killed while both are asked. */
export async function killApis(house: House, loops: number): Promise<Blows> {
  const readyMs: number[] = []
  const cpuMs: number[] = []
  for (let n = 0; n < loops; n++) {
    await sleep(moment())
    const at = n % house.apis.length
    await house.apis[at]!.kill('SIGKILL')
    const startedAt = performance.now()
    await house.apis[at]!.start()
    await answers(house.doors[at]!)
    readyMs.push(performance.now() - startedAt)
    cpuMs.push(cpuMsOf(house.apis[at]!.pid()))
  }
  return { readyMs, cpuMs }
}

/** All of PostgreSQL at once; it is back when every API process has answered again, and no process of ours is gone. */
export async function killPostgres(house: House, loops: number): Promise<Blows> {
  const readyMs: number[] = []
  for (let n = 0; n < loops; n++) {
    await sleep(moment())
    await house.postgres.kill('SIGKILL')
    // Long enough for clients to meet a machine on which nobody listens.
    await sleep(200 * Math.random())
    const startedAt = performance.now()
    await house.postgres.start()
    await Promise.all(house.doors.map(answers))
    readyMs.push(performance.now() - startedAt)
    refuseDeath([...house.apis, ...house.workers])
  }
  return { readyMs }
}

/** Redis only counts: nobody should notice. */
export async function killRedis(house: House, redis: Part, loops: number): Promise<Blows> {
  const readyMs: number[] = []
  for (let n = 0; n < loops; n++) {
    await sleep(moment())
    await redis.kill('SIGKILL')
    await sleep(1_000 * Math.random())
    const startedAt = performance.now()
    await redis.start()
    await Promise.all(house.doors.map(answers))
    readyMs.push(performance.now() - startedAt)
    refuseDeath([...house.apis, ...house.workers])
  }
  return { readyMs }
}

/**
 * The push of one change is killed twice in the middle, with all workers, and ends well at the third attempt. Nobody else
 * changes the unit.
 */
export async function killWorkers(
  house: House,
  unit: Listed,
  loops: number,
): Promise<Blows & { pushMs: number[] }> {
  const readyMs: number[] = []
  const pushMs: number[] = []
  for (let n = 0; n < loops; n++) {
    const cents = 50_000 + n
    await pushed(house, unit)
    await control(house, 'PUT', 'faults', {
      property: unit.targetId,
      external_id: unit.externalId,
      mode: 'hang',
    })
    const seen = await hanging(house, unit)
    const body = { base_price_cents: cents }
    await house.doors[0]!.ask({ method: 'PATCH', path: `/api/v1/units/${unit.unitId}`, body })
    for (const times of [1, 2]) {
      await until('the push hangs', async () => (await hanging(house, unit)) >= seen + times)
      await Promise.all(house.workers.map((worker) => worker.kill('SIGKILL')))
      if (times === 2) await control(house, 'DELETE', 'faults')
      readyMs.push(...(await Promise.all(house.workers.map((worker) => worker.start()))))
    }
    const startedAt = performance.now()
    await pushed(house, unit)
    pushMs.push(performance.now() - startedAt)
    const shown = await fetch(`${house.outside.pmsUrl}/properties/${unit.targetId}/units/${unit.externalId}`)
    const { unit: there } = (await shown.json()) as { unit: { base_price_cents: number } }
    if (there.base_price_cents !== cents)
      throw new Error(`After two kills the PMS shows ${there.base_price_cents}, not ${cents}.`)
  }
  return { readyMs, pushMs }
}

/** Ends the load, waits until all is done, and looks whether everything is as it was promised. */
export async function reckon(house: House, load: Load, seconds = 180): Promise<Finding[]> {
  await load.stop()
  const { left } = await settle(house, load.ledger, seconds)
  const findings = await checkLedger(house, load.ledger)
  return left.length === 0
    ? findings
    : [...findings, { name: 'all work comes to its end', holds: false, found: left.join(', ') }]
}

/** Any moment of what goes on. */
const moment = () => 300 + 900 * Math.random()

async function answers(door: Door): Promise<void> {
  await until('an answer', async () => {
    const outcome = await door.ask({ method: 'GET', path: '/api/v1/units?limit=1' })
    return outcome.kind === 'answered' && outcome.status === 200
  })
}

function refuseDeath(parts: readonly Part[]): void {
  for (const part of parts)
    if (!part.isRunning()) throw new Error(`The ${part.name} did not survive: ${part.said()}`)
}

async function pushed(house: House, { listingId }: Listed): Promise<void> {
  await until('the listing is in sync', async () => {
    const [row] = await house.query(
      sql<{ done: boolean }>`select status = 'completed' and wanted_version = synced_version as done
        from listing_syncs where channel_listing_id = ${listingId}`,
    )
    return row?.done ?? false
  })
}

/** How many calls for the unit the PMS has left without an answer. */
async function hanging(house: House, { targetId, externalId }: Listed): Promise<number> {
  const { calls } = (await control(house, 'GET', 'calls')) as {
    calls: {
      method: string
      property: string
      external_id: string
      status: number | null
      fault: string | null
    }[]
  }
  return calls.filter(
    (call) => call.property === targetId && call.external_id === externalId && call.fault === 'hang',
  ).length
}

async function control(house: House, method: string, door: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${house.outside.pmsUrl}/_control/${door}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${door}: ${text}`)
  return text ? JSON.parse(text) : null
}

export async function until(what: string, holds: () => Promise<boolean>, seconds = 90): Promise<void> {
  const endsAt = performance.now() + seconds * 1_000
  while (!(await holds())) {
    if (performance.now() > endsAt) throw new Error(`After ${seconds} s there is still not this: ${what}.`)
    await sleep(20)
  }
}
