import { Type } from 'typebox'
import * as setting from './setting-types.ts'

const { integer, list, number, optionalGroup, text, webUrl } = setting

/** Payments, files, mail, SMS and traces. */
export const integrationSettings = {
  payments: Type.Object({
    url: setting.baseUrl('PAYMENTS_URL', 'Address of the payment provider, when it is not that of Stripe.'),
    apiKey: text(
      'PAYMENTS_API_KEY',
      'API key of the payment provider. Without it and PAYMENTS_URL nothing can be paid.',
      { secret: { kind: 'payments' } },
    ),
    webhookSecrets: list(
      'PAYMENTS_WEBHOOK_SECRET',
      'Secret that signs the webhooks of the payment provider; two, comma separated, while it is being changed. Without it no webhook is accepted, and open payments are polled: each minute at first, each hour later.',
      { secret: { kind: 'payments', part: 'list' } },
    ),
  }),
  media: Type.Object({
    bucket: optionalGroup({
      name: text(
        'S3_BUCKET',
        'Bucket that media are stored in. Without it they are stored in the folder `media` of `VACANCY_HOME`.',
        { required: true },
      ),
      endpoint: webUrl('S3_ENDPOINT', 'Address of the S3 server, when it is not that of Amazon.'),
      region: text('S3_REGION', 'Region of the bucket.', { default: 'us-east-1' }),
      credentials: optionalGroup({
        accessKeyId: text(
          'S3_ACCESS_KEY',
          'Access key of the bucket. Without it the role of the machine is used.',
          { required: true },
        ),
        secretAccessKey: text('S3_SECRET_KEY', 'Secret of that access key.', {
          required: true,
          secret: { kind: 'object_storage' },
        }),
      }),
    }),
    quotaBytes: setting.mebibytes('MEDIA_QUOTA_MB', 'Space for the media of one organization, in MiB.', {
      range: [1, 1_000_000],
      default: 5000,
    }),
  }),
  mail: optionalGroup({
    url: setting.smtpUrl(
      'SMTP_URL',
      'Mail server: `smtps://user:password@host:465`, or `smtp://` with STARTTLS. Without it no mail is sent.',
      { required: true, secret: { kind: 'email', part: 'password' } },
    ),
    from: setting.sender('MAIL_FROM', 'Sender of the mails: `Name <address>`.', {
      default: 'Vacancy <vacancy@localhost>',
    }),
  }),
  sms: optionalGroup({
    url: setting.baseUrl('SMS_URL', 'Address of the SMS provider.', { default: 'https://api.twilio.com' }),
    account: text('SMS_ACCOUNT', 'Account at the SMS provider. Without it no SMS is sent.', {
      required: true,
    }),
    token: text('SMS_TOKEN', 'Key of the account at the SMS provider.', {
      required: true,
      secret: { kind: 'sms' },
    }),
    from: text('SMS_FROM', 'Number or name that SMS are sent from.', { required: true }),
  }),
  telemetry: Type.Object({
    serviceName: text('OTEL_SERVICE_NAME', 'Name of the service in traces.', { default: 'vacancy' }),
    collectorUrl: setting.baseUrl(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTLP/HTTP collector. Without it no trace is exported.',
    ),
    tracesUrl: webUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'Full address that traces are sent to.', {
      default: '{OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces',
    }),
    headers: setting.pairs(
      'OTEL_EXPORTER_OTLP_HEADERS',
      'Headers for the collector: `name=value`, comma separated.',
      { secret: { kind: 'internal' } },
    ),
    tracesHeaders: setting.pairs(
      'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
      'Headers for traces only, added to those.',
      { secret: { kind: 'internal' } },
    ),
    timeoutMs: integer('OTEL_EXPORTER_OTLP_TIMEOUT', 'Longest wait for the collector, in milliseconds.', {
      range: [1, 60_000],
      default: 10_000,
    }),
    samplingRatio: number(
      'OTEL_TRACES_SAMPLER_ARG',
      'Share of traces to keep, 0 to 1. Traces with an error are always kept.',
      { range: [0, 1], default: 0.1 },
    ),
  }),
}
