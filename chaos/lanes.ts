import type { Body } from './door.ts'
import type { Answered, Laborer } from './laborer.ts'
import type { BookingEntry, MessageEntry } from './ledger.ts'
import type { Listed } from './stock.ts'

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const random = (below: number) => Math.floor(Math.random() * below)
const pick = <T>(list: readonly T[]): T => list[random(list.length)]!

/** An answer that is neither what was asked for nor a reason of the business not to do it is a fault of its own. */
function expected(answer: Answered, ...statuses: number[]): boolean {
  if (statuses.includes(answer.status)) return true
  if (answer.status === 409) return false
  throw new Error(`Nobody reckoned with ${answer.status} ${answer.text.slice(0, 500)}`)
}

/** Books, moves and cancels where rooms are scarce, so that most of it is contested. */
export async function bookingLane(laborer: Laborer): Promise<void> {
  const { stock, ledger, insist, name } = laborer
  const own: BookingEntry[] = []
  for (let n = 0; !laborer.isOver(); n++) {
    const dice = Math.random()
    const from = 10 + random(60)
    const stay = { checkIn: day(from), checkOut: day(from + 1 + random(4)) }
    if (own.length === 0 || dice < 0.5) {
      const key = `${name}-${n}`
      const { unitId } = pick(stock.scarce)
      const body = { unitId, ...stay, guestName: `Guest ${key}`, totalCents: 10_000 + n }
      const answer = await insist({
        ...{ method: 'POST', path: '/api/v1/bookings', body, headers: { 'idempotency-key': key } },
      })
      if (answer && expected(answer, 201)) {
        const entry = entryOf(answer.body.booking)
        ledger.bookings.set(key, entry)
        own.push(entry)
      }
    } else {
      const entry = pick(own)
      const body = dice < 0.75 ? stay : { status: 'cancelled', cancellationReason: 'guest_request' }
      const answer = await insist({ method: 'PATCH', path: `/api/v1/bookings/${entry.id}`, body })
      if (answer && expected(answer, 200)) Object.assign(entry, entryOf(answer.body.booking))
      if (entry.status === 'cancelled') own.splice(own.indexOf(entry), 1)
    }
    await laborer.rest()
  }
}

const entryOf = ({ id, unitId, arrival, departure, status, totalCents }: Body): BookingEntry => ({
  ...{ id, unitId, arrival, departure, status, totalCents },
})

/** Changes the price of a unit of its own, again and again. */
export async function priceLane({ stock, ledger, insist, at, ...laborer }: Laborer): Promise<void> {
  const { unitId } = stock.priced[at % stock.priced.length]!
  for (let cents = 20_000 + random(1_000); !laborer.isOver(); cents++) {
    const body = { base_price_cents: cents }
    const answer = await insist({ method: 'PATCH', path: `/api/v1/units/${unitId}`, body })
    if (answer && expected(answer, 200)) ledger.prices.set(unitId, cents)
    await laborer.rest()
  }
}

/** A PMS that tells of bookings and cancellations, in any order and more than once, until it is heard. */
export async function messageLane({ stock, ledger, insist, name, at, ...laborer }: Laborer): Promise<void> {
  for (let n = 0; !laborer.isOver(); n++) {
    const unit = stock.wide[at % stock.wide.length]!
    const externalId = `${name}-${n}`
    const isCancelled = Math.random() < 0.3
    const told = [messageOf(unit, externalId, n, 'booking.created')]
    if (isCancelled) told.push(messageOf(unit, externalId, n, 'booking.cancelled'))
    if (Math.random() < 0.5) told.reverse()
    const entry: MessageEntry = { acknowledged: new Map(), status: isCancelled ? 'cancelled' : 'confirmed' }
    for (const body of told) {
      const copies = 1 + random(3)
      const answers = await Promise.all(
        Array.from({ length: copies }, () =>
          insist({ method: 'POST', path: `/webhooks/pms/${unit.targetId}`, body }),
        ),
      )
      const heard = answers.filter((answer) => answer && expected(answer, 200)).length
      entry.acknowledged.set(body.id, heard)
    }
    // A message that nobody acknowledged may be there or not: only what all were told of is looked for.
    if ([...entry.acknowledged.values()].every((heard) => heard > 0)) ledger.messages.set(externalId, entry)
    await laborer.rest()
  }
}

function messageOf({ externalId: unit }: Listed, externalId: string, n: number, type: string) {
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

/** Books a room for everybody, asks for the money, pays as the guest does, and sometimes gives a part back. */
export async function paymentLane({
  house,
  stock,
  ledger,
  insist,
  name,
  at,
  ...laborer
}: Laborer): Promise<void> {
  for (let n = 0; !laborer.isOver(); n++, await laborer.rest()) {
    const { unitId } = stock.wide[at % stock.wide.length]!
    const key = `${name}-${n}`
    const headers = { 'idempotency-key': key }
    const amount = 10_000 + n
    const stay = { checkIn: day(400 + (n % 80)), checkOut: day(401 + (n % 80)) }
    const booking = { unitId, ...stay, guestName: `Guest ${key}`, totalCents: amount }
    const booked = await insist({ method: 'POST', path: '/api/v1/bookings', body: booking, headers })
    if (!booked || !expected(booked, 201)) continue
    const entry = entryOf(booked.body.booking)
    ledger.bookings.set(key, entry)
    const body = { booking_id: entry.id, amount, currency: 'eur' }
    const asked = await insist({ method: 'POST', path: '/api/v1/payment-intents', body, headers })
    if (!asked || !expected(asked, 201)) continue
    const { id } = asked.body.payment_intent
    const payment = { bookingId: entry.id, amountCents: amount, isPaid: false, refundedCents: 0 }
    ledger.payments.set(id, payment)
    const path = `/api/v1/payment-intents/${id}`
    const seen = async (holds: (intent: Body) => boolean) => {
      while (!laborer.isOver()) {
        const answer = await insist({ method: 'GET', path })
        if (answer?.status === 200 && holds(answer.body.payment_intent)) return answer.body.payment_intent
        await laborer.rest()
      }
      return undefined
    }
    const open = await seen(({ client_secret }) => client_secret !== null)
    if (!open) continue
    payment.isPaid = await pay(house.outside.paymentsUrl, open.provider_reference)
    if (Math.random() < 0.5 || !(await seen(({ status }) => status === 'succeeded'))) continue
    const back = { amount: 100 + random(5_000) }
    const refund = await insist({ method: 'POST', path: `${path}/refunds`, body: back, headers })
    if (refund && expected(refund, 201)) payment.refundedCents += back.amount
  }
}

async function pay(paymentsUrl: string, reference: string): Promise<boolean> {
  const answer = await fetch(`${paymentsUrl}/_control/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payment_intent: reference }),
  }).catch(() => null)
  return answer?.ok ?? false
}

const lists = ['bookings', 'units', 'channel-listings', 'sync/status', 'sync/audit', 'events', 'alerts']

/** Somebody looks at the console. */
export async function readLane({ insist, ...laborer }: Laborer): Promise<void> {
  while (!laborer.isOver()) {
    const answer = await insist({ method: 'GET', path: `/api/v1/${pick(lists)}?limit=20` })
    if (answer) expected(answer, 200)
    await laborer.rest()
  }
}
