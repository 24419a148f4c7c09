/** Amounts are whole minor units with us, and numbers in major units at Hostaway. */

const digitsByCurrency = new Map<string, number>()

export const toMajorUnits = (minorUnits: number, currency: string): number =>
  minorUnits / 10 ** fractionDigits(currency)

/** Null when it is no amount of a currency. */
export function toMinorUnits(majorUnits: unknown, currency: unknown): number | null {
  const amount = typeof majorUnits === 'string' && majorUnits.trim() !== '' ? Number(majorUnits) : majorUnits
  if (typeof amount !== 'number' || !Number.isFinite(amount) || !isCurrency(currency)) return null
  return Math.round(amount * 10 ** fractionDigits(currency))
}

export const isCurrency = (code: unknown): code is string =>
  typeof code === 'string' && /^[a-z]{3}$/i.test(code)

function fractionDigits(currency: string): number {
  let digits = digitsByCurrency.get(currency)
  if (digits === undefined) {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency })
    digits = format.resolvedOptions().maximumFractionDigits ?? 2
    digitsByCurrency.set(currency, digits)
  }
  return digits
}
