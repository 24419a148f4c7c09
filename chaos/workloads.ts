import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply } from '../server/test/caller.ts'
import { isFailure, type Answered, type LoadClient } from './load-client.ts'
import type { BookingEntry, MessageEntry } from './ledger.ts'
import type { ListedUnit } from './fixtures.ts'

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const random = (below: number) => Math.floor(Math.random() * below)
const pick = <T>(list: readonly T[]): T => list[random(list.length)]!

/** Whether the response has one of the statuses; false for a 409. @throws for any other response */
function hasStatus(response: Answered, ...statuses: number[]): boolean {
  if (statuses.includes(response.status)) return true
  if (response.status === 409) return false
  throw new Error(`Unexpected response: ${response.status} ${response.text.slice(0, 500)}`)
}

/** Books, moves and cancels stays where rooms are scarce, so that most requests conflict. */
export async function bookingWorkload(client: LoadClient): Promise<void> {
  const { fixtures, ledger, retryUntilAnswered, name } = client
  const own: BookingEntry[] = []
  for (let n = 0; !client.isStopping(); n++) {
    const dice = Math.random()
    const from = 10 + random(60)
    const stay = { checkIn: day(from), checkOut: day(from + 1 + random(4)) }
    if (own.length === 0 || dice < 0.5) {
      const key = `${name}-${n}`
      const { unitId } = pick(fixtures.scarce)
      const body = { unitId, ...stay, guestName: `Guest ${key}`, totalCents: 10_000 + n }
      const response = await retryUntilAnswered({
        ...{ method: 'POST', path: '/api/v1/bookings', body, headers: { 'idempotency-key': key } },
      })
      if (response && hasStatus(response, 201)) {
        const entry = toBookingEntry(response.body.booking)
        ledger.bookings.set(key, entry)
        own.push(entry)
      }
    } else {
      const entry = pick(own)
      const body = dice < 0.75 ? stay : { status: 'cancelled', cancellationReason: 'guest_request' }
      const response = await retryUntilAnswered({
        method: 'PATCH',
        path: `/api/v1/bookings/${entry.id}`,
        body,
      })
      if (response && hasStatus(response, 200)) Object.assign(entry, toBookingEntry(response.body.booking))
      if (entry.status === 'cancelled') own.splice(own.indexOf(entry), 1)
    }
    await client.pause()
  }
}

const toBookingEntry = ({
  id,
  unitId,
  arrival,
  departure,
  status,
  totalCents,
}: Reply['body']): BookingEntry => ({
  ...{ id, unitId, arrival, departure, status, totalCents },
})

/** Changes the price of one unit repeatedly. */
export async function priceWorkload({
  fixtures,
  ledger,
  retryUntilAnswered,
  index,
  ...client
}: LoadClient): Promise<void> {
  const { unitId } = fixtures.priced[index % fixtures.priced.length]!
  for (let cents = 20_000 + random(1_000); !client.isStopping(); cents++) {
    const body = { base_price_cents: cents }
    const response = await retryUntilAnswered({ method: 'PATCH', path: `/api/v1/units/${unitId}`, body })
    if (response && hasStatus(response, 200)) ledger.prices.set(unitId, cents)
    await client.pause()
  }
}

/** A PMS that sends bookings and cancellations in any order and several times, until they are acknowledged. */
export async function messageWorkload({
  fixtures,
  ledger,
  retryUntilAnswered,
  name,
  index,
  ...client
}: LoadClient): Promise<void> {
  for (let n = 0; !client.isStopping(); n++) {
    const unit = fixtures.wide[index % fixtures.wide.length]!
    const externalId = `${name}-${n}`
    const isCancelled = Math.random() < 0.3
    const messages = [buildMessage(unit, externalId, n, 'booking.created')]
    if (isCancelled) messages.push(buildMessage(unit, externalId, n, 'booking.cancelled'))
    if (Math.random() < 0.5) messages.reverse()
    const entry: MessageEntry = { acknowledged: new Map(), status: isCancelled ? 'cancelled' : 'confirmed' }
    for (const body of messages) {
      const copies = 1 + random(3)
      const responses = await Promise.all(
        Array.from({ length: copies }, () =>
          retryUntilAnswered({ method: 'POST', path: `/webhooks/pms/${unit.targetId}`, body }),
        ),
      )
      const acknowledged = responses.filter((response) => response && hasStatus(response, 200)).length
      entry.acknowledged.set(body.id, acknowledged)
    }
    // A message that was not acknowledged may be present or not, so only acknowledged ones are checked.
    if ([...entry.acknowledged.values()].every((count) => count > 0)) ledger.messages.set(externalId, entry)
    await client.pause()
  }
}

function buildMessage({ externalId: unit }: ListedUnit, externalId: string, n: number, type: string) {
  const data = {
    external_id: externalId,
    unit_external_id: unit,
    guest_name: `Guest ${externalId}`,
    check_in: day(10 + (n % 300)),
    check_out: day(11 + (n % 300)),
    total_cents: 10_000,
    revised_at: type === 'booking.cancelled' ? '2026-01-01T00:01:00Z' : '2026-01-01T00:00:00Z',
  }
  return { id: `evt_${externalId}_${type}`, type, timestamp: data.revised_at, data }
}

