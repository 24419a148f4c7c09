import type { Setting } from './settings.ts'

/** Payments, files, mail and SMS. */
export const outsideSettings = [
  { name: 'PAYMENTS_URL', summary: 'Address of the payment provider, when it is not that of Stripe.' },
  {
    name: 'PAYMENTS_API_KEY',
    summary: 'Key at the payment provider. Without it and without an address nothing can be paid.',
    secret: { kind: 'payments' },
  },
  {
    name: 'PAYMENTS_WEBHOOK_SECRET',
    summary:
      'Secret that signs the notices of the payment provider; two, comma separated, while it is changed. Without it no notice is believed, and payments are looked up each minute.',
    secret: { kind: 'payments', form: 'list' },
  },
  {
    name: 'S3_BUCKET',
    summary:
      'Bucket that media are kept in. Without it they are kept in the folder `media` of `VACANCY_HOME`.',
  },
  { name: 'S3_ENDPOINT', summary: 'Address of the S3 server, when it is not that of Amazon.' },
  { name: 'S3_REGION', summary: 'Region of the bucket.', fallback: 'us-east-1' },
  { name: 'S3_ACCESS_KEY', summary: 'Key of the bucket. Without it the role of the machine is taken.' },
  { name: 'S3_SECRET_KEY', summary: 'Secret of that key.', secret: { kind: 'object_storage' } },
  {
    name: 'MEDIA_QUOTA_MB',
    summary: 'What the media of one organization may take, in MiB.',
    fallback: '5000',
  },
  {
    name: 'SMTP_URL',
    summary:
      'Mail server: `smtps://user:password@host:465`, or `smtp://` with STARTTLS. Without it no mail leaves.',
    secret: { kind: 'email', form: 'password' },
  },
  {
    name: 'MAIL_FROM',
    summary: 'Sender of the mails: `Name <address>`.',
    fallback: 'Vacancy <vacancy@localhost>',
  },
  { name: 'SMS_URL', summary: 'Address of the SMS provider.', fallback: 'https://api.twilio.com' },
  { name: 'SMS_ACCOUNT', summary: 'Account at the SMS provider. Without it no SMS leaves.' },
  { name: 'SMS_TOKEN', summary: 'Key of the account at the SMS provider.', secret: { kind: 'sms' } },
  { name: 'SMS_FROM', summary: 'Number or name that SMS come from.' },
] as const satisfies readonly Setting[]
