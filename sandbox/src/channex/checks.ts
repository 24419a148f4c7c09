import { isCurrency } from './money.ts'
import { invalid } from './errors.ts'

/** The error of a value; undefined when it is valid. */
export type Check = (value: unknown) => string | undefined

export type Fields = Record<string, { check: Check; required?: true; fallback?: unknown }>

export type Given = Record<string, unknown>

/**
 * The known fields of what was sent, merged into what was there. Unknown fields are ignored, and all errors are
 * reported together.
 */
export function cast(
  given: Given,
  fields: Fields,
  before: object = {},
  crossCheck: CrossCheck = () => ({}),
): Given {
  const kept = before as Given
  const attributes: Given = {}
  const errors: Record<string, string[]> = {}
  for (const [name, { check, required, fallback = null }] of Object.entries(fields)) {
    const value = Object.hasOwn(given, name) ? given[name] : (kept[name] ?? fallback)
    const blank = value === null || value === undefined || value === ''
    attributes[name] = blank ? fallback : value
    const message = blank ? (required ? "can't be blank" : undefined) : check(value)
    if (message) errors[name] = [message]
  }
  if (Object.keys(errors).length === 0) Object.assign(errors, crossCheck(attributes))
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return attributes
}

/** Checks that involve several fields; they run only when each field is valid by itself. */
type CrossCheck = (attributes: Given) => Record<string, string[]>

export function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isInvalid = 'is invalid'

export const text =
  (max: number): Check =>
  (value) => {
    if (typeof value !== 'string') return isInvalid
    if (value.trim() === '') return "can't be blank"
    return value.length > max ? `should be at most ${max} character(s)` : undefined
  }

export const whole =
  (min: number, max = Number.MAX_SAFE_INTEGER): Check =>
  (value) => {
    if (!Number.isInteger(value)) return isInvalid
    if (Number(value) < min) return `must be greater than or equal to ${min}`
    return Number(value) > max ? `must be less than or equal to ${max}` : undefined
  }

export const positive: Check = (value) =>
  !Number.isInteger(value) ? isInvalid : Number(value) > 0 ? undefined : 'must be greater than 0'

export const flag: Check = (value) => (typeof value === 'boolean' ? undefined : isInvalid)

export const oneOf =
  (...values: string[]): Check =>
  (value) =>
    values.some((one) => one === value) ? undefined : isInvalid

export const matching =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? undefined : isInvalid

export const list: Check = (value) => (Array.isArray(value) ? undefined : isInvalid)

export const object: Check = (value) => (isObject(value) ? undefined : isInvalid)

export const currency: Check = (value) => (isCurrency(value) ? undefined : isInvalid)

/** Degrees as decimal text; a number is taken too. */
export const degrees =
  (max: number): Check =>
  (value) => {
    if (!/^-?\d{1,3}(\.\d{1,7})?$/.test(String(value))) return isInvalid
    return Math.abs(Number(value)) <= max ? undefined : isInvalid
  }

export const address: Check = (value) =>
  typeof value === 'string' && URL.canParse(value) && /^https?:/i.test(value) ? undefined : isInvalid

export const timezone: Check = (value) => {
  if (typeof value !== 'string') return isInvalid
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return undefined
  } catch {
    return isInvalid
  }
}

/** One value for all days, or seven from Monday on. */
export const everyDay =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return check(value)
    return value.length === 7 ? value.map(check).find((message) => message !== undefined) : isInvalid
  }