/** Books a room, requests the payment, pays as the guest, and sometimes refunds a part. */
export async function paymentWorkload({
  cluster,
  fixtures,
  ledger,
  retryUntilAnswered,
  name,
  index,
  ...client
}: LoadClient): Promise<void> {
  for (let n = 0; !client.isStopping(); n++, await client.pause()) {
    const { unitId } = fixtures.wide[index % fixtures.wide.length]!
    const key = `${name}-${n}`
    const headers = { 'idempotency-key': key }
    const amount = 10_000 + n
    const stay = { checkIn: day(400 + (n % 80)), checkOut: day(401 + (n % 80)) }
    const booking = { unitId, ...stay, guestName: `Guest ${key}`, totalCents: amount }
    const booked = await retryUntilAnswered({
      method: 'POST',
      path: '/api/v1/bookings',
      body: booking,
      headers,
    })
    if (!booked || !hasStatus(booked, 201)) continue
    const entry = toBookingEntry(booked.body.booking)
    ledger.bookings.set(key, entry)
    const body = { booking_id: entry.id, amount, currency: 'eur' }
    const created = await retryUntilAnswered({
      method: 'POST',
      path: '/api/v1/payment-intents',
      body,
      headers,
    })
    if (!created || !hasStatus(created, 201)) continue
    const { id } = created.body.payment_intent
    const payment = { bookingId: entry.id, amountCents: amount, isPaid: false, refundedCents: 0 }
    ledger.payments.set(id, payment)
    const path = `/api/v1/payment-intents/${id}`
    const waitUntil = async (condition: (intent: Reply['body']) => boolean) => {
      while (!client.isStopping()) {
        const response = await retryUntilAnswered({ method: 'GET', path })
        if (response?.status === 200 && condition(response.body.payment_intent))
          return response.body.payment_intent
        await client.pause()
      }
      return undefined
    }
    const ready = await waitUntil(({ client_secret }) => client_secret !== null)
    if (!ready) continue
    payment.isPaid = await pay(cluster.sandbox.paymentsUrl, ready.provider_reference)
    if (Math.random() < 0.5 || !(await waitUntil(({ status }) => status === 'succeeded'))) continue
    const part = { amount: 100 + random(5_000) }
    const refund = await retryUntilAnswered({ method: 'POST', path: `${path}/refunds`, body: part, headers })
    if (refund && hasStatus(refund, 201)) payment.refundedCents += part.amount
  }
}

async function pay(paymentsUrl: string, reference: string): Promise<boolean> {
  const response = await fetch(`${paymentsUrl}/_control/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payment_intent: reference }),
  }).catch(() => null)
  return response?.ok ?? false
}

const lists = ['bookings', 'units', 'channel-listings', 'sync/status', 'sync/audit', 'events', 'alerts']

/** Reads lists, as the console does. */
export async function readWorkload({ retryUntilAnswered, ...client }: LoadClient): Promise<void> {
  while (!client.isStopping()) {
    const response = await retryUntilAnswered({ method: 'GET', path: `/api/v1/${pick(lists)}?limit=20` })
    if (response) hasStatus(response, 200)
    await client.pause()
  }
}

/** Sends reads and bookings at a fixed rate, however long the earlier ones take, and repeats none. */
export async function steadyWorkload({
  fixtures,
  ledger,
  sendOnce,
  name,
  perSecond,
  isStopping,
}: LoadClient): Promise<void> {
  const read = async () => {
    const outcome = await sendOnce({ method: 'GET', path: `/api/v1/${pick(lists)}?limit=20` })
    if (outcome.kind === 'answered' && !isFailure(outcome)) hasStatus(outcome, 200)
  }
  const book = async (n: number) => {
    const from = 10 + random(300)
    const stay = { checkIn: day(from), checkOut: day(from + 1) }
    // A booking without a response may be present or not, so its guest is none of those that the ledger must list.
    const body = { unitId: pick(fixtures.wide).unitId, ...stay, guestName: `Steady ${n}`, totalCents: n }
    const headers = { 'idempotency-key': `${name}-${n}` }
    const outcome = await sendOnce({ method: 'POST', path: '/api/v1/bookings', body, headers })
    if (outcome.kind !== 'answered' || isFailure(outcome) || !hasStatus(outcome, 201)) return
    ledger.bookings.set(`${name}-${n}`, toBookingEntry(outcome.body.booking))
  }
  const open = new Set<Promise<void>>()
  const startedAt = performance.now()
  for (let n = 1; !isStopping(); n++) {
    const request = (n % 5 === 0 ? book(n) : read())
      .catch((error: unknown) => void ledger.unexpected.push((error as Error).message))
      .finally(() => open.delete(request))
    open.add(request)
    await sleep(Math.max(0, startedAt + (n * 1_000) / perSecond - performance.now()))
  }
  await Promise.all(open)
}
