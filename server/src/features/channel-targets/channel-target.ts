import { Type, type Static } from 'typebox'
import type { Egress } from '#egress.ts'
import { Conflict, Malformed, semanticError } from '#errors.ts'
import { Id, Name, Timestamp, echoes, nullable, oneOf, owned, stamped, text } from '#fields.ts'
import { assertFullSyncSchedule } from './full-sync-schedule.ts'
import { Credentials, CredentialsInput } from './target-credentials.ts'

export const targetStatuses = ['pending', 'active', 'error', 'inactive'] as const
export type TargetStatus = (typeof targetStatuses)[number]
export const providers = ['sandbox', 'channex', 'hostaway'] as const
export type Provider = (typeof providers)[number]

/** How the PMS is reached. Members that the provider does not know are refused. */
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
        { additionalProperties: false, description: 'How many calls the PMS allows in a window.' },
      ),
    ),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 60_000, format: 'int32' })),
    debounce_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        format: 'int32',
        description: 'Quiet that follow-up changes wait for (2000).',
      }),
    ),
    stale_after_seconds: Type.Optional(
      Type.Integer({
        minimum: 10,
        maximum: 604_800,
        format: 'int32',
        description: 'A listing that is behind for longer says so (900).',
      }),
    ),
    full_sync_cron: Type.Optional(
      Type.String({
        minLength: 9,
        maxLength: 100,
        pattern: '^[0-9A-Za-z*/,#-]+( [0-9A-Za-z*/,#-]+){4}$',
        description:
          'When everything is pushed anew: minute, hour, day of the month, month, day of the week, in UTC; once an hour at most. Left out: never, the PMS is read back once a day and what differs is pushed.',
        example: '0 3 * * *',
      }),
    ),
  },
  { title: 'TargetConfig', additionalProperties: false },
)
export type TargetConfig = Static<typeof TargetConfig>

const TargetConfigInput = Type.Object(
  { ...TargetConfig.properties, credentials: Type.Optional(nullable(CredentialsInput)) },
  { title: 'TargetConfigInput', additionalProperties: false },
)
export type TargetConfigInput = Static<typeof TargetConfigInput>

const ChannelType = oneOf('pms')

/** A connection to one property at a PMS. */
export const ChannelTarget = Type.Object(
  {
    ...owned,
    channel_type: ChannelType,
    name: Name,
    config: TargetConfig,
    status: oneOf(...targetStatuses),
    error_message: nullable(text(1_000, 'Why the last health check failed.')),
    last_health_check_at: nullable(Timestamp),
    ...stamped,
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
    ...echoes('id', 'org_id', 'created_at', 'updated_at', 'last_health_check_at', 'error_message'),
  },
  {
    title: 'ChannelTargetInput',
    example: { channel_type: 'pms', name: 'Front desk' },
    additionalProperties: false,
  },
)
export type ChannelTargetInput = Static<typeof ChannelTargetInput>

/** What each provider needs, and what it does not know. @throws Invalid */
export function refuseUnfit({ provider = 'sandbox', ...config }: TargetConfigInput = {}): void {
  if (config.full_sync_cron !== undefined) assertFullSyncSchedule(config.full_sync_cron)
  const { credentials } = config
  if (credentials?.account_id !== undefined && provider !== 'hostaway')
    throw semanticError(
      'config/credentials/account_id',
      `The provider ${provider} knows no account_id.`,
      'unknown_member',
    )
  if (provider === 'sandbox') return
  if (!credentials)
    throw semanticError('config/credentials', `The provider ${provider} needs credentials.`, 'missing')
  if (credentials.api_key === undefined || credentials.api_key === null)
    throw semanticError(
      'config/credentials/api_key',
      `The provider ${provider} needs the api_key.`,
      'missing',
    )
  if (provider === 'hostaway' && credentials.account_id === undefined)
    throw semanticError('config/credentials/account_id', 'Hostaway needs the account_id.', 'missing')
  if (provider === 'channex' && !config.base_url)
    throw semanticError('config/base_url', 'Channex needs the base_url of the server to use.', 'missing')
  if (provider === 'channex' && !config.property_ref)
    throw semanticError('config/property_ref', 'Channex needs the id of the property.', 'missing')
}

/** Whether an address is called at all is told when it is given; what its name leads to, at each call. */
export function refuseAddress(config: TargetConfigInput | undefined, egress: Pick<Egress, 'refusal'>): void {
  if (!config?.base_url) return
  const surplus = surplusOf(new URL(config.base_url))
  if (surplus) {
    const message = `base_url must not carry ${surplus}: keys go into the credentials.`
    throw new Malformed('validation-error', message, {
      faults: [{ pointer: '/config/base_url', code: 'wrong_format', message }],
    })
  }
  const refusal = egress.refusal(config.base_url)
  if (refusal) throw semanticError('config/base_url', refusal, 'address_refused')
}

/** The parts of an address that secrets are put into, and that everybody would see who sees the target. */
function surplusOf({ username, password, search, hash }: URL): string | null {
  if (username || password) return 'a user name or password'
  return search || hash ? 'a query or a fragment' : null
}

/**
 * A person switches a target off and on; whether it works is found out by asking it. @throws Conflict
 * when a status is set that only a health check may set.
 */
export function statusAfter(current: TargetStatus, asked: TargetStatus | undefined): TargetStatus {
  if (asked === undefined || asked === current || asked === 'inactive') return asked ?? current
  if (asked === 'active') return 'pending'
  // Meanwhile checked: a client may send back the record that creating it answered.
  if (asked === 'pending') return current === 'inactive' ? 'pending' : current
  throw new Conflict(
    'invalid-status-transition',
    `A target cannot be set from ${current} to ${asked} by hand.`,
  )
}
