import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Config } from '#config/config.ts'
import type { DoctorCheck } from './doctor-check.ts'

const timeoutMs = 5_000

export const checkIssuer = ({ identity: { issuer } }: Config): DoctorCheck => ({
  name: 'Identity',
  advice: 'Check OIDC_ISSUER; it must equal the issuer in the discovery document of the provider.',
  run: async () => {
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const found = await getJson<{ issuer?: string; jwks_uri?: string }>(address)
    if (found.issuer !== issuer) throw new Error(`${address} names the issuer ${found.issuer}, not ${issuer}`)
    if (!found.jwks_uri) throw new Error(`${address} names no jwks_uri`)
    const { keys = [] } = await getJson<{ keys?: { kty?: string; crv?: string }[] }>(found.jwks_uri)
    const usable = keys.filter(({ kty, crv }) => kty === 'RSA' || (kty === 'EC' && crv === 'P-256'))
    if (usable.length === 0) throw new Error(`${found.jwks_uri} has no key for RS256 or ES256`)
    return `${issuer}, ${usable.length} signing ${usable.length === 1 ? 'key' : 'keys'}`
  },
})

export const checkRedis = ({ redis: { url } }: Config): DoctorCheck | undefined =>
  url === null
    ? undefined
    : {
        name: 'Redis',
        advice: 'Check REDIS_URL; until Redis responds, rate limits are not applied.',
        run: async () => `${new URL(url).host} responded in ${await pingRedis(url, timeoutMs)} ms`,
      }

export const checkPms = ({ pms: { defaultUrl } }: Config): DoctorCheck | undefined =>
  defaultUrl === null
    ? undefined
    : {
        name: 'PMS',
        advice: 'Check GENERIC_PMS_URL, or restart npm start.',
        run: async () => {
          await getJson(`${defaultUrl}/health`)
          return defaultUrl
        },
      }

export const checkPayments = ({ payments: { url, apiKey } }: Config): DoctorCheck | undefined =>
  url === null
    ? undefined
    : {
        name: 'Payments',
        advice: 'Check PAYMENTS_URL and PAYMENTS_API_KEY.',
        run: async () => {
          await getJson(`${url}/v1/balance`, apiKey ? { authorization: `Bearer ${apiKey}` } : {})
          return url
        },
      }

export const checkApi = (url: string): DoctorCheck => ({
  name: 'API',
  advice: 'Check its log in VACANCY_HOME, or restart npm start.',
  run: async () => {
    const { status, checks = {} } = await getJson<{ status: string; checks?: Record<string, string> }>(
      `${url}/health`,
    )
    const unhealthy = Object.entries(checks).filter(([, state]) => state !== 'healthy')
    if (unhealthy.length > 0)
      throw new Error(`it reports ${unhealthy.map(([name, state]) => `${name} ${state}`).join(', ')}`)
    return `${url} is ${status}`
  },
})

async function getJson<Body>(address: string, headers: Record<string, string> = {}): Promise<Body> {
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok) throw new Error(`${address} responded with ${response.status}`)
  return (await response.json()) as Body
}

/** Speaks the Redis protocol itself: a client library would retry instead of reporting the fault. */
export function pingRedis(address: string, timeoutMs: number): Promise<number> {
  const { hostname, port, protocol, username, password } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  const target = { host, port: Number(port || 6379) }
  const socket = protocol === 'rediss:' ? connectTls({ ...target, servername: host }) : connect(target)
  const auth = password
    ? ['AUTH', ...(username ? [decodeURIComponent(username)] : []), decodeURIComponent(password)]
    : []
  const startedAt = performance.now()
  return new Promise<number>((resolve, reject) => {
    let received = ''
    socket.setTimeout(timeoutMs, () => reject(new Error('it does not respond')))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('it closed the connection')))
    socket.on('data', (text) => {
      received += text
      const error = /^-(.*)\r\n/m.exec(received)
      if (error) reject(new Error(`it rejects the connection: ${error[1]}`))
      if (received.includes('+PONG')) resolve(Math.round(performance.now() - startedAt))
    })
    if (auth.length > 0) socket.write(encodeCommand(auth))
    socket.write(encodeCommand(['PING']))
  }).finally(() => socket.destroy())
}

const encodeCommand = (words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
