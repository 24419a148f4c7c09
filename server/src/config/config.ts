import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { secretsIn, type GivenSecret } from './secrets.ts'
import type { Setting, SettingGroup } from './setting-types.ts'
import { settings } from './settings.ts'

/** The checked and frozen configuration. Only entry points read `process.env`, and pass it to `readConfig`. */
export type Config = DeepReadonly<Static<typeof settings>> & {
  /** All secrets among the settings, to track the age of each. */
  readonly secrets: { readonly given: readonly GivenSecret[] }
}

type DeepReadonly<T> = T extends Buffer
  ? T
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T

/** All faults of the environment at once, one line each. */
export class ConfigError extends Error {
  readonly faults: string[]
  constructor(faults: string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/** Reads the variables of the environment. @throws ConfigError with all faults at once. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const faults = new Set<string>()
  const values = new Map<string, unknown>()
  const given: GivenSecret[] = []
  const textOf = (variable: string) => env[variable]?.trim() || null

  const readSetting = (setting: Setting): unknown => {
    const { variable, secret } = setting
    const text = textOf(variable)
    if (text === null) return defaultOf(setting, values)
    if (secret) given.push(...secretsIn(variable, secret, text))
    const problems = problemsOf(setting, text)
    for (const problem of problems) faults.add(`${variable} ${problem}`)
    return problems.length === 0 ? Value.Decode(setting, convert(setting, text)) : null
  }

  const readGroup = ({ properties, isOptional }: SettingGroup): unknown => {
    const required = Object.values(properties).flatMap((member) =>
      !isGroup(member) && (member as Setting).required ? (member as Setting).variable : [],
    )
    const missing = required.filter((variable) => textOf(variable) === null)
    if (!isOptional) for (const variable of missing) faults.add(`${variable} is missing.`)
    else if (missing.length > 0 && missing.length < required.length)
      faults.add(`${required[0]} goes together with ${required.slice(1).join(' and ')}.`)
    const group: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(properties)) {
      group[name] = isGroup(member) ? readGroup(member) : readSetting(member as Setting)
      if (!isGroup(member)) values.set((member as Setting).variable, group[name])
    }
    return isOptional && missing.length > 0 ? null : group
  }

  const config = readGroup(settings) as Config
  if (faults.size > 0) throw new ConfigError([...faults])
  return deepFreeze({ ...config, secrets: { ...config.secrets, given } })
}

/** One row for each setting, as the table in docs/operations.md shows them. */
export function listSettings(group: SettingGroup = settings): (Setting & { readonly isRequired: boolean })[] {
  return Object.values(group.properties).flatMap((member) => {
    if (isGroup(member)) return listSettings(member)
    const setting = member as Setting
    return { ...setting, isRequired: setting.required === true && !group.isOptional }
  })
}

const isGroup = (member: TSchema): member is TSchema & SettingGroup => 'properties' in member

/** A default may name settings declared before it; it is null when one of those is. */
function defaultOf(setting: Setting, values: ReadonlyMap<string, unknown>): unknown {
  if (setting.default === undefined) return null
  let isKnown = true
  const text = String(setting.default).replace(/\{(\w+)\}/g, (_, variable: string) => {
    const value = values.get(variable) as string | number | null
    isKnown &&= value !== null
    return String(value)
  })
  return isKnown ? Value.Decode(setting, convert(setting, text)) : null
}

function problemsOf(setting: Setting, text: string): string[] {
  const { type, minimum, maximum, enum: choices } = setting
  const expected =
    type === 'boolean'
      ? 'true or false'
      : choices
        ? `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
        : `a ${type === 'integer' ? 'whole ' : ''}number from ${minimum} to ${maximum}`
  return Value.Errors(setting, convert(setting, text)).map(({ keyword, message }) =>
    keyword === '~refine' ? message : `must be ${expected}, not "${text}".`,
  )
}

/** Text of the environment as the type of its setting wants it. What cannot be converted fails the check. */
function convert({ type }: Setting, text: string): unknown {
  if (type === 'integer' || type === 'number') return Number(text)
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  if (type === 'array')
    return text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
  return text
}

function deepFreeze<T>(value: T): T {
  if (value && typeof value === 'object' && !ArrayBuffer.isView(value)) {
    Object.values(value).forEach(deepFreeze)
    Object.freeze(value)
  }
  return value
}
