import type { Events } from './deliveries.ts'
import { isMethod, newId, outcomeOf, type Intent } from './intent.ts'
import type { Charge, Ledger } from './store.ts'
import { missing, ApiError, unexpectedState } from './errors.ts'

const now = () => Math.floor(Date.now() / 1_000)

export type PaymentStateMachine = ReturnType<typeof openPaymentStateMachine>

/** The states of a payment and the transitions between them, as Stripe documents them. */
export function openPaymentStateMachine(ledger: Ledger, events: Events) {
  return { confirm, authenticate, settle, capture, cancel }

  /** The guest pays with a method. @throws ApiError 402 when the card is declined */
  function confirm(intent: Intent, methodId = intent.payment_method): Intent {
    if (!['requires_payment_method', 'requires_confirmation'].includes(intent.status))
      throw unexpectedState(`This PaymentIntent is ${intent.status} and cannot be confirmed.`, intent)
    if (methodId === null)
      throw unexpectedState('A PaymentIntent without a payment method cannot be confirmed.', intent)
    if (!isMethod(methodId)) throw missing('PaymentMethod', methodId, 'payment_method')
    const chosen = { ...intent, payment_method: methodId, last_payment_error: null }
    const outcome = outcomeOf(methodId)
    switch (outcome.is) {
      case 'paid':
        return charged(chosen)
      case 'asks':
        return move(
          {
            ...chosen,
            status: 'requires_action',
            next_action: { type: 'use_stripe_sdk', use_stripe_sdk: {} },
          },
          'payment_intent.requires_action',
        )
      case 'slow':
        return move({ ...chosen, status: 'processing' }, 'payment_intent.processing')
      case 'declined':
        throw cardError(declined(chosen, outcome.code, outcome.declineCode))
    }
  }

  /** The guest has authenticated with their bank, or failed to. */
  function authenticate(intent: Intent, succeeds: boolean): Intent {
    if (intent.status !== 'requires_action')
      throw unexpectedState(
        `This PaymentIntent is ${intent.status}: it does not wait for authentication.`,
        intent,
      )
    const answered = { ...intent, next_action: null }
    return succeeds ? charged(answered) : declined(answered, 'payment_intent_authentication_failure')
  }

  /** A payment that took days at the bank has ended. */
  function settle(intent: Intent, succeeds: boolean): Intent {
    if (intent.status !== 'processing')
      throw unexpectedState(`This PaymentIntent is ${intent.status}: nothing is on its way.`, intent)
    return succeeds ? charged(intent) : declined(intent, 'payment_intent_payment_attempt_failed')
  }

  function capture(intent: Intent, amount = intent.amount_capturable): Intent {
    if (intent.status !== 'requires_capture')
      throw unexpectedState(`This PaymentIntent is ${intent.status} and cannot be captured.`, intent)
    if (amount < 1 || amount > intent.amount_capturable)
      throw new ApiError('The amount is not within what can be captured.', {
        code: 'amount_too_large',
        param: 'amount_to_capture',
      })
    const charge = ledger.charges.get(intent.latest_charge!)!
    ledger.write({ charge: { ...charge, captured: true, amount_captured: amount } })
    return move(
      { ...intent, status: 'succeeded', amount_capturable: 0, amount_received: amount },
      'payment_intent.succeeded',
    )
  }

  function cancel(intent: Intent, reason: string | null): Intent {
    if (['succeeded', 'canceled', 'processing'].includes(intent.status))
      throw unexpectedState(`This PaymentIntent is ${intent.status} and cannot be canceled.`, intent)
    return move(
      {
        ...intent,
        status: 'canceled',
        amount_capturable: 0,
        next_action: null,
        canceled_at: now(),
        cancellation_reason: reason,
      },
      'payment_intent.canceled',
    )
  }

  function charged(intent: Intent): Intent {
    const isHeld = intent.capture_method === 'manual'
    const charge = chargeOf(intent, isHeld ? 0 : intent.amount)
    ledger.write({ charge })
    const paid = { ...intent, latest_charge: charge.id, next_action: null, last_payment_error: null }
    if (isHeld)
      return move(
        { ...paid, status: 'requires_capture', amount_capturable: intent.amount },
        'payment_intent.amount_capturable_updated',
      )
    events.publish('charge.succeeded', charge)
    return move({ ...paid, status: 'succeeded', amount_received: intent.amount }, 'payment_intent.succeeded')
  }

  function declined(intent: Intent, code: string, declineCode?: string): Intent {
    const charge = { ...chargeOf(intent, 0), paid: false, status: 'failed' as const }
    ledger.write({ charge })
    const error = {
      type: 'card_error',
      charge: charge.id,
      code,
      ...(declineCode && { decline_code: declineCode }),
      message: 'Your payment was declined.',
      payment_method: { id: intent.payment_method, object: 'payment_method', type: 'card' },
    }
    return move(
      {
        ...intent,
        status: 'requires_payment_method',
        payment_method: null,
        latest_charge: charge.id,
        last_payment_error: error,
      },
      'payment_intent.payment_failed',
    )
  }

  function move(intent: Intent, type: string): Intent {
    ledger.write({ intent })
    events.publish(type, intent)
    return intent
  }
}

const cardError = (intent: Intent) =>
  new ApiError('Your payment was declined.', {
    status: 402,
    type: 'card_error',
    isKept: true,
    members: { ...intent.last_payment_error, payment_intent: intent },
  })

const chargeOf = (intent: Intent, captured: number): Charge => ({
  id: newId('ch'),
  object: 'charge',
  amount: intent.amount,
  amount_captured: captured,
  amount_refunded: 0,
  captured: captured > 0,
  created: now(),
  currency: intent.currency,
  metadata: intent.metadata,
  paid: true,
  payment_intent: intent.id,
  payment_method: intent.payment_method,
  refunded: false,
  status: 'succeeded',
})
