/** Money is whole minor units of its currency, however many decimals that has. */

/** The product of whole numbers, which may pass what a number holds before it is divided again. */
export const product = (...factors: readonly number[]): bigint =>
  factors.reduce((sum, factor) => sum * BigInt(factor), 1n)

/** A fraction of whole minor units, half a unit up. Neither part may be negative. */
export const rounded = (numerator: bigint, denominator: bigint): number =>
  Number((2n * numerator + denominator) / (2n * denominator))

const formats = new Map<string, Intl.NumberFormat>()

/** As a reader of English writes it: `EUR 120.00`, `JPY 12,000`, `BHD 12.000`. */
export function money(cents: number, currency: string): string {
  let format = formats.get(currency)
  if (!format) {
    const options = { style: 'currency', currency, currencyDisplay: 'code' } as const
    format = new Intl.NumberFormat('en', options)
    formats.set(currency, format)
  }
  const digits = format.resolvedOptions().maximumFractionDigits!
  const text = String(cents).padStart(digits + 1, '0')
  const decimal = digits > 0 ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text
  // As text, because Intl takes decimals of any length exactly; and plain spaces, which everybody can search for.
  return format.format(decimal as unknown as number).replace(/\s/g, ' ')
}
