/** The environment of the processes: the settings of the operator and those of the embedded services. */
import { createHash } from 'node:crypto'
import { readConfig } from '#config/config.ts'
import type { Secrets } from './home-secrets.ts'

export type Environment = Record<string, string | undefined>

export const developmentAudience = 'https://api.vacancy.local'

/** Validates the settings of the operator before anything is started. @throws ConfigError with all faults */
export function validateSettings(env: Environment) {
  return readConfig({
    SECRET_KEYS: `local:${Buffer.alloc(32).toString('base64')}`,
    DATABASE_URL: 'postgres://embedded',
    ...(!env['OIDC_ISSUER'] && { OIDC_ISSUER: 'http://embedded', OIDC_AUDIENCE: developmentAudience }),
    ...withoutEmpty(env),
  })
}

export interface EmbeddedServices {
  databaseUrl: string
  issuer: string
  pmsUrl: string
  paymentsUrl: string
  mailUrl: string
  smtpUrl: string
  port: number
  home: string
  secrets: Secrets
}

/** The settings that the API and the workers need beside those of the operator, which take precedence. */
export function buildEnvironment(env: Environment, services: EmbeddedServices): Record<string, string> {
  const values: Record<string, string> = {
    DATABASE_URL: services.databaseUrl,
    OIDC_ISSUER: services.issuer,
    OIDC_AUDIENCE: developmentAudience,
    GENERIC_PMS_URL: services.pmsUrl,
    // The sandbox PMS runs on this machine.
    ALLOW_PRIVATE_ADDRESSES: 'true',
    PAYMENTS_URL: services.paymentsUrl,
    PAYMENTS_API_KEY: 'sk_test_vacancy',
    PAYMENTS_WEBHOOK_SECRET: paymentsWebhookSecret(services.secrets),
    SMTP_URL: services.smtpUrl,
    SECRET_KEYS: services.secrets.secret_keys,
    INTERNAL_SERVICE_TOKEN: services.secrets.internal_service_token,
    HOST: '127.0.0.1',
  }
  // An SMS account of the operator is not mixed with that of the sandbox.
  if (services.mailUrl && !env['SMS_ACCOUNT'])
    Object.assign(values, {
      SMS_URL: services.mailUrl,
      SMS_ACCOUNT: 'ACvacancy',
      SMS_TOKEN: 'vacancy',
      SMS_FROM: '+15005550006',
    })
  for (const name of Object.keys(values)) values[name] = env[name] || values[name] || ''
  return { ...values, PORT: String(services.port), VACANCY_HOME: services.home }
}

/** Signs the webhooks of the payments sandbox. Derived from another secret, so that older homes have it too. */
export const paymentsWebhookSecret = ({ internal_service_token }: Secrets): string =>
  `whsec_${createHash('sha256').update(`payments ${internal_service_token}`).digest('hex')}`

const withoutEmpty = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
