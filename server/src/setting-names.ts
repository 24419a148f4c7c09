import { outsideSettings } from './outside-settings.ts'
import type { Setting } from './settings.ts'
import { syncSettings } from './sync-setting-names.ts'

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
    summary: '`true` fills the demonstration into a database that `vacancy start` was given.',
    fallback: 'false',
  },
  {
    name: 'DATABASE_URL',
    summary: 'PostgreSQL 15 or later, for the API and the workers.',
    ...{ required: true, secret: { kind: 'database', form: 'password' } },
  },
  {
    name: 'DATABASE_DIRECT_URL',
    summary: 'The same database past a pooler, for the connection on which a process hears notifications.',
    ...{ fallback: 'DATABASE_URL', secret: { kind: 'database', form: 'password' } },
  },
  {
    name: 'DATABASE_OWNER_URL',
    summary: 'Login for migrations and provisioning, when DATABASE_URL may not create. Not through a pooler.',
    ...{ fallback: 'DATABASE_DIRECT_URL', secret: { kind: 'database', form: 'password' } },
  },
  { name: 'DATABASE_POOL_SIZE', summary: 'Connections of one process.', fallback: '10' },
  {
    name: 'DATABASE_PREPARE',
    summary: '`false` where a pooler loses prepared statements.',
    fallback: 'true',
  },
  {
    name: 'REDIS_URL',
    summary: 'Shared counter store of several API processes. Without it each process counts for itself.',
    secret: { kind: 'cache', form: 'password' },
  },
  { name: 'REDIS_TIMEOUT_MS', summary: 'Longest wait of a request for it, milliseconds.', fallback: '100' },
  { name: 'RATE_LIMITS', summary: '`false` leaves limiting to a gateway in front.', fallback: 'true' },
  {
    name: 'OIDC_ISSUER',
    summary: 'Issuer of the access tokens; its discovery document is read at start.',
    required: true,
  },
  { name: 'OIDC_AUDIENCE', summary: 'The audience that a token must name.', required: true },
  { name: 'OIDC_CLIENT_ID', summary: 'Client of the console at the issuer.', fallback: 'vacancy-console' },
  { name: 'OIDC_LEEWAY_SECONDS', summary: 'Clock difference allowed to the issuer.', fallback: '60' },
  {
    name: 'OIDC_ORG_CLAIM',
    summary: 'Claim with the id of the organization, where the issuer calls it otherwise.',
    fallback: 'org_id',
  },
  { name: 'OIDC_ACCOUNT_CLAIM', summary: 'Claim with the id of the account.', fallback: 'account_id' },
  { name: 'OIDC_ROLE_CLAIM', summary: 'Claim with the role.', fallback: 'role' },
  {
    name: 'OIDC_PERMISSIONS_CLAIM',
    summary: 'Claim with the permissions that a token is limited to.',
    fallback: 'permissions',
  },
  {
    name: 'OIDC_REQUIRE_AT_JWT',
    summary: '`true` refuses tokens that are not of type at+jwt.',
    fallback: 'false',
  },
  {
    name: 'INTERNAL_SERVICE_TOKEN',
    summary:
      'A request with this value in x-internal-token is not counted against rate limits; two, comma separated, while it is changed.',
    secret: { kind: 'internal', form: 'list' },
  },
  {
    name: 'SECRET_KEYS',
    summary:
      'Keys that seal stored credentials: `id:base64` of 32 bytes, comma separated. The first seals, all open.',
    required: true,
    secret: { kind: 'sealing_keys', form: 'first' },
  },
  {
    name: 'MAX_CONNECTIONS',
    summary: 'Connections that one API process keeps open; more are closed at once.',
    fallback: '15000',
  },
  {
    name: 'HEADERS_TIMEOUT_MS',
    summary: 'Longest wait for the headers of a request, and for a new connection to say anything.',
    fallback: '15000',
  },
  {
    name: 'BODY_TIMEOUT_MS',
    summary: 'Longest wait for the body of a request, and for each 16 KiB of a file.',
    fallback: '30000',
  },
  { name: 'UPLOAD_TIMEOUT_MS', summary: 'Longest wait for a whole file.', fallback: '600000' },
  {
    name: 'SILENCE_TIMEOUT_MS',
    summary: 'A connection on which nothing moves for so long is closed, also when an answer is not read.',
    fallback: '120000',
  },
  {
    name: 'IDLE_TIMEOUT_MS',
    summary: 'How long a connection is kept for a next request; more than the proxy in front keeps it.',
    fallback: '72000',
  },
  { name: 'CORS_ORIGINS', summary: 'Origins of browsers other than the console, comma separated.' },
  {
    name: 'TRUST_PROXY',
    summary:
      'How many proxies stand in front and append to X-Forwarded-For, or their addresses and networks, comma separated; `true` is one. Anything else in that header is ignored.',
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
    name: 'PMS_WEBHOOK_SECRETS',
    summary:
      'Secrets of messages to /webhooks/pms whose target has none of its own, comma separated; each of them is good.',
    secret: { kind: 'pms', form: 'list' },
  },
  {
    name: 'PMS_WEBHOOK_ALLOW_UNSIGNED',
    summary: '`false` refuses messages of a PMS for which no secret is configured.',
    fallback: 'true',
  },
  ...syncSettings,
  {
    name: 'ALLOW_PRIVATE_ADDRESSES',
    summary:
      '`true` lets addresses that callers give (PMS, webhooks, calendars) begin with http:// and lead to this machine or into a private network. Link-local and metadata addresses are never called.',
    fallback: 'false',
  },
  ...outsideSettings,
  {
    name: 'TEST_EMAIL_PER_HOUR',
    summary: 'Test mails that one organization may send in an hour.',
    fallback: '10',
  },
  { name: 'TEST_EMAIL_DOMAINS', summary: 'The only domains that test mails may go to, comma separated.' },
  {
    name: 'GUEST_RETENTION_DAYS',
    summary: 'Days after a stay until its guest is forgotten.',
    fallback: '2557',
  },
  { name: 'NOTIFICATION_RETENTION_DAYS', summary: 'Days that mails and texts are kept.', fallback: '90' },
  {
    name: 'WORKER_CONCURRENCY',
    summary:
      'Jobs of one queue that one worker process works on at the same time. An organization gets half of the free ones.',
    fallback: '20',
  },
  {
    name: 'MAX_WEBHOOK_ENDPOINTS',
    summary: 'Webhook endpoints that one organization may have.',
    fallback: '20',
  },
  { name: 'MAX_CALENDAR_FEEDS', summary: 'Calendar feeds that one unit may have.', fallback: '10' },
  {
    name: 'METRICS_TOKEN',
    summary:
      'Bearer token that /metrics asks for. Without it the figures are shown to everybody who reaches the port.',
    secret: { kind: 'internal' },
  },
  {
    name: 'METRICS_PORT',
    summary:
      'Port of a worker for /health, /health/ready and /metrics. Unset: 9464, or the first free port after it. `vacancy start` counts up from it, a port for each worker.',
    fallback: '9464',
  },
  { name: 'OTEL_SERVICE_NAME', summary: 'Name of the service in traces.', fallback: 'vacancy' },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    summary: 'OTLP/HTTP collector. Without it no trace leaves the process.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    summary: 'Headers for the collector: `name=value`, comma separated.',
    secret: { kind: 'internal' },
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    summary: 'Where traces go, taken as it is.',
    fallback: 'the collector, /v1/traces',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    summary: 'Headers for traces alone, beside the others.',
    secret: { kind: 'internal' },
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TIMEOUT',
    summary: 'Longest wait for the collector, milliseconds.',
    fallback: '10000',
  },
  {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    summary: 'Share of traces to keep, 0 to 1. Traces with an error are always kept.',
    fallback: '0.1',
  },
  { name: 'LOG_LEVEL', summary: 'debug, info, warn, error or silent.', fallback: 'info' },
] as const satisfies readonly Setting[]

export type SettingName = (typeof settings)[number]['name']
