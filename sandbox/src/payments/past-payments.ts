import { ApiError } from './errors.ts'
import { newId, readIntent } from './intent.ts'
import type { Ledger } from './store.ts'

/** A payment of the time before the stand-in was started, as another system has it. */
interface PastPayment {
  id: string
  amount: number
  currency: string
  /** In seconds since 1970. */
  created: number
  metadata: Record<string, string>
  /** Else the card was declined. */
  is_paid: boolean
  refunds: { id: string; amount: number; created: number; metadata: Record<string, string> }[]
}

/** Writes payments that have ended, without events: their receiver knows them. All are checked before one is written. */
export function addPastPayments(ledger: Ledger, given: unknown): void {
  if (!areAll<PastPayment>(given, isPayment))
    throw new ApiError('payments is a list of payments', { param: 'payments' })
  const intents = given.map(({ amount, currency, metadata, created }) =>
    readIntent({ amount: String(amount), currency, metadata }, created),
  )
  for (const [at, { id, amount, currency, created, metadata, is_paid, refunds }] of given.entries()) {
    const charge = newId('ch')
    const refunded = refunds.reduce((sum, refund) => sum + refund.amount, 0)
    ledger.write({
      intent: {
        ...intents[at]!,
        ...{ id, latest_charge: charge },
        ...(is_paid && {
          status: 'succeeded',
          amount_received: amount,
          payment_method: 'pm_card_visa',
        }),
      },
    })
    ledger.write({
      charge: {
        ...{ id: charge, object: 'charge', amount, created, currency, metadata, payment_intent: id },
        ...{ amount_captured: is_paid ? amount : 0, captured: is_paid, paid: is_paid },
        ...{ amount_refunded: refunded, refunded: is_paid && refunded === amount },
        ...{ payment_method: 'pm_card_visa', status: is_paid ? 'succeeded' : 'failed' },
      },
    })
    for (const refund of refunds)
      ledger.write({
        refund: {
          ...refund,
          ...{ object: 'refund', charge, currency, payment_intent: id },
          ...{ reason: 'requested_by_customer', status: 'succeeded' },
        },
      })
  }
}

const areAll = <T>(value: unknown, is: (one: Record<string, unknown>) => boolean): value is T[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null && is(one as never))

/** What a payment and a refund have in common. */
const isEntry = ({ id, amount, created, metadata }: Record<string, unknown>) =>
  typeof id === 'string' &&
  [amount, created].every(Number.isSafeInteger) &&
  typeof metadata === 'object' &&
  metadata !== null

const isPayment = (one: Record<string, unknown>) =>
  isEntry(one) &&
  typeof one['currency'] === 'string' &&
  typeof one['is_paid'] === 'boolean' &&
  areAll(one['refunds'], isEntry)
