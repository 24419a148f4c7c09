import { PaymentsFailure } from './payments-failure.ts'

/**
 * Currencies whose smallest unit at Stripe is not the minor unit of ISO 4217: Stripe counts the Icelandic króna and the
 * Ugandan shilling in hundredths, and the Malagasy ariary without fractions.
 */
const stripeUnitsPerMinorUnit: Record<string, number> = { isk: 100, ugx: 100, mga: 0.01 }

export function toStripeAmount(amount: number, currency: string): number {
  const stripeAmount = amount * (stripeUnitsPerMinorUnit[currency] ?? 1)
  if (!Number.isInteger(stripeAmount))
    throw new PaymentsFailure(
      'refused',
      `${amount} ${currency} cannot be paid: it is not a whole number of the units that the provider accepts.`,
      {
        reason: 'amount_not_divisible',
      },
    )
  return stripeAmount
}

export const fromStripeAmount = (amount: number, currency: string): number =>
  amount / (stripeUnitsPerMinorUnit[currency] ?? 1)
