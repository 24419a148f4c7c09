import type { SecretForm } from './secret-kinds.ts'

export interface Setting {
  readonly name: string
  readonly summary: string
  readonly fallback?: string
  /** What is told to nobody, and changed from time to time. */
  readonly secret?: SecretForm
  /** Without it nothing starts. `vacancy start` brings its own. */
  readonly required?: true
}

import { isIP } from 'node:net'

/** Reads variables one at a time and collects what is wrong with them, so that a person mends all in one go. */
export function readSettings<Name extends string>(env: Record<string, string | undefined>) {
  const faults: string[] = []
  const fault = (name: Name, problem: string) => void faults.push(`${name} ${problem}`)
  const given = (name: Name) => env[name]?.trim() || null
  return {
    faults,
    fault,
    given,
    required: (name: Name) => given(name) ?? (fault(name, 'is missing.'), ''),
    number(name: Name, fallback: number, low: number, high: number, whole = true): number {
      const text = given(name)
      if (text === null) return fallback
      const value = Number(text)
      const fits = value >= low && value <= high && (!whole || Number.isInteger(value))
      if (!fits)
        fault(name, `must be a ${whole ? 'whole ' : ''}number from ${low} to ${high}, not "${text}".`)
      return value
    },
    flag(name: Name, fallback: boolean): boolean {
      const text = given(name)
      if (text !== null && text !== 'true' && text !== 'false')
        fault(name, `must be true or false, not "${text}".`)
      return text === null ? fallback : text === 'true'
    },
    url(name: Name, protocols: string[], text = given(name)): string | null {
      if (text && !(URL.canParse(text) && protocols.includes(new URL(text).protocol)))
        fault(name, `must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}.`)
      return text
    },
    list: (name: Name) =>
      (given(name) ?? '')
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
  }
}

export interface SecretKey {
  readonly id: string
  readonly bytes: Buffer
}

/** `id:base64` of 32 bytes each, with commas between them. */
export function readSecretKeys(text: string, fault: (problem: string) => void): SecretKey[] {
  const keys = text
    .split(',')
    .filter(Boolean)
    .map((part) => {
      const [id = '', base64 = ''] = part.trim().split(':')
      return { id, bytes: Buffer.from(base64, 'base64') }
    })
  if (keys.some(({ id, bytes }) => !/^[\w-]{1,32}$/.test(id) || bytes.length !== 32))
    fault('must be id:base64 pairs of 32 bytes each, with commas between them.')
  if (new Set(keys.map(({ id }) => id)).size !== keys.length) fault('names the same key id twice.')
  return keys
}

/** How many proxies stand in front, or their addresses and networks. */
export function readProxies(
  text: string | null,
  fault: (problem: string) => void,
): false | number | string[] {
  if (text === null || text === 'false') return false
  if (text === 'true') return 1
  if (/^\d$/.test(text)) return Number(text) || false
  const places = text.split(',').map((place) => place.trim())
  if (!places.every(isNetwork))
    fault('must be true, false, a number of proxies up to 9, or addresses with commas between them.')
  return places
}

function isNetwork(place: string): boolean {
  const [address = '', length] = place.split('/')
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!
  return length === undefined
    ? longest > 0
    : /^\d{1,3}$/.test(length) && Number(length) > 0 && Number(length) <= longest
}

export function deepFreeze<T>(value: T): T {
  if (value && typeof value === 'object' && !ArrayBuffer.isView(value)) {
    Object.values(value).forEach(deepFreeze)
    Object.freeze(value)
  }
  return value
}
