/** Amounts are kept in the smallest unit of their currency and shown as decimal text. */

export function toDecimal(minor: number, currency: string): string {
  const digits = fractionDigits(currency)
  return (minor / 10 ** digits).toFixed(digits)
}

/** Reads whole numbers as smallest units and strings as decimals; undefined for anything else. */
export function toMinor(value: unknown, currency: string): number | undefined {
  if (Number.isSafeInteger(value)) return value as number
  const [, sign, whole, fraction = ''] =
    (typeof value === 'string' && /^(-?)(\d{1,12})(?:\.(\d+))?$/.exec(value)) || []
  const digits = fractionDigits(currency)
  if (whole === undefined || fraction.length > digits) return undefined
  return Number(`${sign}${whole}${fraction.padEnd(digits, '0')}`)
}

const knownCurrencies = new Set(Intl.supportedValuesOf('currency'))

export function isCurrency(value: unknown): value is string {
  return typeof value === 'string' && knownCurrencies.has(value)
}

const noDecimals = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' ')
const threeDecimals = 'BHD IQD JOD KWD LYD OMR TND'.split(' ')

/** By ISO 4217; `Intl` has another number for some currencies. */
const fractionDigits = (currency: string): number =>
  noDecimals.includes(currency) ? 0 : threeDecimals.includes(currency) ? 3 : 2
