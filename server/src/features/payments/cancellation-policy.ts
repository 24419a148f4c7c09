/** What is paid back after a cancellation: `settings.booking.cancellation_policy` of the organization. */
export interface CancellationPolicy {
  /** Cancelled this many days or more before the day of arrival, all of it. */
  readonly freeUntilDays: number
  /** Cancelled later, this share. */
  readonly refundPercent: number
}

const usual: CancellationPolicy = { freeUntilDays: 1, refundPercent: 0 }
const mostDays = 365

/** What the settings say, as far as it can be understood; else all until the day before arrival, then nothing. */
export function policyIn(settings: unknown): CancellationPolicy {
  const { booking } = (settings ?? {}) as { booking?: { cancellation_policy?: unknown } | null }
  const given = (booking?.cancellation_policy ?? {}) as Record<string, unknown>
  return {
    freeUntilDays: within(given['free_until_days'], mostDays) ?? usual.freeUntilDays,
    refundPercent: within(given['refund_percent'], 100) ?? usual.refundPercent,
  }
}

const within = (value: unknown, most: number) =>
  typeof value === 'number' && value >= 0 && value <= most ? value : undefined

export interface EndedBooking {
  readonly status: string
  readonly cancellationReason: string | null
  /** Days of the space from the day of the cancellation to that of arrival. */
  readonly daysBefore: number
}

/** Not the guest's doing. */
const faultless = new Set(['host', 'overbooking', 'input_error'])

/** The share of what was paid that goes back, in percent; nothing for a stay that was there to be had. */
export function refundShare(
  policy: CancellationPolicy,
  { status, cancellationReason, daysBefore }: EndedBooking,
) {
  if (status === 'checked_out' || status === 'no_show') return 0
  if (status !== 'cancelled' || faultless.has(cancellationReason ?? '')) return 100
  return daysBefore >= policy.freeUntilDays ? 100 : policy.refundPercent
}

/** A part of a minor unit is rounded in the guest's favour. */
export const shareOf = (amount: number, percent: number) => Math.ceil((amount * percent) / 100)
