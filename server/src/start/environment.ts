// What the processes of one running product are told, made from what the person set and what we brought along.
import { createHash } from 'node:crypto'
import { readConfig } from '#config.ts'
import type { Secrets } from './home-secrets.ts'

export type Environment = Record<string, string | undefined>

export const developmentAudience = 'https://api.vacancy.local'

/** Reports every fault of what was set before anything is started. */
export function checkSettings(env: Environment) {
  return readConfig({
    SECRET_KEYS: `local:${Buffer.alloc(32).toString('base64')}`,
    DATABASE_URL: 'postgres://embedded',
    ...(!env['OIDC_ISSUER'] && { OIDC_ISSUER: 'http://embedded', OIDC_AUDIENCE: developmentAudience }),
    ...onlySet(env),
  })
}

export type Parts = {
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

/** What the API and the workers need beside what the person set; what was set wins. */
export function madeEnvironment(env: Environment, parts: Parts): Record<string, string> {
  const made: Record<string, string> = {
    DATABASE_URL: parts.databaseUrl,
    OIDC_ISSUER: parts.issuer,
    OIDC_AUDIENCE: developmentAudience,
    PMS_SANDBOX_URL: parts.pmsUrl,
    // Here the PMS is a neighbour on the same machine.
    ALLOW_PRIVATE_ADDRESSES: 'true',
    PAYMENTS_URL: parts.paymentsUrl,
    PAYMENTS_API_KEY: 'sk_test_vacancy',
    PAYMENTS_WEBHOOK_SECRET: paymentsSecretOf(parts.secrets),
    SMTP_URL: parts.smtpUrl,
    SECRET_KEYS: parts.secrets.secret_keys,
    INTERNAL_SERVICE_TOKEN: parts.secrets.internal_service_token,
    HOST: '127.0.0.1',
  }
  // An account of somebody's own is not mixed with ours.
  if (parts.mailUrl && !env['SMS_ACCOUNT'])
    Object.assign(made, {
      SMS_URL: parts.mailUrl,
      SMS_ACCOUNT: 'ACvacancy',
      SMS_TOKEN: 'vacancy',
      SMS_FROM: '+15005550006',
    })
  for (const name of Object.keys(made)) made[name] = env[name] || made[name] || ''
  return { ...made, PORT: String(parts.port), VACANCY_HOME: parts.home }
}

/** What the stand-in for payments signs its notices with: made from what the home has, so that an old one has it too. */
export const paymentsSecretOf = ({ internal_service_token }: Secrets): string =>
  `whsec_${createHash('sha256').update(`payments ${internal_service_token}`).digest('hex')}`

const onlySet = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
