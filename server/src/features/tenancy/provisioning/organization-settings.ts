import { semanticError } from '#errors.ts'
import { isCurrency } from '#schema/fields.ts'
import { isTimeZone } from '#schema/nights.ts'
import { isLanguage, languages } from '#schema/language.ts'

/** A setting of an organization that `vacancy org set` can change. */
interface Setting {
  readonly label: string
  /** Its place in `organizations.settings`. */
  readonly path: readonly string[]
  readonly defaultText: string
  readonly parse: (text: string) => string | number | undefined
  /** Describes valid values in the error message. */
  readonly expected: string
}

const wholeNumber = (min: number, max: number) => ({
  expected: `a whole number from ${min} to ${max}`,
  parse: (text: string) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    return number >= min && number <= max ? number : undefined
  },
})

const organizationTiers = ['free', 'paid', 'enterprise'] as const

/** @throws Invalid */
export function assertOrganization({
  name,
  tier,
  identityId,
}: Partial<Record<'name' | 'tier' | 'identityId', string | undefined>>) {
  if (name !== undefined && (!name.trim() || name.length > 255))
    throw semanticError('name', 'The name must have 1 to 255 characters.')
  if (identityId !== undefined && !/^[\x21-\x7e]{1,255}$/.test(identityId))
    throw semanticError('identityId', 'The identity id must have 1 to 255 ASCII characters without spaces.')
  if (tier !== undefined && !(organizationTiers as readonly string[]).includes(tier))
    throw semanticError('tier', `The tier must be one of ${organizationTiers.join(', ')}.`)
}

const organizationSettings = {
  currency: {
    label: 'Currency',
    path: ['default_currency'],
    defaultText: 'usd',
    expected: 'an ISO 4217 currency such as eur',
    parse: (text) => (isCurrency(text.toLowerCase()) ? text.toLowerCase() : undefined),
  },
  timezone: {
    label: 'Time zone',
    path: ['default_timezone'],
    defaultText: 'UTC',
    expected: 'an IANA time zone such as Europe/Lisbon',
    parse: (text) => (isTimeZone(text) ? text : undefined),
  },
  locale: {
    label: 'Locale',
    path: ['locale'],
    defaultText: 'en',
    expected: `a locale such as pt-PT, in one of ${languages.join(', ')}`,
    parse: (text) => canonicalLocale(text),
  },
  holdMinutes: {
    label: 'Rooms are held for minutes',
    path: ['booking', 'hold_minutes'],
    defaultText: '30',
    ...wholeNumber(1, 10_080),
  },
  freeUntilDays: {
    label: 'Cancelling is free until days before',
    path: ['booking', 'cancellation_policy', 'free_until_days'],
    defaultText: '1',
    ...wholeNumber(0, 365),
  },
  refundPercent: {
    label: 'Percent refunded after that',
    path: ['booking', 'cancellation_policy', 'refund_percent'],
    defaultText: '0',
    ...wholeNumber(0, 100),
  },
  guestRetentionDays: {
    label: 'Guests are kept for days',
    path: ['retention', 'guest_days'],
    defaultText: 'GUEST_RETENTION_DAYS',
    ...wholeNumber(30, 36_500),
  },
} as const satisfies Record<string, Setting>

export type SettingChanges = { readonly [name in keyof typeof organizationSettings]?: string }

type Json = Record<string, unknown>

/** Returns the settings with these changes. The value `default` removes a setting. @throws Invalid naming the setting */
export function applySettings(settings: Json, changes: SettingChanges): Json {
  const changed = structuredClone(settings)
  for (const [name, text] of Object.entries(changes)) {
    if (text === undefined) continue
    const { path, parse, expected } = organizationSettings[name as keyof typeof organizationSettings]
    if (text === 'default') setAtPath(changed, path, undefined)
    else {
      const value = parse(text)
      if (value === undefined)
        throw semanticError(name, `${optionOf(name)} must be ${expected}, or default, not "${text}".`)
      setAtPath(changed, path, value)
    }
  }
  return changed
}

/** The option of the command: `--hold-minutes` for `holdMinutes`. */
const optionOf = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Label and value of each setting; a default value is marked as such. */
export const describeSettings = (settings: Json): [label: string, value: string][] =>
  Object.values(organizationSettings).map(({ label, path, defaultText }: Setting) => {
    const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), settings)
    return [label, value === undefined ? `${defaultText} (default)` : formatValue(value)]
  })

/** Sets the value at a path. `undefined` removes it, together with objects that become empty. */
function setAtPath(at: Json, [key, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0 && value !== undefined) at[key!] = value
  else if (rest.length === 0) delete at[key!]
  else {
    const inner = isObject(at[key!]) ? (at[key!] as Json) : {}
    setAtPath(inner, rest, value)
    if (Object.keys(inner).length > 0) at[key!] = inner
    else delete at[key!]
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function canonicalLocale(text: string): string | undefined {
  try {
    const [tag] = Intl.getCanonicalLocales(text)
    return tag && isLanguage(tag.split('-')[0]!) ? tag : undefined
  } catch {
    return undefined
  }
}

const formatValue = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
