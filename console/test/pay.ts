import assert from 'node:assert/strict'

import type { Api } from './api.ts'
import { day } from './days.ts'
import type { ConsoleUnderTest } from './use-console.ts'

export interface Reply {
  payment_intent: Payment
}
interface Payment {
  id: string
  booking_id: string
  provider_reference: string | null
  client_secret: string | null
  status: string
  failure_code: string | null
}

interface NewPaidStay {
  unitId: string
  guestName: string
  card: string
  captureMethod?: 'automatic' | 'manual'
  /** The arrival, in days from now. */
  inDays: number
}

const finalStates = new Set(['succeeded', 'requires_capture'])

/** A booking for which the guest pays 100.00 with a card, or tries to. */
export async function pay(
  app: ConsoleUnderTest,
  api: Api,
  { unitId, guestName, card, captureMethod = 'automatic', inDays }: NewPaidStay,
): Promise<Payment> {
  const stay = { checkIn: day(inDays), checkOut: day(inDays + 2), totalCents: 20_000 }
  const input = { unitId, guestName, ...stay }
  const { booking } = await api<{ booking: { id: string } }>('POST', '/bookings', input)
  const asked = { booking_id: booking.id, amount: 10_000, currency: 'eur', capture_method: captureMethod }
  const { payment_intent } = await api<Reply>('POST', '/payment-intents', asked)
  const read = async () => (await api<Reply>('GET', `/payment-intents/${payment_intent.id}`)).payment_intent
  const opened = await until(read, ({ client_secret }) => client_secret !== null)
  await fetch(`${app.product.paymentsUrl}/v1/payment_intents/${opened.provider_reference}/confirm`, {
    method: 'POST',
    headers: { authorization: 'Bearer pk_test_1', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      client_secret: opened.client_secret ?? '',
      payment_method: card,
    }).toString(),
  })
  return await until(read, ({ status, failure_code }) => finalStates.has(status) || failure_code !== null)
}

/** Calls a control route of the payment provider. */
export async function atProvider<Reply>(app: ConsoleUnderTest, path: string, body: object): Promise<Reply> {
  const answer = await fetch(`${app.product.paymentsUrl}/_control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.ok(answer.ok, await answer.clone().text())
  return (await answer.json()) as Reply
}

export const until = async <T>(read: () => Promise<T>, isDone: (found: T) => boolean): Promise<T> => {
  for (let left = 300; ; left -= 1) {
    const found = await read()
    if (isDone(found)) return found
    assert.ok(left > 0, JSON.stringify(found))
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
