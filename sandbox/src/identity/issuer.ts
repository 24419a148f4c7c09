import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT, type JWK } from 'jose'
import { ReplyError } from '../http/request.ts'
import { listen, openServer } from '../http/server.ts'

export type IssuerAlg = 'RS256' | 'ES256'

/** How a token differs from a valid one. */
export type Signing = {
  /** A key of this issuer, removed ones included; null leaves `kid` out of the header. */
  kid?: string | null
  /** `none` leaves the signature out; `HS256` uses the text of the public key as the secret. */
  alg?: IssuerAlg | 'none' | 'HS256'
  typ?: string
  /** Merged into the header last. */
  header?: Record<string, unknown>
}

export type Issuer = Awaited<ReturnType<typeof startIssuer>>

type Key = { alg: IssuerAlg; privateKey: KeyObject; jwk: JWK }

const lifetimeSeconds = 300

/** Issues valid and invalid tokens without a sign-in: discovery, keys, and `sign`. */
export async function startIssuer({
  port = 0,
  audience = 'https://api.vacancy.local',
  alg = 'RS256',
}: { port?: number; audience?: string; alg?: IssuerAlg } = {}) {
  const keys = new Map<string, Key>()
  const served = new Set<string>()
  let requests = 0
  let lastKey = 0
  const firstKid = addKey(alg)

  const app = openServer()
  app.get('/.well-known/openid-configuration', () => discovery(issuer))
  app.get('/jwks', () => {
    requests += 1
    return { keys: [...served].map((kid) => keys.get(kid)?.jwk) }
  })
  app.setNotFoundHandler(() => {
    throw new ReplyError(404, 'not found', { error: 'not_found' })
  })
  const issuer = await listen(app, { port })

  return {
    issuer,
    audience,
    addKey,
    /** The key is no longer served; tokens can still be signed with it. */
    removeKey: (kid: string) => void served.delete(kid),
    /** The number of requests for the keys. */
    get requests() {
      return requests
    },
    sign,
    close: () => app.close(),
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

  /** A token that is valid by default. A claim set to undefined is left out. */
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

/** A signature with the public key as the shared secret, which a careless verifier accepts. */
function forged(text: string, privateKey: KeyObject) {
  const secret = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' })
  return createHmac('sha256', secret).update(text).digest('base64url')
}

function encoded(value: object) {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
