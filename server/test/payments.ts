import assert from 'node:assert/strict'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { addUnit } from './records.ts'
import { until } from './linked-units.ts'
import type { World } from './world.ts'

// Responses are not typed, because tests check their structure.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Body = any

let nextDay = 40

/** A booking of two nights at 100.00 each, in a unit of its own unless one is named. */
export async function addStay(
  caller: TestCaller,
  fields: { unitId?: string; [member: string]: unknown } = {},
) {
  const unitId = fields.unitId ?? (await addUnit(caller, { base_price_cents: 10_000 })).id
  const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  nextDay += 3
  const body = {
    guestName: 'Ada',
    checkIn: dayAfter(nextDay),
    checkOut: dayAfter(nextDay + 2),
    totalCents: 20_000,
    ...fields,
    unitId,
  }
  return expectStatus(await caller.post('/api/v1/bookings', body), 201).booking
}

export const askFor = async (caller: TestCaller, booking: { id: string }, fields: object = {}) =>
  expectStatus(
    await caller.post('/api/v1/payment-intents', {
      booking_id: booking.id,
      amount: 20_000,
      currency: 'eur',
      ...fields,
    }),
    201,
  ).payment_intent

export const intentOf = async (caller: TestCaller, { id }: { id: string }) =>
  expectStatus(await caller.get(`/api/v1/payment-intents/${id}`), 200).payment_intent

/** A payment that the provider has opened or rejected: on a busy machine the answer to a request comes before that. */
export const settledIntent = (caller: TestCaller, intent: { id: string }) =>
  until(
    () => intentOf(caller, intent),
    ({ status, client_secret }) => status === 'canceled' || client_secret !== null,
  )

/** The control routes of the sandbox. */
export async function atProvider(
  { payments }: World,
  method: string,
  path: string,
  body?: object,
): Promise<Body> {
  const answer = await fetch(`${payments.url}/_control/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  assert.ok(answer.ok || answer.status === 402, text)
  return text ? JSON.parse(text) : null
}

/**
 * The guest pays on their page, with the client secret and a publishable key. On a busy machine the answer to
 * `POST /payment-intents` comes before the provider has opened the payment: then this waits until it has.
 */
export async function pay(
  world: World,
  intent: { id: string; provider_reference: string | null; client_secret: string | null },
  payment_method = 'pm_card_visa',
): Promise<Body> {
  const { reference, client_secret } = await openedAtProvider(world, intent)
  const answer = await fetch(`${world.payments.url}/v1/payment_intents/${reference}/confirm`, {
    method: 'POST',
    headers: { authorization: 'Bearer pk_test_1', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_secret, payment_method }).toString(),
  })
  const body: Body = await answer.json()
  assert.notEqual(answer.status, 404, body.error?.message)
  return body
}

async function openedAtProvider(
  world: World,
  intent: { id: string; provider_reference: string | null; client_secret: string | null },
): Promise<{ reference: string; client_secret: string }> {
  const { provider_reference: reference, client_secret } = intent
  if (reference !== null && client_secret !== null) return { reference, client_secret }
  const { opened } = await until(
    () => ledgerOf(world, intent),
    (ledger) => ledger.opened.length > 0,
  )
  return { reference: opened[0].id, client_secret: opened[0].client_secret }
}

/** One payment as the provider stores it. */
export async function ledgerOf(world: World, { id }: { id: string }) {
  const { payment_intents, refunds } = await atProvider(world, 'GET', 'ledger')
  const opened = payment_intents.filter((one: Body) => one.metadata.payment_intent_id === id)
  const references = opened.map((one: Body) => one.id)
  return { opened, refunds: refunds.filter((one: Body) => references.includes(one.payment_intent)) }
}

/** A paid booking with a partial refund; needs workers. */
export async function addRefund(world: World, caller: TestCaller, fields: Record<string, unknown> = {}) {
  const intent = await askFor(caller, await addStay(caller, fields))
  await pay(world, intent)
  await until(
    () => intentOf(caller, intent),
    ({ status }) => status === 'succeeded',
  )
  const answer = await caller.post(`/api/v1/payment-intents/${intent.id}/refunds`, { amount: 1_000 })
  return expectStatus(answer, 201).refund
}

/** Sets the cancellation policy of the home organization, without the other settings of bookings. */
export async function setCancellationPolicy(world: World, policy: object | null): Promise<void> {
  const database = openOwner(world.databaseUrl)
  const booking = JSON.stringify({ booking: policy && { cancellation_policy: policy } })
  await database.pipelined({ orgId: null }, [
    sql`update organizations set settings = settings || ${booking}::jsonb where id = ${world.home.id}`,
  ])
  await database.close()
}
