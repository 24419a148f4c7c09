import { minorUnitDigits } from '#schema/money.ts'
import { PaymentsFailure } from './payments-failure.ts'

/** The port to the payment provider. Times and amounts are in the units of our API, not of the provider. */
export interface Payments {
  /** Whether a provider is configured. */
  readonly isConfigured: boolean
  /** Creates a payment. A second call with the same key returns the first payment. @throws PaymentsFailure */
  open(payment: NewPayment, key: string, context: CallContext): Promise<ProviderPayment>
  /** The current payment at the provider, with its refunds and disputes. @throws PaymentsFailure */
  find(reference: string, context: CallContext): Promise<ProviderPayment>
  /** The payment that was created for a record of ours, if there is one. @throws PaymentsFailure */
  findOpened(
    payment: Pick<NewPayment, 'ourId' | 'requestedAt'>,
    context: CallContext,
  ): Promise<ProviderPayment | null>
  /** The payments that were opened here since then and not cancelled, latest first. @throws PaymentsFailure */
  listOpened(since: Date, context: CallContext): Promise<readonly OpenedPayment[]>
  /** The payments of all disputes that were opened since then. @throws PaymentsFailure */
  listDisputed(since: Date, context: CallContext): Promise<readonly ReversedPayment[]>
  /** The payments of all refunds that were made since then. @throws PaymentsFailure */
  listRefunded(since: Date, context: CallContext): Promise<readonly ReversedPayment[]>
  /** @throws PaymentsFailure */
  cancel(reference: string, key: string, context: CallContext): Promise<ProviderPayment>
  /** Captures the authorized amount, or a part of it; null captures all. @throws PaymentsFailure */
  capture(
    payment: { reference: string; amount: number | null; currency: string },
    key: string,
    context: CallContext,
  ): Promise<ProviderPayment>
  /** Refunds. A second call with the same key returns the first refund. @throws PaymentsFailure */
  refund(refund: NewRefund, key: string, context: CallContext): Promise<ProviderRefund>
  /** Parses a webhook event. @throws UntrustedEvent when it is not signed with a configured secret */
  parseEvent(body: Buffer, signature: string | undefined): Promise<PaymentEvent>
  isReachable(): Promise<boolean>
}

/** A payment at the provider, as it was named when it was opened. */
export interface OpenedPayment {
  readonly reference: string
  readonly status: string
  readonly ourId: string
  readonly orgId: string
  readonly bookingId: string
}

/** A payment that was refunded or disputed. */
export interface ReversedPayment {
  readonly reference: string
  readonly at: Date
}

/** The trace that a call belongs to. */
export interface CallContext {
  readonly traceparent: string | null
}

/** The states of a payment, in the words of Stripe. */
export const intentStatuses = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'processing',
  'requires_capture',
  'canceled',
  'succeeded',
] as const
export type IntentStatus = (typeof intentStatuses)[number]

/** Whether the payment stays in this state for good. */
export const isFinal = (status: IntentStatus) => status === 'succeeded' || status === 'canceled'

/**
 * Amounts are multiples of this, in minor units: Stripe pays out whole ariary, and no single thousandths of the currencies
 * that have them.
 */
export const smallestPayment = (currency: string): number =>
  currency === 'mga' ? 100 : minorUnitDigits(currency) === 3 ? 10 : 1

export interface NewPayment {
  readonly ourId: string
  readonly orgId: string
  readonly bookingId: string
  /** In minor units of ISO 4217. */
  readonly amount: number
  readonly currency: string
  readonly captureMethod: 'automatic' | 'manual'
  readonly requestedAt: Date
}

export interface ProviderPayment {
  readonly reference: string
  readonly status: IntentStatus
  readonly clientSecret: string | null
  readonly amountReceived: number
  /** Why the last attempt of the guest failed; `attempt` differs for each attempt. */
  readonly failure: { readonly code: string; readonly attempt: string } | null
  readonly refunds: readonly ProviderRefund[]
  /** Null when they were not read. */
  readonly disputes: readonly ProviderDispute[] | null
}

interface NewRefund {
  readonly ourId: string
  readonly orgId: string
  readonly reference: string
  readonly amount: number
  readonly currency: string
  readonly reason: RefundReason
}

export type RefundReason = 'requested_by_guest' | 'duplicate' | 'fraudulent' | 'cancellation' | 'other'

export interface ProviderRefund {
  readonly reference: string
  /** Our record of it; null when the refund was created at the provider. */
  readonly ourId: string | null
  readonly amount: number
  readonly status: 'pending' | 'succeeded' | 'failed' | 'canceled'
  readonly failureCode: string | null
}

/** `inquiry`: the bank asks, and has taken no money yet; `open`: it has taken the money and decides. */
export const disputeStatuses = ['inquiry', 'open', 'won', 'lost'] as const
export type DisputeStatus = (typeof disputeStatuses)[number]

/** The bank of the guest takes a payment back. */
export interface ProviderDispute {
  readonly reference: string
  readonly status: DisputeStatus
  readonly amount: number
  /** The code of the provider. */
  readonly reason: string
  /** Until when the operator can respond at the provider; null when no response is expected. */
  readonly respondBy: Date | null
}

export interface PaymentEvent {
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  /** The payment of the event; null when the event is about something else. */
  readonly reference: string | null
  readonly ourId: string | null
}

/** The signature of a webhook event is missing, wrong or too old, or its body is not an event. */
export class UntrustedEvent extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'UntrustedEvent'
  }
}

const notConfigured = () =>
  Promise.reject(
    new PaymentsFailure('not_accepted', 'No payment provider is configured: set PAYMENTS_API_KEY.'),
  )

/** For an installation without a payment provider: every call fails, and the health check passes. */
export const noPayments: Payments = {
  isConfigured: false,
  open: notConfigured,
  find: notConfigured,
  findOpened: notConfigured,
  listOpened: notConfigured,
  listDisputed: notConfigured,
  listRefunded: notConfigured,
  cancel: notConfigured,
  capture: notConfigured,
  refund: notConfigured,
  parseEvent: () => Promise.reject(new UntrustedEvent('No payment provider is configured.')),
  isReachable: () => Promise.resolve(true),
}

/** Loads the provider with its first call, so that a process starts without the large library of the provider. */
export function lazyPayments(load: () => Promise<Payments>): Payments {
  let loaded: Promise<Payments> | undefined
  const provider = () => (loaded ??= load())
  return {
    isConfigured: true,
    open: async (...args) => (await provider()).open(...args),
    find: async (...args) => (await provider()).find(...args),
    findOpened: async (...args) => (await provider()).findOpened(...args),
    listOpened: async (...args) => (await provider()).listOpened(...args),
    listDisputed: async (...args) => (await provider()).listDisputed(...args),
    listRefunded: async (...args) => (await provider()).listRefunded(...args),
    cancel: async (...args) => (await provider()).cancel(...args),
    capture: async (...args) => (await provider()).capture(...args),
    refund: async (...args) => (await provider()).refund(...args),
    parseEvent: async (...args) => (await provider()).parseEvent(...args),
    isReachable: async () => (await provider()).isReachable(),
  }
}
