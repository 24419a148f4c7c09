// When 500 replies each of PostgreSQL, payments and the PMS are lost, does every idempotency key have one effect?
import { sql } from '../server/src/db/sql.ts'
import { callerFor, type Reply } from '../server/test/caller.ts'
import { expectStatus } from '../server/test/expect.ts'
import { atProvider, pay } from '../server/test/payments.ts'
import { addBooking, addSpace, addTarget, addUnit } from '../server/test/records.ts'
import { until } from '../server/test/linked-units.ts'
import pMap from 'p-map'
import { startApi, withBenchWorld, reportVerdict, type BenchWorld } from './bench-world.ts'
import { startLossyPostgres } from './lossy-postgres.ts'

const count = 500
const concurrency = 10
const numbers = Array.from({ length: count }, (_, at) => at)
const internalToken = 'bench-token'
const createPath = 'POST /v1/payment_intents'
const day = (number: number) => new Date(Date.UTC(2030, 0, 1 + number)).toISOString().slice(0, 10)
const keyOf = (at: number) => ({ 'idempotency-key': `lost-${String(at).padStart(4, '0')}` })
const each = (work: (at: number) => Promise<unknown>, atOnce = concurrency) =>
  pMap(numbers, work, { concurrency: atOnce })

await withBenchWorld(async (bench) => {
  console.log(
    '| replies lost by | keys | lost | max per key | requests | effects | exact |\n|---|--:|--:|--:|--:|--:|---|',
  )
  const exact = [await byPostgres(bench), await byPayments(bench), await byPms(bench)]
  reportVerdict(exact.every(Boolean), 'one effect per key for all lost replies')
})

/** Repeats the request with the same key until its outcome is known. */
async function retryUntilAnswered(send: () => Promise<Reply>): Promise<{ reply: Reply; attempts: number }> {
  for (let attempts = 1; ; attempts++) {
    const reply = await send().catch(() => null)
    const isOpen = !reply || reply.status >= 500 || reply.body?.code === 'idempotency-in-progress'
    if (!isOpen) return { reply, attempts }
    if (attempts === 50) throw new Error(`No result after 50 attempts: ${reply?.text}`)
  }
}

interface Row {
  name: string
  lost: number[]
  requests: number
  effects: number
  exact: boolean
}

function printRow({ name, lost, requests, effects, exact }: Row): boolean {
  const passed = exact && effects === count && lost.filter((times) => times > 0).length === count
  const all = lost.reduce((sum, times) => sum + times, 0)
  console.log(
    `| ${[name, count, all, Math.max(...lost), requests, effects, passed ? 'yes' : 'NO'].join(' | ')} |`,
  )
  return passed
}

/** 500 bookings that fill 10 rooms for 50 nights: a second effect of a key would leave another booking without a room. */
async function byPostgres({ world, operator, query, pmsUrl }: BenchWorld) {
  await using lossy = await startLossyPostgres(world.config.database.url, /lost-\d{4}/, (key) =>
    Number(key.slice(5)) % 3 === 0 ? 2 : 1,
  )
  await using child = await startApi({ world, pmsUrl }, internalToken, lossy.url)
  const api = callerFor(child.facts.url!, operator.token, { 'x-internal-token': internalToken })
  const unit = await addUnit(operator, { quantity: 10 })
  const ids = new Set<string>()
  let requests = 0
  await each(async (at) => {
    const stay = { checkIn: day(at % 50), checkOut: day((at % 50) + 1), totalCents: 10_000 + at }
    const body = { unitId: unit.id, guestName: `Guest ${at}`, ...stay }
    const result = await retryUntilAnswered(() => api.post('/api/v1/bookings', body, keyOf(at)))
    ids.add(expectStatus(result.reply, 201).booking.id)
    requests += result.attempts
  })
  const [found] = await query(sql<{ bookings: number; cents: number; events: number; keys: number }>`select
      count(*)::int as bookings, sum(total_cents)::int as cents,
      (select count(*)::int from events where type = 'booking.created') as events,
      (select count(*)::int from idempotency_keys where key like 'lost-%') as keys
    from bookings where unit_id = ${unit.id} and status = 'confirmed'`)
  const { bookings, cents, events, keys } = found!
  const isExact =
    ids.size === count && events === count && keys === count && cents === count * 10_000 + sumOf(numbers)
  const lost = numbers.map((at) => lossy.lost.get(keyOf(at)['idempotency-key']) ?? 0)
  return printRow({ name: 'PostgreSQL, to COMMIT', lost, requests, effects: bookings, exact: isExact })
}

/**
 * 500 payments of different amounts whose first reply is lost; then all are paid. They are requested before the worker
 * starts, so that none has waited long when the last reply is lost.
 */
