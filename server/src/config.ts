import { deepFreeze, readSecretKeys, readSettings, type SecretKey } from './settings.ts'

/** Variables of the environment → one checked, frozen object. The only reader of `process.env` is an entrance. */

export interface Config {
  readonly http: {
    readonly port: number
    readonly host: string
    readonly publicUrl: string
    readonly corsOrigins: readonly string[]
    readonly trustProxy: boolean
    readonly internalToken: string | null
  }
  readonly home: string
  readonly database: {
    readonly url: string
    readonly ownerUrl: string
    readonly poolSize: number
    readonly prepare: boolean
  }
  readonly redis: { readonly url: string | null }
  readonly identity: {
    readonly issuer: string
    readonly audience: string
    readonly clientId: string
    readonly leewaySeconds: number
    readonly requireAccessTokenType: boolean
  }
  readonly secrets: { readonly keys: readonly SecretKey[] }
  readonly egress: { readonly allowsPrivate: boolean }
  readonly pms: { readonly sandboxUrl: string | null; readonly timeoutMs: number }
  /** The share of pushes that are read back a while after. */
  readonly sync: { readonly sampleShare: number }
  readonly payments: { readonly url: string | null; readonly apiKey: string | null }
  readonly worker: { readonly concurrency: number }
  readonly telemetry: {
    readonly serviceName: string
    readonly endpoint: string | null
    readonly headers: Readonly<Record<string, string>>
    readonly ratio: number
  }
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

export interface Setting {
  readonly name: string
  readonly summary: string
  readonly fallback?: string
  readonly secret?: true
  /** Without it nothing starts. `vacancy start` brings its own. */
  readonly required?: true
}

/** One row each; docs/operations.md is generated from this list. */
export const settings = [
  { name: 'PORT', summary: 'Port of the API and the console.', fallback: '3000' },
  { name: 'HOST', summary: 'Address to listen on.', fallback: '127.0.0.1' },
  {
    name: 'PUBLIC_URL',
    summary: 'Where clients reach the API; links in answers begin with it.',
    fallback: 'http://localhost:PORT',
  },
  {
    name: 'VACANCY_HOME',
    summary: 'Folder of the embedded database and of what `vacancy start` remembers.',
    fallback: './.vacancy',
  },
  {
    name: 'VACANCY_SEED',
    summary:
      'What `vacancy start` does with a database that it was given: `true` fills in the demonstration.',
    fallback: 'false',
  },
  {
    name: 'DATABASE_URL',
    summary: 'PostgreSQL 15 or later, for the API and the workers.',
    required: true,
    secret: true,
  },
  {
    name: 'DATABASE_OWNER_URL',
    summary: 'Login for migrations and the queue tables, when DATABASE_URL may not create.',
    fallback: 'DATABASE_URL',
    secret: true,
  },
  { name: 'DATABASE_POOL_SIZE', summary: 'Connections of one process.', fallback: '10' },
  {
    name: 'DATABASE_PREPARE',
    summary: 'Prepared statements; `false` behind a pooler that cannot carry them.',
    fallback: 'true',
  },
  {
    name: 'REDIS_URL',
    summary: 'Shared counter store of several API processes. Without it each process counts for itself.',
    secret: true,
  },
  {
    name: 'OIDC_ISSUER',
    summary: 'Issuer of the access tokens; its discovery document is read at start.',
    required: true,
  },
  { name: 'OIDC_AUDIENCE', summary: 'The audience that a token must name.', required: true },
  { name: 'OIDC_CLIENT_ID', summary: 'Client of the console at the issuer.', fallback: 'vacancy-console' },
  { name: 'OIDC_LEEWAY_SECONDS', summary: 'Clock difference allowed to the issuer.', fallback: '30' },
  {
    name: 'OIDC_REQUIRE_AT_JWT',
    summary: '`true` refuses tokens that are not of type at+jwt.',
    fallback: 'false',
  },
  {
    name: 'INTERNAL_SERVICE_TOKEN',
    summary: 'A request with this value in x-internal-token is not counted against rate limits.',
    secret: true,
  },
  {
    name: 'SECRET_KEYS',
    summary:
      'Keys that seal stored credentials: `id:base64` of 32 bytes, comma separated. The first seals, all open.',
    required: true,
    secret: true,
  },
  { name: 'CORS_ORIGINS', summary: 'Origins of browsers other than the console, comma separated.' },
  {
    name: 'TRUST_PROXY',
    summary: '`true` behind a proxy that sets X-Forwarded-For itself.',
    fallback: 'false',
  },
  {
    name: 'PMS_SANDBOX_URL',
    summary: 'Stand-in PMS for targets of the provider `sandbox` that name no base_url.',
  },
  {
    name: 'PMS_TIMEOUT_MS',
    summary: 'Longest wait for one answer of a PMS, milliseconds.',
    fallback: '10000',
  },
  {
    name: 'SYNC_SAMPLE_SHARE',
    summary: 'Share of pushes that are read back half a minute later, 0 to 1.',
    fallback: '0.05',
  },
  {
    name: 'ALLOW_PRIVATE_ADDRESSES',
    summary:
      '`true` lets a base_url of a target begin with http:// and lead to this machine or into a private network.',
    fallback: 'false',
  },
  { name: 'PAYMENTS_URL', summary: 'Address of the payment provider.' },
  { name: 'PAYMENTS_API_KEY', summary: 'Key at the payment provider.', secret: true },
  {
    name: 'WORKER_CONCURRENCY',
    summary: 'Jobs that one worker process works on at the same time.',
    fallback: '20',
  },
  { name: 'OTEL_SERVICE_NAME', summary: 'Name of the service in traces.', fallback: 'vacancy' },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    summary: 'OTLP/HTTP collector. Without it no trace leaves the process.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    summary: 'Headers for the collector: `name=value`, comma separated.',
    secret: true,
  },
  {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    summary: 'Share of traces to keep, 0 to 1. Traces with an error are always kept.',
    fallback: '0.1',
  },
  { name: 'LOG_LEVEL', summary: 'debug, info, warn, error or silent.', fallback: 'info' },
] as const satisfies readonly Setting[]

