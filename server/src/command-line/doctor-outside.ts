import type { Config } from '#config.ts'
import type { Check } from './check.ts'
import { pingRedis } from './ping-redis.ts'

const timeoutMs = 5_000

export const checkIssuer = ({ identity: { issuer } }: Config): Check => ({
  name: 'Identity',
  advice: 'Check OIDC_ISSUER; it must be spelled exactly as the provider spells itself.',
  look: async () => {
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const found = await askJson<{ issuer?: string; jwks_uri?: string }>(address)
    if (found.issuer !== issuer) throw new Error(`${address} names the issuer ${found.issuer}, not ${issuer}`)
    if (!found.jwks_uri) throw new Error(`${address} names no jwks_uri`)
    const { keys = [] } = await askJson<{ keys?: { kty?: string; crv?: string }[] }>(found.jwks_uri)
    const usable = keys.filter(({ kty, crv }) => kty === 'RSA' || (kty === 'EC' && crv === 'P-256'))
    if (usable.length === 0) throw new Error(`${found.jwks_uri} has no key for RS256 or ES256`)
    return `${issuer}, ${usable.length} signing ${usable.length === 1 ? 'key' : 'keys'}`
  },
})

export const checkRedis = ({ redis: { url } }: Config): Check | undefined =>
  url === null
    ? undefined
    : {
        name: 'Redis',
        advice: 'Check REDIS_URL; until it answers, rate limits are not applied.',
        look: async () => `${new URL(url).host} answers in ${await pingRedis(url, timeoutMs)} ms`,
      }

export const checkPms = ({ pms: { sandboxUrl } }: Config): Check | undefined =>
  sandboxUrl === null
    ? undefined
    : {
        name: 'Stand-in PMS',
        advice: 'Check PMS_SANDBOX_URL, or restart npm start.',
        look: async () => {
          await askJson(`${sandboxUrl}/health`)
          return sandboxUrl
        },
      }

export const checkPayments = ({ payments: { url, apiKey } }: Config): Check | undefined =>
  url === null
    ? undefined
    : {
        name: 'Payments',
        advice: 'Check PAYMENTS_URL and PAYMENTS_API_KEY.',
        look: async () => {
          await askJson(`${url}/v1/balance`, apiKey ? { authorization: `Bearer ${apiKey}` } : {})
          return url
        },
      }

export const checkApi = (url: string): Check => ({
  name: 'API',
  advice: 'Look into its log in VACANCY_HOME, or restart npm start.',
  look: async () => {
    const { status, checks = {} } = await askJson<{ status: string; checks?: Record<string, string> }>(
      `${url}/health`,
    )
    const ill = Object.entries(checks).filter(([, state]) => state !== 'healthy')
    if (ill.length > 0)
      throw new Error(`it reports ${ill.map(([name, state]) => `${name} ${state}`).join(', ')}`)
    return `${url} is ${status}`
  },
})

async function askJson<Answer>(address: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok) throw new Error(`${address} answers ${response.status}`)
  return (await response.json()) as Answer
}
