import { isIP } from 'node:net'
import { Type, type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox'
import { trimTrailingSlashes } from '#schema/fields.ts'
import { parseSecretKeys, type SecretFormat, type SecretKey } from './secrets.ts'

/** The kinds of settings: TypeBox types that also name the variable of the environment they are read from. */

export interface SettingOptions {
  /** Taken when the variable is not set. `{NAME}` stands for the value of a setting declared before. */
  readonly default?: string | number | boolean
  /** Nothing starts without it. In an optional group: the group is null without it. */
  readonly required?: true
  readonly secret?: SecretFormat
}

/** A declared setting, as it is read and documented. */
export interface Setting extends TSchema, SettingOptions {
  readonly variable: string
  readonly description: string
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly string[]
}

/** An optional group is null unless all its required settings are given; some without the others are a fault. */
export interface SettingGroup {
  readonly properties: TProperties
  readonly isOptional?: true
}

interface NumberOptions extends SettingOptions {
  readonly range: readonly [minimum: number, maximum: number]
}

/** A setting that is neither required nor has a default may be null. */
type Declared<Value, Given> = TUnsafe<
  Given extends { required: true } | { default: unknown } ? Value : Value | null
>

/** A function that declares settings of one type. */
const kind =
  <Value, Options extends SettingOptions = SettingOptions, Always = unknown>(
    makeType: (options: Options) => TSchema,
    always?: Always,
  ) =>
  <const Given extends Options>(variable: string, description: string, options = {} as Given) =>
    Object.assign(makeType(options), { variable, description, ...always, ...options }) as unknown as Declared<
      Value,
      Given & Always
    >

export const text = kind<string>(() => Type.String())
export const choice = kind<string, SettingOptions & { readonly enum: readonly string[] }>(() => Type.String())
export const flag = kind<boolean, { default: boolean }>(() => Type.Boolean())
export const integer = kind<number, NumberOptions>(({ range }) => Type.Integer(limits(range)))
export const number = kind<number, NumberOptions>(({ range }) => Type.Number(limits(range)))

/** Given in MiB, read as bytes. */
export const mebibytes = kind<number, NumberOptions>(({ range }) =>
  Type.Decode(Type.Integer(limits(range)), (count) => count * 1_048_576),
)

const limits = ([minimum, maximum]: NumberOptions['range']) => ({ minimum, maximum })

const url = (...protocols: string[]) =>
  Type.Refine(
    Type.Refine(
      Type.String(),
      (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol),
      () =>
        `must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`,
    ),
    (value) => !URL.canParse(value) || hasDecodableLogin(new URL(value)),
    () => 'must have a user and a password that are percent-encoded: %25 stands for %.',
  )

function hasDecodableLogin({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}:${password}`)
    return true
  } catch {
    return false
  }
}

export const webUrl = kind<string>(() => url('http:', 'https:'))
export const postgresUrl = kind<string>(() => url('postgres:', 'postgresql:'))
export const redisUrl = kind<string>(() => url('redis:', 'rediss:'))
export const smtpUrl = kind<string>(() => url('smtp:', 'smtps:'))

/** A URL that paths are appended to. */
export const baseUrl = kind<string>(() => Type.Decode(url('http:', 'https:'), trimTrailingSlashes))

/** Values with commas between them; none when the variable is not set. */
export const list = kind<string[], SettingOptions, { default: '' }>(() => Type.Array(Type.String()), {
  default: '',
})

export const hostPorts = kind<{ host: string; port: number }[], SettingOptions, { default: '' }>(
  () => {
    const hostPort = Type.Refine(
      Type.String(),
      (value) => /^([\w.-]+|\[[\da-f:]+\]):\d{1,5}$/i.test(value),
      (value) => `must be addresses such as cache-1.example:26379, not "${value}".`,
    )
    return Type.Decode(Type.Array(hostPort), (given) =>
      given.map((value) => {
        const colon = value.lastIndexOf(':')
        return { host: value.slice(0, colon).replace(/[[\]]/g, ''), port: Number(value.slice(colon + 1)) }
      }),
    )
  },
  { default: '' },
)

export const origins = kind<string[], SettingOptions, { default: '' }>(
  () =>
    Type.Array(
      Type.Refine(
        Type.String(),
        (value) => URL.canParse(value) && new URL(value).origin === value && !value.includes('*'),
        (value) => `must be origins such as https://app.example, not "${value}".`,
      ),
    ),
  { default: '' },
)

/** The sender of a mail. Without an address, mails have no sender, and are thrown away on their way. */
export const sender = kind<string>(() =>
  Type.Refine(
    Type.String(),
    (value) => /^(.*<[^\s@<>,]+@[^\s@<>,]+>|[^\s@<>,]+@[^\s@<>,]+)$/.test(value),
    (value) => `must be one line, Name <address> or an address, not "${value}".`,
  ),
)

/** `name=value` pairs with commas between them, percent-encoded, as OpenTelemetry defines them. */
export const pairs = kind<Record<string, string>, SettingOptions, { default: '' }>(
  () => {
    const pair = Type.Refine(
      Type.String(),
      (value) => parsePair(value) !== undefined,
      () => 'must be name=value pairs with commas between them, the values percent-encoded.',
    )
    return Type.Decode(Type.Array(pair), (given) =>
      Object.fromEntries(given.map((value) => parsePair(value)!)),
    )
  },
  { default: '' },
)

function parsePair(pair: string): [name: string, value: string] | undefined {
  const equals = pair.indexOf('=')
  if (equals <= 0) return undefined
  try {
    const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)]
    return [decodeURIComponent(name.trim()), decodeURIComponent(value.trim())]
  } catch {
    return undefined
  }
}

export const secretKeys = kind<SecretKey[]>(() => {
  const pairs = Type.Refine(
    Type.String(),
    (value) =>
      parseSecretKeys(value).every(({ id, bytes }) => /^[\w-]{1,32}$/.test(id) && bytes.length === 32),
    () => 'must be id:base64 pairs of 32 bytes each, with commas between them.',
  )
  const distinct = Type.Refine(
    pairs,
    (value) =>
      parseSecretKeys(value).every(({ id }, at, all) => all.findIndex((key) => key.id === id) === at),
    () => 'names the same key id twice.',
  )
  return Type.Decode(distinct, parseSecretKeys)
})

/** How many proxies stand in front, or their addresses and networks. */
export const proxies = kind<false | number | string[]>(() => {
  const type = Type.Refine(
    Type.String(),
    (value) => /^(true|false|\d)$/.test(value) || value.split(',').every((part) => isNetwork(part.trim())),
    () => 'must be true, false, a number of proxies up to 9, or addresses with commas between them.',
  )
  return Type.Decode(type, (value) => {
    if (value === 'true') return 1
    return /^(false|\d)$/.test(value) ? Number(value) || false : value.split(',').map((part) => part.trim())
  })
})

function isNetwork(value: string): boolean {
  const [address = '', length] = value.split('/')
  const maxLength = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!
  return length === undefined
    ? maxLength > 0
    : /^\d{1,3}$/.test(length) && Number(length) > 0 && Number(length) <= maxLength
}

export const optionalGroup = <P extends TProperties>(properties: P) =>
  Object.assign(Type.Object(properties), { isOptional: true }) as unknown as TUnsafe<Static<
    TObject<P>
  > | null>
