import { ApiError } from './envelope.ts'

/** The check of a member of a body, and the vendor's name for what it must be. */
export type Check = { kind: string; fits: (value: unknown) => boolean }
export type Checks = Record<string, Check>
export type Values = Record<string, unknown>

export const text: Check = { kind: 'a string', fits: (value) => typeof value === 'string' }
export const float: Check = { kind: 'a number', fits: (value) => Number.isFinite(value) }
export const amount: Check = {
  kind: 'a number from 0',
  fits: (value) => float.fits(value) && Number(value) >= 0,
}
export const integer: Check = { kind: 'an integer', fits: (value) => Number.isSafeInteger(value) }
/** The vendor's booleans are numbers. */
export const flag: Check = { kind: '0 or 1', fits: (value) => value === 0 || value === 1 }
export const date: Check = { kind: 'a date in Y-m-d format', fits: isDate }

export function integerFrom(least: number): Check {
  return { kind: `an integer from ${least}`, fits: (value) => integer.fits(value) && Number(value) >= least }
}

export function oneOf(...values: string[]): Check {
  return { kind: `one of ${values.join(', ')}`, fits: (value) => values.some((one) => one === value) }
}

/** The known members of a body. Others are ignored, as by the vendor; null is always valid. */
export function readFields(
  body: unknown,
  checks: Checks,
  fail: (name: string, check: Check) => ApiError,
): Values {
  const given = readObject(body)
  const values: Values = {}
  for (const [name, check] of Object.entries(checks)) {
    const value = given[name]
    if (value === undefined) continue
    if (value !== null && !check.fits(value)) throw fail(name, check)
    values[name] = value
  }
  return values
}

export function readObject(body: unknown, what = 'The request body'): Values {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Values
  throw new ApiError(400, `${what} must be an object.`)
}

export const mustBe = (name: string, { kind }: Check) => new ApiError(400, `"${name}" must be ${kind}.`)

/** The members that are not null: for the vendor, null leaves a member as it was. */
export function withoutNulls(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}

/** The value if it is text, else an empty text. */
export const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

export function isWebAddress(value: unknown) {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

function isDate(value: unknown) {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
  const time = Date.parse(`${value}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}
