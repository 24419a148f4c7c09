import { Type, type Static } from 'typebox'
import type { Egress } from '#egress/egress.ts'
import { Conflict, semanticError, validationError } from '#errors.ts'
import {
  Id,
  Name,
  Timestamp,
  readOnlyFields,
  nullable,
  oneOf,
  ownedFields,
  timestampFields,
  text,
} from '#schema/fields.ts'
import { planSupport, type ProviderName } from '#integrations/pms/pms-provider.ts'
import { assertFullSyncSchedule } from './full-sync-schedule.ts'
import { Credentials, CredentialsInput } from './target-credentials.ts'

export const targetStatuses = ['pending', 'active', 'error', 'inactive'] as const
export type TargetStatus = (typeof targetStatuses)[number]
export const providers = Object.keys(planSupport) as ProviderName[]

/** How to reach the PMS. Members that the provider does not support are rejected. */
export const TargetConfig = Type.Object(
  {
    provider: Type.Optional(oneOf(...providers)),
    base_url: Type.Optional(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2_048 })),
    property_ref: Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[\\w.:-]+$' })),
    credentials: Type.Optional(Credentials),
    rate_limit: Type.Optional(
      Type.Object(
        {
          requests: Type.Integer({ minimum: 1, maximum: 100_000, format: 'int32' }),
          window_seconds: Type.Integer({ minimum: 1, maximum: 86_400, format: 'int32' }),
        },
        { additionalProperties: false, description: 'The number of calls that the PMS allows in a window.' },
      ),
    ),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 60_000, format: 'int32' })),
    debounce_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        format: 'int32',
        description: 'How long follow-up changes are collected before a push (2000).',
      }),
    ),
    stale_after_seconds: Type.Optional(
      Type.Integer({
        minimum: 10,
        maximum: 604_800,
        format: 'int32',
        description: 'After this time behind, a listing is stale (900).',
      }),
    ),
    full_sync_cron: Type.Optional(
      Type.String({
        minLength: 9,
        maxLength: 100,
        pattern: '^[0-9A-Za-z*/,#-]+( [0-9A-Za-z*/,#-]+){4}$',
        description:
          'When everything is pushed again: minute, hour, day of the month, month, day of the week, in UTC, at most once an hour. By default never: the PMS is read back once a day, and differences are pushed.',
        example: '0 3 * * *',
      }),
    ),
  },
  { title: 'TargetConfig', additionalProperties: false },
)
export type TargetConfig = Static<typeof TargetConfig>

export const TargetConfigInput = Type.Object(
  { ...TargetConfig.properties, credentials: Type.Optional(nullable(CredentialsInput)) },
  { title: 'TargetConfigInput', additionalProperties: false },
)
export type TargetConfigInput = Static<typeof TargetConfigInput>

const ChannelType = oneOf('pms')

/** A connection to one property at a PMS. */
export const ChannelTarget = Type.Object(
  {
    ...ownedFields,
    channel_type: ChannelType,
    name: Name,
    config: TargetConfig,
    status: oneOf(...targetStatuses),
    error_message: nullable(text(1_000, 'Why the last health check failed.')),
    last_health_check_at: nullable(Timestamp),
    ...timestampFields,
  },
  { title: 'ChannelTarget' },
)

export const ChannelTargetInput = Type.Object(
  {
    channel_type: ChannelType,
    name: Name,
    config: Type.Optional(TargetConfigInput),
    status: Type.Optional(oneOf(...targetStatuses)),
    account_id: Type.Optional(Id),
    ...readOnlyFields('id', 'org_id', 'created_at', 'updated_at', 'last_health_check_at', 'error_message'),
  },
  {
    title: 'ChannelTargetInput',
    example: { channel_type: 'pms', name: 'Front desk' },
    additionalProperties: false,
  },
)
export type ChannelTargetInput = Static<typeof ChannelTargetInput>

const settings = {
  'credentials/api_key': 'the api_key',
  'credentials/account_id': 'the account_id',
  base_url: 'the base_url of the server to use',
  property_ref: 'the property_ref, the id of the property there',
} as const

/** What a target must have so that its provider can be called. An account_id is rejected where it is not needed. */
const requiredSettings: Readonly<Record<ProviderName, readonly (keyof typeof settings)[]>> = {
  generic: [],
  channex: ['credentials/api_key', 'base_url', 'property_ref'],
  hostaway: ['credentials/api_key', 'credentials/account_id'],
}

/** Checks that the provider has all it needs, and nothing it does not support. @throws Invalid */
export function assertConfigComplete({ provider = 'generic', ...config }: TargetConfigInput = {}): void {
  if (config.full_sync_cron !== undefined) assertFullSyncSchedule(config.full_sync_cron)
  const { credentials, base_url, property_ref } = config
  const required = requiredSettings[provider]
  if (credentials?.account_id !== undefined && !required.includes('credentials/account_id'))
    throw semanticError(
      'config/credentials/account_id',
      `The provider ${provider} does not support account_id. Leave it out.`,
      'unknown_member',
    )
  if (!credentials && required.includes('credentials/api_key'))
    throw semanticError('config/credentials', `The provider ${provider} needs credentials.`, 'missing')
  const given = {
    'credentials/api_key': credentials?.api_key,
    'credentials/account_id': credentials?.account_id,
    base_url,
    property_ref,
  }
  const missing = required.find((name) => given[name] === undefined || given[name] === null)
  if (missing)
    throw semanticError(
      `config/${missing}`,
      `The provider ${provider} needs ${settings[missing]}.`,
      'missing',
    )
}

/** The address is checked when it is set; the IP address behind its name is checked at each call. @throws Invalid */
export function assertAddressAllowed(
  config: TargetConfigInput | undefined,
  egress: Pick<Egress, 'addressProblem'>,
): void {
  if (!config?.base_url) return
  const forbidden = forbiddenPart(new URL(config.base_url))
  if (forbidden)
    throw validationError(
      'config/base_url',
      `base_url must not contain ${forbidden}. Put keys into the credentials.`,
      'wrong_format',
    )
  const problem = egress.addressProblem(config.base_url)
  if (problem) throw semanticError('config/base_url', problem, 'address_refused')
}

/** A part of an address that may hold a secret: everybody who reads the target would see it. */
function forbiddenPart({ username, password, search, hash }: URL): string | null {
  if (username || password) return 'a user name or password'
  return search || hash ? 'a query or a fragment' : null
}

/**
 * The status after a request. A person pauses and resumes a target; only a health check sets active and error.
 * @throws Conflict when the request sets a status that only a health check may set.
 */
export function nextStatus(current: TargetStatus, requested: TargetStatus | undefined): TargetStatus {
  if (requested === undefined || requested === current || requested === 'inactive')
    return requested ?? current
  if (requested === 'active') return 'pending'
  // A client may send back the record that it received on creation, after the target was checked.
  if (requested === 'pending') return current === 'inactive' ? 'pending' : current
  throw new Conflict(
    'invalid-status-transition',
    `The status cannot be changed from ${current} to ${requested}. Set it to active or inactive.`,
  )
}
