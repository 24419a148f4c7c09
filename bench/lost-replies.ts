// When answers of PostgreSQL, payments and the PMS are lost, 500 each: has every key one effect?
import { fork } from 'node:child_process'
import { sql } from 'kysely'
import { callerFor, type Reply } from '../server/test/caller.ts'
import { expectStatus } from '../server/test/expect.ts'
import { atProvider, pay } from '../server/test/payments.ts'
import { addBooking, addSpace, addTarget, addUnit } from '../server/test/records.ts'
import { until } from '../server/test/stock.ts'
import { abreast, uncounted } from './client.ts'
import { inHouse, quiet, ready, stop, verdict, type House } from './house.ts'
import { startLossyPostgres } from './lossy-postgres.ts'

const count = 500
const lanes = 10
const numbers = Array.from({ length: count }, (_, at) => at)
const internalToken = 'bench-token'
const opening = 'POST /v1/payment_intents'
const day = (number: number) => new Date(Date.UTC(2030, 0, 1 + number)).toISOString().slice(0, 10)
const keyOf = (at: number) => ({ 'idempotency-key': `lost-${String(at).padStart(4, '0')}` })
const each = (work: (at: number) => Promise<unknown>, atOnce = lanes) =>
  abreast(
    atOnce,
    numbers.map((at) => () => work(at)),
  )

await inHouse(async (house) => {
  console.log(
    '| replies lost by | keys | lost | most for a key | asked | effects | exact |\n|---|--:|--:|--:|--:|--:|---|',
  )
  const exact = [await byPostgres(house), await byPayments(house), await byPms(house)]
  verdict(exact.every(Boolean), 'one effect per key, whoever loses the replies')
})

/** The same request with the same key, until an answer says how it ended. */
async function insist(send: () => Promise<Reply>): Promise<{ reply: Reply; asked: number }> {
  for (let asked = 1; ; asked++) {
    const reply = await send().catch(() => null)
    const isOpen = !reply || reply.status >= 500 || reply.body?.code === 'idempotency-in-progress'
    if (!isOpen) return { reply, asked }
    if (asked === 50) throw new Error(`Asked 50 times: ${reply?.text}`)
  }
}

interface Row {
  name: string
  lost: number[]
  asked: number
  effects: number
  exact: boolean
}

function told({ name, lost, asked, effects, exact }: Row): boolean {
  const holds = exact && effects === count && lost.filter((times) => times > 0).length === count
  const all = lost.reduce((sum, times) => sum + times, 0)
  console.log(
    `| ${[name, count, all, Math.max(...lost), asked, effects, holds ? 'yes' : 'NO'].join(' | ')} |`,
  )
  return holds
}

/** 500 bookings that fill 10 rooms for 50 nights: an effect too many would leave another without room. */
async function byPostgres({ world, operator, query, pmsUrl }: House) {
  const { config } = world
  await using lossy = await startLossyPostgres(config.database.url, /lost-\d{4}/, (key) =>
    Number(key.slice(5)) % 3 === 0 ? 2 : 1,
  )
  const env = {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: lossy.url,
    DATABASE_POOL_SIZE: '10',
    OIDC_ISSUER: config.identity.issuer,
    OIDC_AUDIENCE: config.identity.audience,
    SECRET_KEYS: `bench:${Buffer.alloc(32, 1).toString('base64')}`,
    PMS_SANDBOX_URL: pmsUrl,
    INTERNAL_SERVICE_TOKEN: internalToken,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    LOG_LEVEL: 'silent',
  }
  const { child, facts } = await ready(fork(new URL('../server/bin/api.ts', import.meta.url), [], quiet(env)))
  try {
    const door = uncounted(callerFor(String(facts['url']), operator.token), internalToken)
    const unit = await addUnit(operator, { quantity: 10 })
    const ids = new Set<string>()
    let asked = 0
    await each(async (at) => {
      const stay = { checkIn: day(at % 50), checkOut: day((at % 50) + 1), totalCents: 10_000 + at }
      const body = { unitId: unit.id, guestName: `Guest ${at}`, ...stay }
      const seen = await insist(() => door.post('/api/v1/bookings', body, keyOf(at)))
      ids.add(expectStatus(seen.reply, 201).booking.id)
      asked += seen.asked
    })
    const [found] = await query(sql<{ bookings: number; cents: number; told: number; noted: number }>`select
        count(*)::int as bookings, sum(total_cents)::int as cents,
        (select count(*)::int from events where type = 'booking.created') as told,
        (select count(*)::int from idempotency_keys where key like 'lost-%') as noted
      from bookings where unit_id = ${unit.id} and status = 'confirmed'`)
    const { bookings, cents, told: events, noted } = found!
    const isExact =
      ids.size === count && events === count && noted === count && cents === count * 10_000 + sumOf(numbers)
    const lost = numbers.map((at) => lossy.lost.get(keyOf(at)['idempotency-key']) ?? 0)
    return told({ name: 'PostgreSQL, to COMMIT', lost, asked, effects: bookings, exact: isExact })
  } finally {
    await stop(child)
  }
}

