import { Type } from 'typebox'
import { integrationSettings } from './integration-settings.ts'
import * as setting from './setting-types.ts'

const { flag, integer, list, number, postgresUrl, text, webUrl } = setting

const claim = (variable: string, path: string, description: string) =>
  text(variable, description, { default: path })

/** Every setting: its variable, meaning, type, range and default. The table in docs/operations.md is generated from this. */
export const settings = Type.Object({
  http: Type.Object({
    port: integer('PORT', 'Port of the API and the console.', { range: [0, 65_535], default: 3000 }),
    host: text('HOST', 'Address to listen on.', { default: '127.0.0.1' }),
    publicUrl: setting.baseUrl(
      'PUBLIC_URL',
      'Where clients reach the API; links in responses begin with it.',
      {
        default: 'http://localhost:{PORT}',
      },
    ),
    corsOrigins: setting.origins(
      'CORS_ORIGINS',
      'Origins of browsers other than the console, comma separated.',
    ),
    trustProxy: setting.proxies(
      'TRUST_PROXY',
      'How many proxies stand in front and append to X-Forwarded-For, or their addresses and networks, comma separated; `true` is one. Anything else in that header is ignored.',
      { default: false },
    ),
    internalTokens: list(
      'INTERNAL_SERVICE_TOKEN',
      'A request with this value in x-internal-token is not counted against rate limits; two, comma separated, while it is being changed.',
      { secret: { kind: 'internal', part: 'list' } },
    ),
    limitsRates: flag('RATE_LIMITS', '`false` leaves rate limits to a gateway in front.', { default: true }),
    maxConnections: integer(
      'MAX_CONNECTIONS',
      'Connections that one API process keeps open; more are closed at once.',
      { range: [1, 1_000_000], default: 15_000 },
    ),
    timeouts: Type.Object({
      headersMs: integer(
        'HEADERS_TIMEOUT_MS',
        'Longest wait for the headers of a request, and for the first byte of a new connection.',
        { range: [100, 600_000], default: 15_000 },
      ),
      bodyMs: integer(
        'BODY_TIMEOUT_MS',
        'Longest wait for the body of a request, and for each 16 KiB of an uploaded file.',
        { range: [100, 600_000], default: 30_000 },
      ),
      uploadMs: integer('UPLOAD_TIMEOUT_MS', 'Longest wait for a whole file.', {
        range: [100, 3_600_000],
        default: 600_000,
      }),
      inactivityMs: integer(
        'SILENCE_TIMEOUT_MS',
        'A connection on which no byte moves for this long is closed, also when the client does not read its response.',
        { range: [100, 3_600_000], default: 120_000 },
      ),
      idleMs: integer(
        'IDLE_TIMEOUT_MS',
        'How long a connection is kept open for the next request; longer than the proxy in front keeps it.',
        { range: [100, 3_600_000], default: 72_000 },
      ),
    }),
  }),
  home: text('VACANCY_HOME', 'Folder of the embedded database and of what `vacancy start` keeps.', {
    default: './.vacancy',
  }),
  demonstration: setting.choice(
    'VACANCY_SEED',
    '`true` writes the demonstration data into a database that `vacancy start` was given; `portfolio` only its units and what is booked from today on.',
    { enum: ['false', 'true', 'portfolio'], default: 'false' },
  ),
  database: Type.Object({
    url: postgresUrl('DATABASE_URL', 'PostgreSQL 15 or later, for the API and the workers.', {
      required: true,
      secret: { kind: 'database', part: 'password' },
    }),
    directUrl: postgresUrl(
      'DATABASE_DIRECT_URL',
      'The same database without the pooler, for the connection on which a process receives notifications.',
      { default: '{DATABASE_URL}', secret: { kind: 'database', part: 'password' } },
    ),
    readUrl: postgresUrl(
      'DATABASE_READ_URL',
      'A standby of the same database. Lists, searches, calendars and analytics are read from it while it is at most a tenth of a second behind.',
      { secret: { kind: 'database', part: 'password' } },
    ),
    ownerUrl: postgresUrl(
      'DATABASE_OWNER_URL',
      'Login for migrations and provisioning, when DATABASE_URL may not create tables. Not through a pooler.',
      { default: '{DATABASE_DIRECT_URL}', secret: { kind: 'database', part: 'password' } },
    ),
    poolSize: integer(
      'DATABASE_POOL_SIZE',
      'Connections of one process. Changes of one organization use at most four fifths of those of an API process.',
      { range: [1, 500], default: 10 },
    ),
    requestTimeoutMs: integer(
      'DATABASE_TIMEOUT_MS',
      'Longest statement of a request, in milliseconds. A request waits for a lock four fifths of it, then gets 409.',
      { range: [1_000, 60_000], default: 5_000 },
    ),
    prepare: flag('DATABASE_PREPARE', '`false` where a pooler loses prepared statements.', { default: true }),
  }),
  redis: Type.Object({
    url: setting.redisUrl(
      'REDIS_URL',
      'Rate limit counters shared by several API processes. Without it each process counts for itself.',
      { secret: { kind: 'cache', part: 'password' } },
    ),
    sentinels: setting.hostPorts(
      'REDIS_SENTINELS',
      'Sentinels that know the primary, as `host:port`, comma separated. The host of REDIS_URL is then the name by which they monitor it, as in `redis://:password@vacancy`.',
    ),
    sentinelPassword: text('REDIS_SENTINEL_PASSWORD', 'Password of the sentinels, if they have one.', {
      secret: { kind: 'cache' },
    }),
    timeoutMs: integer('REDIS_TIMEOUT_MS', 'Longest wait of a request for Redis, in milliseconds.', {
      range: [10, 10_000],
      default: 100,
    }),
  }),
  identity: Type.Object({
    issuer: webUrl('OIDC_ISSUER', 'Issuer of the access tokens; its discovery document is read at start.', {
      required: true,
    }),
    audience: text('OIDC_AUDIENCE', 'The audience that a token must name.', { required: true }),
    clientId: text('OIDC_CLIENT_ID', 'Client id of the console at the issuer.', {
      default: 'vacancy-console',
    }),
    commandLineClientId: text(
      'OIDC_CLI_CLIENT_ID',
      'Client id of the command line at the issuer: a native client with the redirect URI `http://127.0.0.1/callback` of any port.',
      { default: 'vacancy-cli' },
    ),
    leewaySeconds: integer('OIDC_LEEWAY_SECONDS', 'Clock difference to the issuer that is tolerated.', {
      range: [0, 300],
      default: 60,
    }),
    scopes: text(
      'OIDC_SCOPES',
      'Scopes that the console and the command line ask for, with spaces between.',
      {
        default: 'openid profile email offline_access',
      },
    ),
    resource: text(
      'OIDC_RESOURCE',
      'Resource (RFC 8707) that the console asks for, at providers that choose the audience by it.',
    ),
    extraParams: setting.pairs(
      'OIDC_EXTRA_PARAMS',
      'More parameters of the sign-in: `name=value`, comma separated, the values percent-encoded.',
    ),
    claimPaths: Type.Object({
      subject: claim('OIDC_CLAIM_SUBJECT', 'sub', 'Claim with the id of the person.'),
      email: claim('OIDC_CLAIM_EMAIL', 'email', 'Claim with the e-mail address.'),
      emailVerified: claim(
        'OIDC_CLAIM_EMAIL_VERIFIED',
        'email_verified',
        'Claim that is true when the address is verified.',
      ),
      name: claim('OIDC_CLAIM_NAME', 'name', 'Claim with the name of the person.'),
      organization: claim('OIDC_CLAIM_ORG', 'org_id', 'Claim with the organization, or several.'),
      account: claim('OIDC_CLAIM_ACCOUNT', 'account_id', 'Claim with the id of the account.'),
      role: claim('OIDC_CLAIM_ROLE', 'role', 'Claim with the role, or several; the highest counts.'),
      permissions: claim(
        'OIDC_CLAIM_PERMISSIONS',
        'permissions',
        'Claim with the permissions that a token is limited to.',
      ),
    }),
    roleNames: setting.pairs(
      'OIDC_ROLE_NAMES',
      'Roles by their names at the provider: `Hotel%20managers=manager`, comma separated, names and values percent-encoded.',
    ),
    requireAccessTokenType: flag(
      'OIDC_REQUIRE_AT_JWT',
      '`true` rejects tokens that are not of type at+jwt.',
      { default: false },
    ),
  }),
  secrets: Type.Object({
    keys: setting.secretKeys(
      'SECRET_KEYS',
      'Keys that seal stored credentials: `id:base64` of 32 bytes, comma separated. The first seals, all open.',
      { required: true, secret: { kind: 'sealing_keys', part: 'first' } },
    ),
  }),
  pms: Type.Object({
    defaultUrl: setting.baseUrl(
      'GENERIC_PMS_URL',
      'PMS of targets of the provider `generic` that have no base_url.',
    ),
    timeoutMs: integer('PMS_TIMEOUT_MS', 'Longest wait for one response of a PMS.', {
      range: [100, 60_000],
      default: 10_000,
    }),
    webhooks: Type.Object({
      secrets: list(
        'PMS_WEBHOOK_SECRETS',
        'Secrets of messages to /webhooks/pms whose target has none of its own, comma separated; any of them is accepted.',
        { secret: { kind: 'pms', part: 'list' } },
      ),
      allowsUnsigned: flag(
        'PMS_WEBHOOK_ALLOW_UNSIGNED',
        '`false` rejects messages of a PMS for which no secret is configured.',
        { default: true },
      ),
    }),
  }),
  sync: Type.Object({
    sampleShare: number(
      'SYNC_SAMPLE_SHARE',
      'Share of pushes that are read back half a minute later, 0 to 1.',
      { range: [0, 1], default: 0.05 },
    ),
    verifyAfterMs: integer('SYNC_VERIFY_AFTER_MS', 'How long after a push the PMS is read back.', {
      range: [0, 600_000],
      default: 2000,
    }),
    readBackMinutes: number(
      'SYNC_READ_BACK_MINUTES',
      'How often each listing is read back while nothing is pushed, in minutes.',
      { range: [0.01, 1440], default: 15 },
    ),
  }),
  egress: Type.Object({
    allowsPrivate: flag(
      'ALLOW_PRIVATE_ADDRESSES',
      '`true` lets addresses that callers give (PMS, webhooks, calendars) begin with http:// and lead to this machine or into a private network. Link-local and metadata addresses are never called.',
      { default: false },
    ),
  }),
  ...integrationSettings,
  testMail: Type.Object({
    perHour: integer('TEST_EMAIL_PER_HOUR', 'Test mails that one organization may send in an hour.', {
      range: [0, 10_000],
      default: 10,
    }),
    domains: list('TEST_EMAIL_DOMAINS', 'The only domains that test mails may be sent to, comma separated.'),
  }),
  retention: Type.Object({
    guestDays: integer('GUEST_RETENTION_DAYS', 'Days after a stay until the data of its guest is erased.', {
      range: [30, 36_500],
      default: 2557,
    }),
    notificationDays: integer('NOTIFICATION_RETENTION_DAYS', 'Days that sent mails and SMS are kept.', {
      range: [1, 3650],
      default: 90,
    }),
  }),
  maxRecords: Type.Object({
    endpoints: integer('MAX_WEBHOOK_ENDPOINTS', 'Webhook endpoints that one organization may have.', {
      range: [1, 1000],
      default: 20,
    }),
    feeds: integer('MAX_CALENDAR_FEEDS', 'Calendar feeds that one unit may have.', {
      range: [1, 1000],
      default: 10,
    }),
  }),
  worker: Type.Object({
    concurrency: integer(
      'WORKER_CONCURRENCY',
      'Jobs of one queue that one worker process runs at the same time. An organization gets half of the free slots.',
      { range: [1, 200], default: 20 },
    ),
  }),
  metrics: Type.Object({
    token: text(
      'METRICS_TOKEN',
      'Bearer token that /metrics requires. Without it anybody who reaches the port can read the metrics.',
      { secret: { kind: 'internal' } },
    ),
    port: integer(
      'METRICS_PORT',
      'Port of a worker for /health, /health/ready and /metrics. Not set: 9464, or the first free port after it. `vacancy start` counts up from it, a port for each worker.',
      { range: [0, 65_535] },
    ),
  }),
  logLevel: setting.choice('LOG_LEVEL', 'debug, info, warn, error or silent.', {
    enum: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
  }),
})
