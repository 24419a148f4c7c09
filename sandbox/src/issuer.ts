import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import { SignJWT, type JWK } from 'jose'
import { answer } from './json-http.ts'
import { listen, stopListening } from './listen.ts'

export type IssuerAlg = 'RS256' | 'ES256'

/** How a token departs from a good one. */
export type Signing = {
  /** A key of this issuer, also one removed since; null leaves `kid` out of the header. */
  kid?: string | null
  /** `none` leaves the signature out, `HS256` uses the public key's text as the secret. */
  alg?: IssuerAlg | 'none' | 'HS256'
  typ?: string
  /** Laid over the header last. */
  header?: Record<string, unknown>
}

export type Issuer = Awaited<ReturnType<typeof startIssuer>>

type Key = { alg: IssuerAlg; privateKey: KeyObject; jwk: JWK }

const lifetimeSeconds = 300

/** An issuer of tokens, good and bad, without anybody signing in: discovery, keys, and a pen. */
export async function startIssuer({
  port = 0,
  audience = 'https://api.vacancy.local',
}: { port?: number; audience?: string } = {}) {
  const keys = new Map<string, Key>()
  const served = new Set<string>()
  let requests = 0
  let lastKey = 0
  const firstKid = addKey()

  const server = createServer((req, res) => {
    const path = req.url?.split('?', 1)[0]
    if (path === '/.well-known/openid-configuration') return answer(res, 200, discovery(issuer))
    if (path !== '/jwks') return answer(res, 404, { error: 'not_found' })
    requests += 1
    answer(res, 200, { keys: [...served].map((kid) => keys.get(kid)?.jwk) })
  })
  const issuer = await listen(server, { port })

  return {
    issuer,
    audience,
    addKey,
    /** The key is no longer served; tokens can still be signed with it. */
    removeKey: (kid: string) => void served.delete(kid),
    /** How often the keys were fetched. */
    get requests() {
      return requests
    },
    sign,
    close: () => stopListening(server),
  }

  function addKey(alg: IssuerAlg = 'RS256'): string {
    const { privateKey, publicKey } =
      alg === 'RS256'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' })
    lastKey += 1
    const kid = `test-${lastKey}`
    keys.set(kid, { alg, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } })
    served.add(kid)
    return kid
  }

  /** A token that is good unless the claims or the signing say otherwise; a claim set to undefined is left out. */
  async function sign(claims: Record<string, unknown> = {}, signing: Signing = {}): Promise<string> {
    const named = signing.kid ?? newestKid(signing.alg)
    const key = keys.get(named)
    if (!key) throw new Error(`this issuer never had a key named ${named}`)
    const alg = signing.alg ?? key.alg
    const kid = signing.kid === null ? {} : { kid: named }
    const header = { alg, typ: signing.typ ?? 'at+jwt', ...kid, ...signing.header }
    const issuedAt = Math.floor(Date.now() / 1000)
    const times = { iat: issuedAt, exp: issuedAt + lifetimeSeconds }
    const payload = { iss: issuer, aud: audience, ...times, jti: crypto.randomUUID(), ...claims }
    if (header.alg === key.alg) return new SignJWT(payload).setProtectedHeader(header).sign(key.privateKey)
    const text = `${encoded(header)}.${encoded(payload)}`
    return `${text}.${alg === 'HS256' ? forged(text, key.privateKey) : ''}`
  }

  function newestKid(alg: Signing['alg']) {
    const fitting = [...served].filter((kid) =>
      alg !== 'ES256' && alg !== 'RS256' ? true : keys.get(kid)?.alg === alg,
    )
    return fitting.at(-1) ?? firstKid
  }
}

function discovery(issuer: string) {
  return {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    end_session_endpoint: `${issuer}/session/end`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
  }
}

/** The confusion of a public key with a shared secret, which a careless verifier falls for. */
function forged(text: string, privateKey: KeyObject) {
  const secret = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' })
  return createHmac('sha256', secret).update(text).digest('base64url')
}

function encoded(value: object) {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
