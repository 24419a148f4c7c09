/** Money is whole minor units of its currency, however many decimals that has. */

/** The product of whole numbers as a bigint, because it may exceed 2^53 before it is divided again. */
export const product = (...factors: readonly number[]): bigint =>
  factors.reduce((sum, factor) => sum * BigInt(factor), 1n)

/** The quotient in whole minor units, rounded half up. Neither argument may be negative. */
export const roundedQuotient = (numerator: bigint, denominator: bigint): number =>
  Number((2n * numerator + denominator) / (2n * denominator))

const decimals = new Map([
  ...'bif clp djf gnf isk jpy kmf krw pyg rwf ugx vnd vuv xaf xof xpf'
    .split(' ')
    .map((code) => [code, 0] as const),
  ...'bhd iqd jod kwd lyd omr tnd'.split(' ').map((code) => [code, 3] as const),
])

/**
 * The decimals of the minor unit, by ISO 4217. `Intl` says how many are usual in print, which is another number for some
 * currencies and changes with its data: none for the forint, the rupiah and the Colombian peso since CLDR 48.
 */
export const minorUnitDigits = (currency: string): number => decimals.get(currency.toLowerCase()) ?? 2

const formats = new Map<string, Intl.NumberFormat>()

/** Formats an amount in English: `EUR 120.00`, `JPY 12,000`, `BHD 12.000`. */
export function formatMoney(cents: number, currency: string): string {
  const digits = minorUnitDigits(currency)
  let format = formats.get(currency)
  if (!format) {
    const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits }
    const options = { style: 'currency', currency, currencyDisplay: 'code', ...fraction } as const
    format = new Intl.NumberFormat('en', options)
    formats.set(currency, format)
  }
  const text = String(cents).padStart(digits + 1, '0')
  const decimal = digits > 0 ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text
  // Passed as text, which Intl formats exactly at any length. Plain spaces, so that the text can be searched.
  return format.format(decimal as unknown as number).replace(/\s/g, ' ')
}
