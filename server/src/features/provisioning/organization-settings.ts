import { semanticError } from '#errors.ts'
import { isCurrency, isTimeZone } from '#fields.ts'
import { isLanguage, languages } from '../notifications/locale.ts'

/** What can be set for an organization: where it stands in `settings`, what holds without it, what it may be. */
interface Setting {
  readonly label: string
  readonly path: readonly string[]
  readonly usual: string
  readonly parse: (text: string) => string | number | undefined
  /** What it must be, for the sentence that refuses something else. */
  readonly form: string
}

const wholeNumber = (min: number, max: number) => ({
  form: `a whole number from ${min} to ${max}`,
  parse: (text: string) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    return number >= min && number <= max ? number : undefined
  },
})

export const organizationTiers = ['free', 'paid', 'enterprise'] as const

/** @throws Invalid */
export function assertOrganization({ name, tier }: { name?: string | undefined; tier?: string | undefined }) {
  if (name !== undefined && (!name.trim() || name.length > 255))
    throw semanticError('name', 'The name must have 1 to 255 characters.')
  if (tier !== undefined && !(organizationTiers as readonly string[]).includes(tier))
    throw semanticError('tier', `The tier must be one of ${organizationTiers.join(', ')}.`)
}

export const organizationSettings = {
  currency: {
    label: 'Currency',
    path: ['default_currency'],
    usual: 'usd',
    form: 'an ISO 4217 currency such as eur',
    parse: (text) => (isCurrency(text.toLowerCase()) ? text.toLowerCase() : undefined),
  },
  timezone: {
    label: 'Time zone',
    path: ['default_timezone'],
    usual: 'UTC',
    form: 'an IANA time zone such as Europe/Lisbon',
    parse: (text) => (isTimeZone(text) ? text : undefined),
  },
  locale: {
    label: 'Locale',
    path: ['locale'],
    usual: 'en',
    form: `a locale such as pt-PT, in one of ${languages.join(', ')}`,
    parse: (text) => canonicalLocale(text),
  },
  holdMinutes: {
    label: 'Rooms are held',
    path: ['booking', 'hold_minutes'],
    usual: '30',
    ...wholeNumber(1, 10_080),
  },
  freeUntilDays: {
    label: 'Cancelling is free until days before',
    path: ['booking', 'cancellation_policy', 'free_until_days'],
    usual: '1',
    ...wholeNumber(0, 365),
  },
  refundPercent: {
    label: 'Percent refunded after that',
    path: ['booking', 'cancellation_policy', 'refund_percent'],
    usual: '0',
    ...wholeNumber(0, 100),
  },
  guestRetentionDays: {
    label: 'Guests are kept for days',
    path: ['retention', 'guest_days'],
    usual: 'GUEST_RETENTION_DAYS',
    ...wholeNumber(30, 36_500),
  },
} as const satisfies Record<string, Setting>

export type SettingChanges = { readonly [name in keyof typeof organizationSettings]?: string }

type Json = Record<string, unknown>

/** The settings after these changes; `default` takes a setting out. @throws Invalid naming the setting. */
export function changedSettings(settings: Json, changes: SettingChanges): Json {
  const changed = structuredClone(settings)
  for (const [name, text] of Object.entries(changes)) {
    if (text === undefined) continue
    const { path, parse, form } = organizationSettings[name as keyof typeof organizationSettings]
    if (text === 'default') write(changed, path, undefined)
    else {
      const value = parse(text)
      if (value === undefined)
        throw semanticError(name, `${name} must be ${form}, or default, not "${text}".`)
      write(changed, path, value)
    }
  }
  return changed
}

/** One line for each setting: what it is, and whether somebody said so. */
export const describeSettings = (settings: Json): [label: string, value: string][] =>
  Object.values(organizationSettings).map(({ label, path, usual }: Setting) => {
    const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), settings)
    return [label, value === undefined ? `${usual} (default)` : shown(value)]
  })

/** Writes a value at a path, or takes it out together with what is empty then. */
function write(at: Json, [key, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0 && value !== undefined) at[key!] = value
  else if (rest.length === 0) delete at[key!]
  else {
    const inner = isObject(at[key!]) ? (at[key!] as Json) : {}
    write(inner, rest, value)
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

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
