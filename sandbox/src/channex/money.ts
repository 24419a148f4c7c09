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

const digitsByCurrency = new Map<string, number>()

function fractionDigits(currency: string): number {
  let digits = digitsByCurrency.get(currency)
  if (digits === undefined) {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency })
    digits = format.resolvedOptions().maximumFractionDigits ?? 2
    digitsByCurrency.set(currency, digits)
  }
  return digits
}
