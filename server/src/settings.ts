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

export function deepFreeze<T>(value: T): T {
  if (value && typeof value === 'object' && !ArrayBuffer.isView(value)) {
    Object.values(value).forEach(deepFreeze)
    Object.freeze(value)
  }
  return value
}
