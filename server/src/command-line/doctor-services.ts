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

export const checkRedis = ({ redis: { url, ...sentinels } }: Config): DoctorCheck | undefined =>
  url === null
    ? undefined
    : {
        name: 'Redis',
        advice:
          'Check REDIS_URL and REDIS_SENTINELS, and that Redis has memory left; until it counts, rate limits are not applied.',
        run: async () => {
          const address = await findPrimary(url, sentinels)
          return `${new URL(address).host} responded in ${await writeToRedis(address, timeoutMs)} ms`
        },
      }

/** An array of host and port, or no array. */
const addressReply = /\*(?:-1|2\r\n\$\d\d?\r\n([^\r]+)\r\n\$\d\r\n(\d+))\r\n/

/** The URL with the address that the sentinels name, which must be the same for all of them. */
async function findPrimary(
  url: string,
  { sentinels, sentinelPassword }: Omit<Config['redis'], 'url' | 'timeoutMs'>,
): Promise<string> {
  const primary = new URL(url)
  const question = ['SENTINEL', 'get-master-addr-by-name', primary.hostname]
  const named = new Set<string>()
  for (const { host, port } of sentinels) {
    const sentinel = new URL(`${primary.protocol}//${host.includes(':') ? `[${host}]` : host}:${port}`)
    sentinel.password = sentinelPassword ?? ''
    const reply = await callRedis(sentinel.href, question, addressReply, timeoutMs)
    if (reply[1] === undefined) throw new Error(`${sentinel.host} knows no primary named ${primary.hostname}`)
    named.add(reply[1].includes(':') ? `[${reply[1]}]:${reply[2]}` : `${reply[1]}:${reply[2]}`)
  }
  if (named.size > 1) throw new Error(`the sentinels name several primaries: ${[...named].join(', ')}`)
  for (const address of named) primary.host = address
  return primary.href
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

export async function getJson<Body>(address: string, headers: Record<string, string> = {}): Promise<Body> {
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok) throw new Error(`${address} responded with ${response.status}`)
  return (await response.json()) as Body
}

/** Writes by a script, as requests are counted: a Redis without memory, or a replica, still answers a ping. */
export async function writeToRedis(address: string, timeoutMs: number): Promise<number> {
  const startedAt = performance.now()
  const script = "redis.call('SET', KEYS[1], '', 'PX', 1000) return 1"
  await callRedis(address, ['EVAL', script, '1', 'vacancy:limits:{doctor}'], /^:1\r/m, timeoutMs)
  return Math.round(performance.now() - startedAt)
}

/** Speaks the Redis protocol itself: a client library would retry instead of reporting the fault. */
function callRedis(
  address: string,
  command: string[],
  reply: RegExp,
  timeoutMs: number,
): Promise<RegExpExecArray> {
  const { hostname, port, protocol, username, password } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  const target = { host, port: Number(port || 6379) }
  const socket = protocol === 'rediss:' ? connectTls({ ...target, servername: host }) : connect(target)
  const auth = password
    ? ['AUTH', ...(username ? [decodeURIComponent(username)] : []), decodeURIComponent(password)]
    : []
  return new Promise<RegExpExecArray>((resolve, reject) => {
    let received = ''
    socket.setTimeout(timeoutMs, () => reject(new Error('it does not respond')))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('it closed the connection')))
    socket.on('data', (text) => {
      received += text
      const error = /^-(.*)\r\n/m.exec(received)
      if (error) reject(new Error(`it rejects the command: ${error[1]}`))
      const found = reply.exec(received)
      if (found) resolve(found)
    })
    if (auth.length > 0) socket.write(encodeCommand(auth))
    socket.write(encodeCommand(command))
  }).finally(() => socket.destroy())
}

const encodeCommand = (words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
