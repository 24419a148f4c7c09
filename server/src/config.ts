import { withoutLastSlashes } from './addresses.ts'
import { readClaimNames, type ClaimNames } from './claim-names.ts'
import { givenSecrets, type GivenSecret } from './secret-kinds.ts'
import { settings as names, type SettingName } from './setting-names.ts'
import { deepFreeze, readProxies, readSecretKeys, readSettings, type SecretKey } from './settings.ts'
import { readTelemetry, type TelemetrySettings } from './telemetry-settings.ts'

/** Variables of the environment → one checked, frozen object. The only reader of `process.env` is an entrance. */

export interface Config {
  readonly http: {
    readonly port: number
    readonly host: string
    readonly publicUrl: string
    readonly corsOrigins: readonly string[]
    /** How many proxies stand before us, or where they are; the address of a caller is what they say. */
    readonly trustProxy: false | number | readonly string[]
    /** Who sends one of these is not counted. */
    readonly internalTokens: readonly string[]
    readonly limitsRates: boolean
    readonly mostConnections: number
    /** How long a connection may keep us waiting. */
    readonly patience: {
      /** For the headers, also of a connection that has said nothing yet. */
      readonly headersMs: number
      /** For a body; a file has this for each piece of it. */
      readonly bodyMs: number
      /** For a whole file. */
      readonly uploadMs: number
      /** Between two bytes in either direction, whoever is to send or to read them. */
      readonly silenceMs: number
      /** Between two requests. */
      readonly idleMs: number
    }
  }
  readonly home: string
  readonly database: {
    readonly url: string
    /** Leads to PostgreSQL itself where `url` leads to a pooler. */
    readonly directUrl: string
    readonly ownerUrl: string
    readonly poolSize: number
    readonly prepare: boolean
  }
  readonly redis: { readonly url: string | null; readonly timeoutMs: number }
  readonly identity: {
    readonly issuer: string
    readonly audience: string
    readonly clientId: string
    readonly leewaySeconds: number
    readonly requireAccessTokenType: boolean
    readonly claimNames: ClaimNames
  }
  readonly secrets: {
    readonly keys: readonly SecretKey[]
    /** Every secret among the settings, to know how old each is. */
    readonly given: readonly GivenSecret[]
  }
  readonly egress: { readonly allowsPrivate: boolean }
  readonly pms: {
    readonly sandboxUrl: string | null
    readonly timeoutMs: number
    readonly webhooks: { readonly secrets: readonly string[]; readonly allowsUnsigned: boolean }
  }
  readonly sync: {
    /** The share of pushes after which all nights are read back. */
    readonly sampleShare: number
    readonly verifyAfterMs: number
    readonly readBackMinutes: number
  }
  readonly payments: {
    readonly url: string | null
    readonly apiKey: string | null
    readonly webhookSecrets: readonly string[]
  }
  readonly media: {
    /** Null keeps the files in a folder of `home`. */
    readonly bucket: {
      readonly name: string
      readonly endpoint: string | null
      readonly region: string
      readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null
    } | null
    /** For each organization. */
    readonly quotaBytes: number
  }
  readonly mail: { readonly url: string; readonly from: string } | null
  readonly sms: {
    readonly url: string
    readonly account: string
    readonly token: string
    readonly from: string
  } | null
  readonly testMail: { readonly perHour: number; readonly domains: readonly string[] }
  /** How long guests' data is kept; an organization may say something else for the first. */
  readonly retention: { readonly guestDays: number; readonly notificationDays: number }
  /** Webhook endpoints of an organization, and calendar feeds of a unit. */
  readonly maxRecords: { readonly endpoints: number; readonly feeds: number }
  readonly worker: { readonly concurrency: number }
  readonly metrics: {
    readonly token: string | null
    /** Of a worker; null is 9464 or the first free port after it. */
    readonly port: number | null
  }
  readonly telemetry: TelemetrySettings
  readonly logLevel: string
}

