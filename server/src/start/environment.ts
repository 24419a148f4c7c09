// What the processes of one running product are told, made from what the person set and what we brought along.
import { readConfig } from '#config.ts'
import type { Secrets } from './home.ts'

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
    SECRET_KEYS: parts.secrets.secret_keys,
    INTERNAL_SERVICE_TOKEN: parts.secrets.internal_service_token,
    HOST: '127.0.0.1',
  }
  for (const name of Object.keys(made)) made[name] = env[name] || made[name] || ''
  return { ...made, PORT: String(parts.port), VACANCY_HOME: parts.home }
}

const onlySet = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
