import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../server/src/db/sql.ts'
import type { TestCaller } from '../server/test/caller.ts'
import type { Cluster } from './cluster.ts'
import type { Finding } from './ledger.ts'
import type { Load } from './load.ts'
import type { TwoCells } from './two-cells.ts'

/** Reads the feed of events as a client does, which repeats what is refused, and goes on with its cursor. */
export function followFeed(client: TestCaller) {
  const ids: string[] = []
  let isStopping = false
  const reading = (async () => {
    for (let after = ''; ;) {
      // Before the request: what has happened by then is in its response.
      const isLast = isStopping
      const outcome = await client.attempt({ method: 'GET', path: `/api/v1/events?limit=100${after}` })
      if (outcome.kind !== 'answered' || outcome.status !== 200) {
        if (outcome.kind === 'answered' && outcome.status < 421) throw new Error(outcome.text)
        await sleep(100)
        continue
      }
      ids.push(...(outcome.body.events as { id: string }[]).map(({ id }) => id))
      after = `&after=${outcome.body.next_cursor}`
      if (isLast && outcome.body.events.length === 0) return
      await sleep(50)
    }
  })()
  return {
    /** Reads to the end; resolves with the ids of the events in the order in which they came. */
    async stop(): Promise<string[]> {
      isStopping = true
      await reading
      return ids
    },
  }
}

/** Whether the cell has stored a notice of a payment since then. */
export async function hasNotice({ query }: Cluster, since: Date): Promise<boolean> {
  return (await query(sql`select 1 from payment_notices where received_at > ${since} limit 1`)).length > 0
}

/** Compares what a reader has got with the events that are stored. */
export async function checkFeed(cluster: Cluster, read: readonly string[]): Promise<Finding> {
  const stored = await cluster.query(
    sql<{ id: string }>`
      select id
      from events
      where only_for is null and type <> 'member.identity_conflict'
      order by transaction_id, position`,
  )
  const missed = stored.filter(({ id }) => !read.includes(id)).length
  const doubled = read.length - new Set(read).size
  const isInOrder = stored.map(({ id }) => id).join() === read.join()
  return {
    name: 'a reader of the feed misses no event, gets none twice, and all in their order',
    passed: isInOrder,
    details: `${read.length} events, ${missed} missed, ${doubled} doubled`,
  }
}

/** The pushes of each target come from one cell, then from the other: never from both at a time. */
export function checkPushes({ pushes }: TwoCells, targets: readonly string[], moves: number): Finding {
  const wrong = targets.filter((target) => {
    const cells = pushes.filter(({ property }) => property === target).map(({ cell }) => cell)
    return cells.filter((cell, at) => at > 0 && cell !== cells[at - 1]).length > moves
  })
  const bySecond = pushes.filter(({ cell, property }) => cell === 'second' && targets.includes(property))
  return {
    name: 'no push is sent by two cells',
    passed: wrong.length === 0 && bySecond.length > 0,
    details: `${pushes.length} pushes, ${bySecond.length} of them by the second cell; wrong: ${wrong.join()}`,
  }
}

/** Reads a price at each cell and through the router, all the time. */
export async function probeAnswers(cells: TwoCells, { ledger }: Load, unitId: string) {
  const { organization } = cells.main
  const clients = [
    await cells.clientOf(organization),
    await cells.clientOf(organization, 'main'),
    await cells.clientOf(organization, 'second'),
  ]
  const stale: string[] = []
  let answers = 0
  let isStopping = false
  const probing = (async () => {
    while (!isStopping)
      for (const client of clients) {
        const acknowledged = ledger.prices.get(unitId) ?? 0
        const outcome = await client.attempt({ method: 'GET', path: `/api/v1/units/${unitId}` })
        if (outcome.kind !== 'answered' || outcome.status !== 200) continue
        answers++
        const price = outcome.body.unit.base_price_cents as number
        if (price < acknowledged) stale.push(`${client.url}: ${price} instead of ${acknowledged}`)
        await sleep(5)
      }
  })()
  return async (): Promise<Finding> => {
    isStopping = true
    await probing
    return {
      name: 'no cell answers with what is out of date',
      passed: stale.length === 0,
      details: `${answers} answers; ${stale.slice(0, 3).join('; ')}`,
    }
  }
}

/** The median of a request to the cell itself, and of the same one through HAProxy, in turns. */
export async function measureRouting(direct: TestCaller, routed: TestCaller): Promise<string> {
  const times: [number[], number[]] = [[], []]
  for (let n = 0; n < 300; n++)
    for (const [at, client] of [direct, routed].entries())
      times[at]!.push((await client.attempt({ method: 'GET', path: '/api/v1/units?limit=1' })).ms)
  const [alone, through] = times.map((list) => list.sort((a, b) => a - b)[150]!.toFixed(2))
  return `p50 ${alone} ms, through HAProxy ${through} ms`
}