/** Every fault of the environment at once, a line each. */
export class ConfigError extends Error {
  readonly faults: string[]
  constructor(faults: string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/** @throws ConfigError with all faults at once. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const settings = readSettings<SettingName>(env)
  const { faults, fault, given, required, number, flag, url, list } = settings
  const web = ['http:', 'https:']
  const postgres = ['postgres:', 'postgresql:']

  const port = number('PORT', 3000, 0, 65_535)
  const databaseUrl = url('DATABASE_URL', postgres, required('DATABASE_URL')) ?? ''
  const directUrl = url('DATABASE_DIRECT_URL', postgres) ?? databaseUrl
  const logLevel = given('LOG_LEVEL') ?? 'info'
  if (!['debug', 'info', 'warn', 'error', 'silent'].includes(logLevel))
    fault('LOG_LEVEL', `must be debug, info, warn, error or silent, not "${logLevel}".`)
  for (const origin of list('CORS_ORIGINS'))
    if (!URL.canParse(origin) || new URL(origin).origin !== origin || origin.includes('*'))
      fault('CORS_ORIGINS', `must be origins such as https://app.example, not "${origin}".`)
  const smtpUrl = url('SMTP_URL', ['smtp:', 'smtps:'])
  if (/[\r\n]/.test(given('MAIL_FROM') ?? '')) fault('MAIL_FROM', 'must be one line.')
  const sms = [given('SMS_ACCOUNT'), given('SMS_TOKEN'), given('SMS_FROM')]
  if (sms.some(Boolean) && !sms.every(Boolean))
    fault('SMS_ACCOUNT', 'goes together with SMS_TOKEN and SMS_FROM.')
  const [bucket, accessKeyId, secretAccessKey] = [
    given('S3_BUCKET'),
    given('S3_ACCESS_KEY'),
    given('S3_SECRET_KEY'),
  ]
  if (Boolean(accessKeyId) !== Boolean(secretAccessKey))
    fault('S3_ACCESS_KEY', 'goes together with S3_SECRET_KEY.')
  const config: Config = {
    http: {
      port,
      host: given('HOST') ?? '127.0.0.1',
      publicUrl: withoutLastSlashes(url('PUBLIC_URL', web) ?? `http://localhost:${port}`),
      corsOrigins: list('CORS_ORIGINS'),
      trustProxy: readProxies(given('TRUST_PROXY'), (problem) => fault('TRUST_PROXY', problem)),
      internalTokens: list('INTERNAL_SERVICE_TOKEN'),
      limitsRates: flag('RATE_LIMITS', true),
      mostConnections: number('MAX_CONNECTIONS', 15_000, 1, 1_000_000),
      patience: {
        headersMs: number('HEADERS_TIMEOUT_MS', 15_000, 100, 600_000),
        bodyMs: number('BODY_TIMEOUT_MS', 30_000, 100, 600_000),
        uploadMs: number('UPLOAD_TIMEOUT_MS', 600_000, 100, 3_600_000),
        silenceMs: number('SILENCE_TIMEOUT_MS', 120_000, 100, 3_600_000),
        idleMs: number('IDLE_TIMEOUT_MS', 72_000, 100, 3_600_000),
      },
    },
    home: given('VACANCY_HOME') ?? './.vacancy',
    database: {
      url: databaseUrl,
      directUrl,
      ownerUrl: url('DATABASE_OWNER_URL', postgres) ?? directUrl,
      poolSize: number('DATABASE_POOL_SIZE', 10, 1, 500),
      prepare: flag('DATABASE_PREPARE', true),
    },
    redis: {
      url: url('REDIS_URL', ['redis:', 'rediss:']),
      timeoutMs: number('REDIS_TIMEOUT_MS', 100, 10, 10_000),
    },
    identity: {
      issuer: url('OIDC_ISSUER', web, required('OIDC_ISSUER')) ?? '',
      audience: required('OIDC_AUDIENCE'),
      clientId: given('OIDC_CLIENT_ID') ?? 'vacancy-console',
      leewaySeconds: number('OIDC_LEEWAY_SECONDS', 60, 0, 300),
      requireAccessTokenType: flag('OIDC_REQUIRE_AT_JWT', false),
      claimNames: readClaimNames(given),
    },
    secrets: {
      keys: readSecretKeys(required('SECRET_KEYS'), (problem) => fault('SECRET_KEYS', problem)),
      given: givenSecrets(names, given),
    },
    egress: { allowsPrivate: flag('ALLOW_PRIVATE_ADDRESSES', false) },
    pms: {
      sandboxUrl: url('PMS_SANDBOX_URL', web),
      timeoutMs: number('PMS_TIMEOUT_MS', 10_000, 100, 60_000),
      webhooks: {
        secrets: list('PMS_WEBHOOK_SECRETS'),
        allowsUnsigned: flag('PMS_WEBHOOK_ALLOW_UNSIGNED', true),
      },
    },
    sync: {
      sampleShare: number('SYNC_SAMPLE_SHARE', 0.05, 0, 1, false),
      verifyAfterMs: number('SYNC_VERIFY_AFTER_MS', 2_000, 0, 600_000),
      readBackMinutes: number('SYNC_READ_BACK_MINUTES', 15, 0.01, 1_440, false),
    },
    payments: {
      url: url('PAYMENTS_URL', web),
      apiKey: given('PAYMENTS_API_KEY'),
      webhookSecrets: list('PAYMENTS_WEBHOOK_SECRET'),
    },
    media: {
      bucket: bucket
        ? {
            name: bucket,
            endpoint: url('S3_ENDPOINT', web),
            region: given('S3_REGION') ?? 'us-east-1',
            credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
          }
        : null,
      quotaBytes: number('MEDIA_QUOTA_MB', 5_000, 1, 1_000_000) * 1_048_576,
    },
    mail: smtpUrl ? { url: smtpUrl, from: given('MAIL_FROM') ?? 'Vacancy <vacancy@localhost>' } : null,
    sms: sms.every(Boolean)
      ? {
          url: url('SMS_URL', web) ?? 'https://api.twilio.com',
          account: sms[0]!,
          token: sms[1]!,
          from: sms[2]!,
        }
      : null,
    testMail: { perHour: number('TEST_EMAIL_PER_HOUR', 10, 0, 10_000), domains: list('TEST_EMAIL_DOMAINS') },
    retention: {
      guestDays: number('GUEST_RETENTION_DAYS', 2_557, 30, 36_500),
      notificationDays: number('NOTIFICATION_RETENTION_DAYS', 90, 1, 3_650),
    },
    maxRecords: {
      endpoints: number('MAX_WEBHOOK_ENDPOINTS', 20, 1, 1_000),
      feeds: number('MAX_CALENDAR_FEEDS', 10, 1, 1_000),
    },
    worker: { concurrency: number('WORKER_CONCURRENCY', 20, 1, 200) },
    metrics: {
      token: given('METRICS_TOKEN'),
      port: given('METRICS_PORT') ? number('METRICS_PORT', 0, 0, 65_535) : null,
    },
    telemetry: readTelemetry(settings),
    logLevel,
  }
  if (faults.length > 0) throw new ConfigError([...new Set(faults)])
  return deepFreeze(config)
}
