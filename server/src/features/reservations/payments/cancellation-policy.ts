import { smallestPayment } from '#integrations/payments/payments.ts'

/** How much is refunded after a cancellation: `settings.booking.cancellation_policy` of the organization. */
export interface CancellationPolicy {
  /** Everything is refunded when cancelled at least this many days before the day of arrival. */
  readonly freeUntilDays: number
  /** The share that is refunded when cancelled later. */
  readonly refundPercent: number
}

const defaultPolicy: CancellationPolicy = { freeUntilDays: 1, refundPercent: 0 }
const maxDays = 365

/** Invalid or absent values get the default: everything until the day before arrival, then nothing. */
export function parsePolicy(settings: unknown): CancellationPolicy {
  const { booking } = (settings ?? {}) as { booking?: { cancellation_policy?: unknown } | null }
  const given = (booking?.cancellation_policy ?? {}) as Record<string, unknown>
  return {
    freeUntilDays: numberUpTo(given['free_until_days'], maxDays) ?? defaultPolicy.freeUntilDays,
    refundPercent: numberUpTo(given['refund_percent'], 100) ?? defaultPolicy.refundPercent,
  }
}

const numberUpTo = (value: unknown, max: number) =>
  typeof value === 'number' && value >= 0 && value <= max ? value : undefined

export interface EndedBooking {
  readonly status: string
  readonly cancellationReason: string | null
  /** Local days from the cancellation to the arrival. */
  readonly daysBefore: number
}

/** Reasons that the guest is not responsible for. */
const fullRefundReasons = new Set(['host', 'overbooking', 'input_error'])

/** The share of the payment to refund, in percent. */
export function refundShare(
  policy: CancellationPolicy,
  { status, cancellationReason, daysBefore }: EndedBooking,
) {
  if (status === 'checked_out' || status === 'no_show') return 0
  if (status !== 'cancelled' || fullRefundReasons.has(cancellationReason ?? '')) return 100
  return daysBefore >= policy.freeUntilDays ? 100 : policy.refundPercent
}

/** Rounded up to a whole minor unit, in favour of the guest. */
export const percentOf = (amount: number, percent: number) => Math.ceil((amount * percent) / 100)

/** What is left to refund of a payment: rounded up to what the provider can pay out, and at most what was paid. */
export function refundDue(
  {
    amount_received: received,
    amount_refunded: refunded,
  }: { amount_received: number; amount_refunded: number },
  currency: string,
  percent: number,
): number {
  const step = smallestPayment(currency)
  const due = Math.ceil((percentOf(received, percent) - refunded) / step) * step
  return Math.max(0, Math.min(due, received - refunded))
}