async function byPayments({ world, operator, startWorker }: BenchWorld) {
  const unit = await addUnit(operator, { quantity: count })
  await atProvider(world, 'PUT', 'faults', { mode: 'lose_reply', property: createPath })
  const bookings: string[] = []
  await each(async (at) => {
    bookings[at] = (await addBooking(operator, { unitId: unit.id, totalCents: 10_000 + at })).id
  })
  const ids: string[] = []
  let requests = 0
  await each(async (at) => {
    const body = { booking_id: bookings[at], amount: 10_000 + at, currency: 'eur' }
    const result = await retryUntilAnswered(() => operator.post('/api/v1/payment-intents', body, keyOf(at)))
    ids[at] = expectStatus(result.reply, 201).payment_intent.id
    requests += result.attempts
  }, 25)
  const worker = await startWorker({
    queues: ['payments'],
    env: { PAYMENTS_URL: world.payments.url, PAYMENTS_API_KEY: 'sk_test_world' },
  })
  const lostReplies = await until(
    () => lostCreations(world),
    (lost) => lost.size === count,
    600,
  )
  await atProvider(world, 'DELETE', 'faults')
  const lost = [...lostReplies.values()]
  const intentOf = async (at: number) =>
    expectStatus(await operator.get(`/api/v1/payment-intents/${ids[at]}`), 200).payment_intent
  await each(async (at) => {
    await pay(
      world,
      await until(
        () => intentOf(at),
        ({ client_secret }) => client_secret !== null,
        600,
      ),
    )
    await until(
      () => intentOf(at),
      ({ status }) => status === 'succeeded',
      600,
    )
  })
  const { payment_intents } = await atProvider(world, 'GET', 'ledger')
  const providerPayments = payment_intents as { metadata: Record<string, string>; amount_received: number }[]
  const receivedAt = new Map(
    providerPayments.map((one) => [one.metadata['payment_intent_id'], one.amount_received]),
  )
  const intents = await Promise.all(numbers.map(intentOf))
  const isExact =
    intents.every(
      ({ id, amount_received: received }, at) => received === 10_000 + at && receivedAt.get(id) === received,
    ) && sumOf(providerPayments.map((one) => one.amount_received)) === count * 10_000 + sumOf(numbers)
  await worker.kill('SIGTERM')
  return printRow({
    name: 'payments, to a new payment',
    lost,
    requests,
    effects: providerPayments.length,
    exact: isExact,
  })
}

/** Counts the lost replies of each key that creates a payment. */
async function lostCreations(world: BenchWorld['world']): Promise<Map<string, number>> {
  const { calls } = await atProvider(world, 'GET', 'calls')
  return countLost(calls, ({ property }) => property === createPath)
}

interface Call {
  property: string
  external_id: string | null
  method: string
  idempotency_key: string | null
  fault: string | null
}

function countLost(calls: Call[], isCounted: (call: Call) => boolean): Map<string, number> {
  const lost = new Map<string, number>()
  for (const call of calls.filter((one) => one.fault === 'lose_reply' && isCounted(one)))
    lost.set(call.idempotency_key!, (lost.get(call.idempotency_key!) ?? 0) + 1)
  return lost
}

/** Creates 500 units at the PMS, each at its own property, whose first two replies are lost. */
async function byPms(bench: BenchWorld) {
  const { operator, pmsUrl } = bench
  const worker = await bench.startWorker()
  const space = await addSpace(operator)
  const targets: string[] = []
  await each(async (at) => (targets[at] = (await addTarget(operator, { name: `Target ${at}` })).id))
  await bench.settled()
  const at = async (path: string, body?: object) => {
    const init = body && {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    return (await (await fetch(`${pmsUrl}/${path}`, init)).json()) as never
  }
  for (const property of targets) await at('_control/faults', { mode: 'lose_reply', property, times: 2 })
  let requests = 0
  await each(async (n) => {
    const fields = { space_id: space.id, name: `Room ${n}`, base_price_cents: 10_000 + n }
    const { id } = await addUnit(operator, fields)
    const body = { unit_id: id, channel_target_id: targets[n], create: true }
    // Two concurrent requests, as of a client with a short timeout.
    const replies = await Promise.all(
      [1, 2].map(() => retryUntilAnswered(() => operator.post('/api/v1/channel-listings', body, keyOf(n)))),
    )
    for (const { reply, attempts } of replies) {
      expectStatus(reply, 201)
      requests += attempts
    }
  })
  await bench.settled(600)
  const { calls } = (await at('_control/calls')) as { calls: Call[] }
  const lost = numbers.map(
    (n) =>
      calls.filter(
        (call) => call.property === targets[n] && call.fault === 'lose_reply' && call.method !== 'GET',
      ).length,
  )
  let effects = 0
  let right = 0
  for (const [n, target] of targets.entries()) {
    const { units } = (await at(`properties/${target}/units`)) as {
      units: { external_id: string; name: string; base_price_cents: number; revision: number }[]
    }
    effects += sumOf(units.map(({ revision }) => revision))
    const [unit] = units
    if (unit?.name === `Room ${n}` && unit.base_price_cents === 10_000 + n) right++
  }
  const [row] = await bench.query(
    sql<{
      live: number
    }>`select count(*)::int as live from channel_listings where external_id is not null`,
  )
  await worker.kill('SIGTERM')
  const exact = right === count && row!.live === count
  return printRow({ name: 'the PMS, to a new unit', lost, requests, effects, exact })
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
