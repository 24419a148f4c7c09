/** Amounts are integer minor units here; a PMS sends decimal text or numbers in major units. */
import { minorUnitDigits } from '#schema/money.ts'

export const isCurrencyCode = (code: unknown): code is string =>
  typeof code === 'string' && /^[a-z]{3}$/i.test(code)

export const toMajorUnits = (minorUnits: number, currency: string): number =>
  minorUnits / 10 ** minorUnitDigits(currency)

/** Minor units of a number, or of text that is a number; null when it is not an amount of a currency. */
export function fromMajorUnits(majorUnits: unknown, currency: unknown): number | null {
  const amount = parseMajorUnits(majorUnits)
  if (amount === null || !isCurrencyCode(currency)) return null
  return Math.round(amount * 10 ** minorUnitDigits(currency))
}

export function parseMajorUnits(value: unknown): number | null {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof amount === 'number' && Number.isFinite(amount) ? amount : null
}

/** Minor units of decimal text such as `138.00`; null when it is not an exact amount of that currency. */
export function fromDecimal(decimal: unknown, currency: string): number | null {
  const [, sign, whole, fraction = ''] =
    (typeof decimal === 'string' && /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/.exec(decimal)) || []
  if (whole === undefined || !isCurrencyCode(currency)) return null
  const digits = minorUnitDigits(currency)
  if (/[^0]/.test(fraction.slice(digits))) return null
  return Number(`${sign}${whole}${fraction.slice(0, digits).padEnd(digits, '0')}`)
}
