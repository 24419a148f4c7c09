import { ApiError } from './errors.ts'

/** A parsed form or query: texts, and objects of them. */
export type Form = { [name: string]: string | Form }

const maxDepth = 5

/** Reads `a[b]=c` as `{a: {b: 'c'}}`, and `a[]=b` with numbers for names. */
export function readForm(text: string): Form {
  const form: Form = Object.create(null) as Form
  for (const [name, value] of new URLSearchParams(text)) put(form, stepsOf(name), value)
  return form
}

function stepsOf(name: string): string[] {
  const steps = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name)
  if (!steps) throw new ApiError(`Invalid parameter name: ${name}`, { param: name })
  return [steps[1]!, ...[...steps[2]!.matchAll(/\[([^[\]]*)\]/g)].map(([, step]) => step!)]
}

function put(form: Form, steps: string[], value: string) {
  if (steps.length > maxDepth) throw new ApiError(`Too many levels: ${steps.join('.')}`)
  const [first, ...rest] = steps as [string, ...string[]]
  const name = first === '' ? String(Object.keys(form).length) : first
  if (rest.length === 0) {
    form[name] = value
    return
  }
  const inner = form[name] ?? (Object.create(null) as Form)
  if (typeof inner === 'string') throw new ApiError(`Invalid object: ${name}`, { param: name })
  form[name] = inner
  put(inner, rest, value)
}

export function assertKnown(form: Form, known: readonly string[]) {
  for (const name of Object.keys(form))
    if (!known.includes(name))
      throw new ApiError(`Received unknown parameter: ${name}`, { code: 'parameter_unknown', param: name })
}

export function textOf(form: Form, param: string): string | undefined {
  const value = form[param]
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'string') throw new ApiError(`Invalid string: ${param}`, { param })
  return value
}

export function wholeOf(form: Form, param: string): number | undefined {
  const text = textOf(form, param)
  if (text === undefined) return undefined
  if (!/^-?\d{1,15}$/.test(text))
    throw new ApiError(`Invalid integer: ${text}`, { code: 'parameter_invalid_integer', param })
  return Number(text)
}

export function oneOf<const T extends string>(form: Form, param: string, allowed: readonly T[]) {
  const text = textOf(form, param)
  if (text === undefined) return undefined
  if (!allowed.includes(text as T))
    throw new ApiError(`Invalid ${param}: must be one of ${allowed.join(', ')}`, { param })
  return text as T
}

/** Up to 50 texts of up to 500 characters, as Stripe allows. */
export function metadataOf(form: Form): Record<string, string> {
  const given = form['metadata']
  if (given === undefined || given === '') return {}
  if (typeof given === 'string') throw new ApiError('Invalid object', { param: 'metadata' })
  const entries = Object.entries(given)
  if (entries.length > 50) throw new ApiError('Metadata has more than 50 keys.', { param: 'metadata' })
  for (const [name, value] of entries)
    if (typeof value !== 'string' || name.length > 40 || value.length > 500)
      throw new ApiError('Metadata is text of up to 500 characters.', { param: `metadata[${name}]` })
  return { ...(given as Record<string, string>) }
}
