/** Amounts are whole minor units with us, and decimal text when Channex tells them. */

const digitsByCurrency = new Map<string, number>()

/** Minor units of a decimal text such as `138.00`; null when it is no amount of that currency. */
export function toMinorUnits(decimal: unknown, currency: string): number | null {
  const [, sign, whole, fraction = ''] =
    (typeof decimal === 'string' && /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/.exec(decimal)) || []
  const digits = fractionDigits(currency)
  if (whole === undefined || digits === null || /[^0]/.test(fraction.slice(digits))) return null
  return Number(`${sign}${whole}${fraction.slice(0, digits).padEnd(digits, '0')}`)
}

function fractionDigits(currency: string): number | null {
  if (!/^[a-z]{3}$/i.test(currency)) return null
  let digits = digitsByCurrency.get(currency)
  if (digits === undefined) {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency })
    digits = format.resolvedOptions().maximumFractionDigits ?? 2
    digitsByCurrency.set(currency, digits)
  }
  return digits
}
