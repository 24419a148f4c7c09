import { PaymentsFailure } from './payments-failure.ts'

/**
 * How many of the vendor's units one minor unit of ISO 4217 is, where the two differ: it counts the crown of Iceland
 * and the shilling of Uganda as if they had hundredths, and the ariary as if it had none.
 */
const factors: Record<string, number> = { isk: 100, ugx: 100, mga: 0.01 }

export function toVendor(amount: number, currency: string): number {
  const amountThere = amount * (factors[currency] ?? 1)
  if (!Number.isInteger(amountThere))
    throw new PaymentsFailure(
      'refused',
      `${amount} ${currency} cannot be paid: the provider has no such part.`,
      {
        reason: 'amount_not_divisible',
      },
    )
  return amountThere
}

export const fromVendor = (amount: number, currency: string): number => amount / (factors[currency] ?? 1)
