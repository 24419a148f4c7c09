import type { IntentStatus } from './payments-states.ts'

/** The provider that takes money: what we ask of it, in our words. */
export interface Payments {
  /** Whether there is a provider at all. */
  readonly isConfigured: boolean
  /** Asks for a payment. The same key never makes two. @throws PaymentsFailure */
  open(wanted: WantedPayment, key: string, call: Call): Promise<PaymentTruth>
  /** A payment as the provider knows it, with its refunds. @throws PaymentsFailure */
  find(reference: string, call: Call): Promise<PaymentTruth>
  /** The payment that was opened for a record of ours, if there is one. @throws PaymentsFailure */
  findOpened(wanted: Pick<WantedPayment, 'ourId' | 'askedAt'>, call: Call): Promise<PaymentTruth | null>
  /** @throws PaymentsFailure */
  cancel(reference: string, key: string, call: Call): Promise<PaymentTruth>
  /** Takes what was held: all of it, or less. @throws PaymentsFailure */
  capture(
    taken: { reference: string; amount: number | null; currency: string },
    key: string,
    call: Call,
  ): Promise<PaymentTruth>
  /** Gives money back. The same key never gives twice. @throws PaymentsFailure */
  refund(wanted: WantedRefund, key: string, call: Call): Promise<RefundTruth>
  /** What a notice is about. @throws NotTrusted when nobody who knows the secret has signed it */
  readNotice(body: Buffer, signature: string | undefined): Promise<Notice>
  reachable(): Promise<boolean>
}

/** The trace that a call continues. */
export interface Call {
  readonly traceparent: string | null
}

export interface WantedPayment {
  readonly ourId: string
  readonly orgId: string
  readonly bookingId: string
  /** In minor units as ISO 4217 counts them, as everywhere in our words. */
  readonly amount: number
  readonly currency: string
  readonly captureMethod: 'automatic' | 'manual'
  readonly askedAt: Date
}

export interface PaymentTruth {
  readonly reference: string
  readonly status: IntentStatus
  readonly clientSecret: string | null
  readonly amountReceived: number
  /** Why the last attempt of the guest failed; `attempt` tells one failure from the next. */
  readonly failure: { readonly code: string; readonly attempt: string } | null
  readonly refunds: readonly RefundTruth[]
}

export interface WantedRefund {
  readonly ourId: string
  readonly orgId: string
  readonly reference: string
  readonly amount: number
  readonly currency: string
  readonly reason: RefundReason
}

export type RefundReason = 'requested_by_guest' | 'duplicate' | 'fraudulent' | 'cancellation' | 'other'

export interface RefundTruth {
  readonly reference: string
  /** The record of ours that asked for it; null when it was made at the provider. */
  readonly ourId: string | null
  readonly amount: number
  readonly status: 'pending' | 'succeeded' | 'failed' | 'canceled'
  readonly failureCode: string | null
}

export interface Notice {
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  /** The payment that it is about; null when it concerns something else. */
  readonly reference: string | null
  readonly ourId: string | null
}

/** The signature of a notice is missing, wrong or too old. */
export class NotTrusted extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'NotTrusted'
  }
}
