import type { ChannelTarget, contract } from '@vacancy/client'

type Config = NonNullable<contract.ChannelTargetInput['config']>
export type Provider = NonNullable<Config['provider']>
type Credentials = NonNullable<Config['credentials']>

export const secretNames = ['api_key', 'webhook_secret'] as const
export type SecretName = (typeof secretNames)[number]

/** The API answers this for a secret that it stores, and keeps the secret when it is sent back. */
const mask = '********'

/** What the form holds: texts as they are typed, times in the unit that is shown. */
export interface ChannelDraft {
  name: string
  provider: Provider
  base_url: string
  property_ref: string
  account_id: string
  api_key: string
  webhook_secret: string
  rateRequests: string
  rateSeconds: string
  timeoutSeconds: string
  debounceSeconds: string
  staleMinutes: string
  schedule: string
}

/** The fields that a provider needs; the others it may have, or does not know. */
const requiredFields: Record<Provider, readonly (keyof ChannelDraft)[]> = {
  generic: ['name', 'base_url'],
  channex: ['name', 'base_url', 'property_ref', 'api_key'],
  hostaway: ['name', 'account_id', 'api_key'],
}

/** An installation may have a PMS for targets of the generic provider without an address. */
export const requiredFieldsOf = (provider: Provider, hasDefaultPms: boolean) =>
  requiredFields[provider].filter((name) => !(provider === 'generic' && name === 'base_url' && hasDefaultPms))

/** Whether an account at the PMS is named. */
export const hasAccount = (provider: Provider): boolean => requiredFields[provider].includes('account_id')

/** Whether one property at the PMS is named: not where a target is a whole account. */
export const hasProperty = (provider: Provider): boolean =>
  !hasAccount(provider) || requiredFields[provider].includes('property_ref')

export const defaultAddresses: Record<Provider, string> = {
  generic: '',
  channex: 'https://app.channex.io/api/v1',
  hostaway: '',
}

export const providers = Object.keys(defaultAddresses) as Provider[]

export const emptyDraft: ChannelDraft = {
  name: '',
  provider: 'generic',
  base_url: '',
  property_ref: '',
  account_id: '',
  api_key: '',
  webhook_secret: '',
  rateRequests: '',
  rateSeconds: '',
  timeoutSeconds: '',
  debounceSeconds: '',
  staleMinutes: '',
  schedule: '',
}

const inUnit = (value: number | undefined, size: number) => (value === undefined ? '' : String(value / size))

/** The stored settings as a draft; secrets are never read back. */
export const draftOf = ({ name, config }: ChannelTarget): ChannelDraft => ({
  ...emptyDraft,
  name,
  provider: config.provider ?? 'generic',
  base_url: config.base_url ?? '',
  property_ref: config.property_ref ?? '',
  account_id: config.credentials?.account_id ?? '',
  rateRequests: inUnit(config.rate_limit?.requests, 1),
  rateSeconds: inUnit(config.rate_limit?.window_seconds, 1),
  timeoutSeconds: inUnit(config.timeout_ms, 1000),
  debounceSeconds: inUnit(config.debounce_ms, 1000),
  staleMinutes: inUnit(config.stale_after_seconds, 60),
  schedule: config.full_sync_cron ?? '',
})

/** A number as people type it, with a comma or a dot; what is no number is sent as it is, and refused by name. */
const scaled = (typed: string, size: number): number => {
  const value = Number(typed.replace(',', '.'))
  return Number.isFinite(value) ? Math.round(value * size) : (typed as unknown as number)
}

/** What is sent. A secret that is stored is kept unless a new one is typed, or it is removed. */
export const configOf = (
  draft: ChannelDraft,
  stored: Config = {},
  removed: ReadonlySet<SecretName> = new Set(),
): Config => {
  const { provider, base_url, property_ref, account_id, rateRequests, rateSeconds } = draft
  const { timeoutSeconds, debounceSeconds, staleMinutes, schedule } = draft
  const credentials: Credentials = {}
  for (const name of secretNames) {
    if (draft[name].trim()) credentials[name] = draft[name].trim()
    else if (stored.credentials?.[name] !== undefined) credentials[name] = removed.has(name) ? null : mask
  }
  if (stored.credentials?.webhook_secret_previous !== undefined) credentials.webhook_secret_previous = mask
  if (hasAccount(provider) && account_id.trim()) credentials.account_id = account_id.trim()
  return {
    provider,
    ...(base_url.trim() && { base_url: base_url.trim() }),
    ...(property_ref.trim() && { property_ref: property_ref.trim() }),
    ...(Object.keys(credentials).length > 0 && { credentials }),
    ...((rateRequests || rateSeconds) && {
      rate_limit: { requests: scaled(rateRequests, 1), window_seconds: scaled(rateSeconds, 1) },
    }),
    ...(timeoutSeconds && { timeout_ms: scaled(timeoutSeconds, 1000) }),
    ...(debounceSeconds && { debounce_ms: scaled(debounceSeconds, 1000) }),
    ...(staleMinutes && { stale_after_seconds: scaled(staleMinutes, 60) }),
    ...(schedule.trim() && { full_sync_cron: schedule.trim() }),
  }
}
