import { Refusal } from '../json-http.ts'

/** Says what is wrong with a value, or nothing. */
export type Check = (value: unknown) => string | undefined

export const largestCents = 2_147_483_647

export function record(value: unknown, field: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw invalid(field, 'must be an object')
}

export function invalid(field: string, message: string) {
  return new Refusal(422, 'invalid', `${field || 'the body'} ${message}`, field)
}

export function text(least: number, most: number): Check {
  return (value) => {
    if (typeof value !== 'string') return 'must be text'
    if (value.length < least) return 'must not be empty'
    if (value.length > most) return `must not be longer than ${most}`
    if (value.includes('\0') || !value.isWellFormed()) return 'holds characters that cannot be kept'
    return undefined
  }
}

export function whole(least: number, most: number): Check {
  return (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `must be a whole number from ${least} to ${most}`
}

export function matching(pattern: RegExp, name: string): Check {
  return (value) => (typeof value === 'string' && pattern.test(value) ? undefined : `must be ${name}`)
}

export function yesOrNo(value: unknown) {
  return typeof value === 'boolean' ? undefined : 'must be true or false'
}

export function orNull(check: Check): Check {
  return (value) => (value === null ? undefined : check(value))
}