/**
 * 500 payments, each of another amount, whose opening is not heard of at first; then all are paid. They are asked for
 * before the worker starts, so that none has waited long when the last reply is lost.
 */
async function byPayments({ world, operator, startWorker }: House) {
  const unit = await addUnit(operator, { quantity: count })
  await atProvider(world, 'PUT', 'faults', { mode: 'lose_reply', property: opening })
  const bookings: string[] = []
  await each(async (at) => {
    bookings[at] = (await addBooking(operator, { unitId: unit.id, totalCents: 10_000 + at })).id
  })
  const ids: string[] = []
  let asked = 0
  await each(async (at) => {
    const body = { booking_id: bookings[at], amount: 10_000 + at, currency: 'eur' }
    const seen = await insist(() => operator.post('/api/v1/payment-intents', body, keyOf(at)))
    ids[at] = expectStatus(seen.reply, 201).payment_intent.id
    asked += seen.asked
  }, 25)
  const worker = await startWorker({
    queues: ['payments'],
    env: { PAYMENTS_URL: world.payments.url, PAYMENTS_API_KEY: 'sk_test_world' },
  })
  const struckAll = await until(
    () => openings(world),
    (lost) => lost.size === count,
    600,
  )
  await atProvider(world, 'DELETE', 'faults')
  const lost = [...struckAll.values()]
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
  const theirs = payment_intents as { metadata: Record<string, string>; amount_received: number }[]
  const receivedAt = new Map(theirs.map((one) => [one.metadata['payment_intent_id'], one.amount_received]))
  const ours = await Promise.all(numbers.map(intentOf))
  const isExact =
    ours.every(
      ({ id, amount_received: received }, at) => received === 10_000 + at && receivedAt.get(id) === received,
    ) && sumOf(theirs.map((one) => one.amount_received)) === count * 10_000 + sumOf(numbers)
  await stop(worker)
  return told({ name: 'payments, to a new payment', lost, asked, effects: theirs.length, exact: isExact })
}

/** How often the reply to each key of an opening was lost. */
async function openings(world: House['world']): Promise<Map<string, number>> {
  const { calls } = await atProvider(world, 'GET', 'calls')
  return struck(calls, ({ property }) => property === opening)
}

interface Call {
  property: string
  external_id: string | null
  method: string
  idempotency_key: string | null
  fault: string | null
}

function struck(calls: Call[], isMeant: (call: Call) => boolean): Map<string, number> {
  const lost = new Map<string, number>()
  for (const call of calls.filter((one) => one.fault === 'lose_reply' && isMeant(one)))
    lost.set(call.idempotency_key!, (lost.get(call.idempotency_key!) ?? 0) + 1)
  return lost
}

/** 500 units are made at the PMS, each at a property of its own, whose first two replies are lost. */
async function byPms(house: House) {
  const { operator, pmsUrl } = house
  const worker = await house.startWorker()
  const space = await addSpace(operator)
  const targets: string[] = []
  await each(async (at) => (targets[at] = (await addTarget(operator, { name: `Target ${at}` })).id))
  await house.settled()
  const at = async (path: string, body?: object) => {
    const init = body && {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    return (await (await fetch(`${pmsUrl}/${path}`, init)).json()) as never
  }
  for (const property of targets) await at('_control/faults', { mode: 'lose_reply', property, times: 2 })
  let asked = 0
  await each(async (n) => {
    const fields = { space_id: space.id, name: `Room ${n}`, base_price_cents: 10_000 + n }
    const { id } = await addUnit(operator, fields)
    const body = { unit_id: id, channel_target_id: targets[n], create: true }
    // Asked twice at once, as by a client whose patience is short.
    const replies = await Promise.all(
      [1, 2].map(() => insist(() => operator.post('/api/v1/channel-listings', body, keyOf(n)))),
    )
    for (const { reply, asked: times } of replies) {
      expectStatus(reply, 201)
      asked += times
    }
  })
  await house.settled(600)
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
  const [row] = await house.query(
    sql<{
      live: number
    }>`select count(*)::int as live from channel_listings where external_id is not null`,
  )
  await stop(worker)
  const exact = right === count && row!.live === count
  return told({ name: 'the PMS, to a new unit', lost, asked, effects, exact })
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
