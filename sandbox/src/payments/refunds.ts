import { metadataOf, oneOf, assertKnown, textOf, wholeOf, type Form } from './form.ts'
import type { Events } from './deliveries.ts'
import { newId } from './intent.ts'
import { isWithdrawn } from './disputes.ts'
import type { Ledger, Refund } from './store.ts'
import { missing, ApiError, unexpectedState } from './errors.ts'

export type Refunds = ReturnType<typeof openRefunds>

/** Refunds, which never exceed the captured amount. */
export function openRefunds(ledger: Ledger, events: Events) {
  let firstStatus: 'succeeded' | 'pending' = 'succeeded'

  return {
    make(form: Form): Refund {
      assertKnown(form, ['payment_intent', 'amount', 'reason', 'metadata', 'expand'])
      const intentId = textOf(form, 'payment_intent')
      if (intentId === undefined)
        throw new ApiError('One of the following params should be provided: payment_intent.', {
          code: 'parameter_missing',
          param: 'payment_intent',
        })
      const intent = ledger.intents.get(intentId)
      if (!intent) throw missing('payment_intent', intentId, 'payment_intent')
      const charge = intent.latest_charge === null ? undefined : ledger.charges.get(intent.latest_charge)
      if (intent.status !== 'succeeded' || !charge)
        throw unexpectedState('This PaymentIntent does not have a successful charge to refund.', intent)
      if (ledger.disputesOf(intent.id).some(isWithdrawn))
        throw new ApiError(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
          code: 'charge_disputed',
          isKept: true,
        })
      const left = charge.amount_captured - charge.amount_refunded
      const amount = wholeOf(form, 'amount') ?? left
      if (left === 0)
        throw new ApiError(`Charge ${charge.id} has already been refunded.`, {
          code: 'charge_already_refunded',
          isKept: true,
        })
      if (amount < 1 || amount > left)
        throw new ApiError(
          `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`,
          {
            param: 'amount',
            isKept: true,
          },
        )
      const refund: Refund = {
        id: newId('re'),
        object: 'refund',
        amount,
        charge: charge.id,
        created: Math.floor(Date.now() / 1_000),
        currency: intent.currency,
        metadata: metadataOf(form),
        payment_intent: intent.id,
        reason: oneOf(form, 'reason', ['duplicate', 'fraudulent', 'requested_by_customer']) ?? null,
        status: firstStatus,
      }
      ledger.write({ refund })
      count(refund, amount)
      events.publish('refund.created', refund)
      return refund
    },

    /** The result of a pending refund, or the late failure of one that had succeeded. */
    settle(refund: Refund, status: 'succeeded' | 'failed'): Refund {
      const settled: Refund = {
        ...refund,
        status,
        ...(status === 'failed' && { failure_reason: 'expired_or_canceled_card' }),
      }
      ledger.write({ refund: settled })
      if (status === 'failed' && refund.status !== 'failed') count(settled, -settled.amount)
      events.publish(status === 'failed' ? 'refund.failed' : 'refund.updated', settled)
      return settled
    },

    beginAs(status: 'succeeded' | 'pending') {
      firstStatus = status
    },
  }

  function count({ charge: id }: Refund, amount: number) {
    const charge = ledger.charges.get(id)!
    const amount_refunded = charge.amount_refunded + amount
    const counted = { ...charge, amount_refunded, refunded: amount_refunded === charge.amount_captured }
    ledger.write({ charge: counted })
    if (amount > 0) events.publish('charge.refunded', counted)
  }
}
