import { HttpError } from '../http/request.ts'

/** The error of a value; undefined when it is valid. */
export type Check = (value: unknown) => string | undefined

export const maxCents = 2_147_483_647

export function record(value: unknown, field: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw invalid(field, 'must be an object')
}

export function invalid(field: string, message: string) {
  return new HttpError(422, 'invalid', `${field || 'the body'} ${message}`, field)
}

export function text(min: number, max: number): Check {
  return (value) => {
    if (typeof value !== 'string') return 'must be text'
    if (value.length < min) return 'must not be empty'
    if (value.length > max) return `must not be longer than ${max}`
    if (value.includes('\0') || !value.isWellFormed()) return 'contains characters that cannot be stored'
    return undefined
  }
}

export function integer(min: number, max: number): Check {
  return (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`
}

export function matching(pattern: RegExp, name: string): Check {
  return (value) => (typeof value === 'string' && pattern.test(value) ? undefined : `must be ${name}`)
}

export function boolean(value: unknown) {
  return typeof value === 'boolean' ? undefined : 'must be true or false'
}

export function orNull(check: Check): Check {
  return (value) => (value === null ? undefined : check(value))
}