type SettingName = (typeof settings)[number]['name']

/** @throws ConfigError with all faults at once. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const { faults, fault, given, required, number, flag, url, list } = readSettings<SettingName>(env)
  const web = ['http:', 'https:']
  const postgres = ['postgres:', 'postgresql:']

  const port = number('PORT', 3000, 0, 65_535)
  const databaseUrl = url('DATABASE_URL', postgres, required('DATABASE_URL')) ?? ''
  const logLevel = given('LOG_LEVEL') ?? 'info'
  if (!['debug', 'info', 'warn', 'error', 'silent'].includes(logLevel))
    fault('LOG_LEVEL', `must be debug, info, warn, error or silent, not "${logLevel}".`)
  const config: Config = {
    http: {
      port,
      host: given('HOST') ?? '127.0.0.1',
      publicUrl: (url('PUBLIC_URL', web) ?? `http://localhost:${port}`).replace(/\/+$/, ''),
      corsOrigins: list('CORS_ORIGINS'),
      trustProxy: flag('TRUST_PROXY', false),
      internalToken: given('INTERNAL_SERVICE_TOKEN'),
    },
    home: given('VACANCY_HOME') ?? './.vacancy',
    database: {
      url: databaseUrl,
      ownerUrl: url('DATABASE_OWNER_URL', postgres) ?? databaseUrl,
      poolSize: number('DATABASE_POOL_SIZE', 10, 1, 500),
      prepare: flag('DATABASE_PREPARE', true),
    },
    redis: { url: url('REDIS_URL', ['redis:', 'rediss:']) },
    identity: {
      issuer: url('OIDC_ISSUER', web, required('OIDC_ISSUER')) ?? '',
      audience: required('OIDC_AUDIENCE'),
      clientId: given('OIDC_CLIENT_ID') ?? 'vacancy-console',
      leewaySeconds: number('OIDC_LEEWAY_SECONDS', 30, 0, 300),
      requireAccessTokenType: flag('OIDC_REQUIRE_AT_JWT', false),
    },
    secrets: { keys: readSecretKeys(required('SECRET_KEYS'), (problem) => fault('SECRET_KEYS', problem)) },
    egress: { allowsPrivate: flag('ALLOW_PRIVATE_ADDRESSES', false) },
    pms: {
      sandboxUrl: url('PMS_SANDBOX_URL', web),
      timeoutMs: number('PMS_TIMEOUT_MS', 10_000, 100, 60_000),
    },
    sync: { sampleShare: number('SYNC_SAMPLE_SHARE', 0.05, 0, 1, false) },
    payments: { url: url('PAYMENTS_URL', web), apiKey: given('PAYMENTS_API_KEY') },
    worker: { concurrency: number('WORKER_CONCURRENCY', 20, 1, 200) },
    telemetry: {
      serviceName: given('OTEL_SERVICE_NAME') ?? 'vacancy',
      endpoint: url('OTEL_EXPORTER_OTLP_ENDPOINT', web),
      headers: Object.fromEntries(
        list('OTEL_EXPORTER_OTLP_HEADERS').map((pair) => {
          const at = pair.indexOf('=')
          if (at < 1)
            fault('OTEL_EXPORTER_OTLP_HEADERS', 'must be name=value pairs with commas between them.')
          return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]
        }),
      ),
      ratio: number('OTEL_TRACES_SAMPLER_ARG', 0.1, 0, 1, false),
    },
    logLevel,
  }
  if (faults.length > 0) throw new ConfigError([...new Set(faults)])
  return deepFreeze(config)
}
