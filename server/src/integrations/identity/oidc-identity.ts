import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import { trimTrailingSlashes } from '#schema/fields.ts'
import { readClaims, type ClaimSettings } from './claims.ts'
import { ProviderUnavailable, InvalidToken, type Identity } from './identity.ts'
import { firstContactMs, isUnavailable, openProviderKeys, maxTokenLifetimeSeconds } from './provider-keys.ts'

export interface OidcOptions extends ClaimSettings {
  issuer: string
  audience: string
  leewaySeconds: number
  requireAccessTokenType: boolean
  /** The key set is read again after this time. A removed key is rejected after it at the latest. */
  keysMaxAgeMs?: number
  /** The minimum time between two reads caused by unknown key ids. A new key is accepted after it at the latest. */
  cooldownMs?: number
  /** How long the last keys are used while the provider is unavailable. */
  maxStaleKeysMs?: number
}

/** The defaults: a removed key is rejected within 60 s (with the cache of callers), a new one accepted within 5 s. */
export const keyCacheTimes = { maxAgeMs: 25_000, cooldownMs: 4_000 } as const

const algorithms = ['RS256', 'ES256']

/** Verifies access tokens (RFC 9068, and plain JWTs of providers that do not send its type) with jose. */
export function oidcIdentity(options: OidcOptions): Identity {
  const { issuer, audience, leewaySeconds } = options
  let keys: Promise<JWTVerifyGetKey> | undefined
  const discoverOnce = () => {
    keys ??= discover(options)
    keys.catch(() => (keys = undefined))
    return keys
  }
  return {
    prepare: () =>
      discoverOnce().then(
        () => {},
        () => {},
      ),
    async verify(token) {
      const key = await discoverOnce()
      try {
        const { payload, protectedHeader } = await jwtVerify(token, key, {
          issuer,
          audience,
          algorithms,
          clockTolerance: leewaySeconds,
          requiredClaims: ['sub', 'exp', 'iat'],
        })
        assertAccessToken(protectedHeader.typ, payload, options)
        const acceptedUntil = new Date((payload.exp! + leewaySeconds) * 1_000)
        return { ...readClaims(payload, options), acceptedUntil }
      } catch (error) {
        if (error instanceof InvalidToken) throw error
        if (error instanceof errors.JWKSNoMatchingKey)
          throw new InvalidToken('The token is signed by an unknown key.')
        if (isUnavailable(error))
          throw new ProviderUnavailable('The identity provider does not respond.', { cause: error })
        throw new InvalidToken(describeError(error), { cause: error })
      }
    },
  }
}

const discoveryUrl = (issuer: string) => `${trimTrailingSlashes(issuer)}/.well-known/openid-configuration`

async function discover({
  issuer,
  keysMaxAgeMs = keyCacheTimes.maxAgeMs,
  cooldownMs = keyCacheTimes.cooldownMs,
  maxStaleKeysMs,
}: OidcOptions): Promise<JWTVerifyGetKey> {
  try {
    const response = await fetch(discoveryUrl(issuer), {
      signal: AbortSignal.timeout(firstContactMs),
      redirect: 'error',
    })
    const document = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown }
    if (document.issuer !== issuer)
      throw new Error(`The discovery document names the issuer ${String(document.issuer)}.`)
    return await openProviderKeys(new URL(String(document.jwks_uri)), {
      maxAgeMs: keysMaxAgeMs,
      cooldownMs,
      maxStaleMs: maxStaleKeysMs,
    })
  } catch (error) {
    throw new ProviderUnavailable('The identity provider does not respond.', { cause: error })
  }
}

/** Rejects ID tokens, logout tokens and others, which are signed with the same keys. */
function assertAccessToken(typ: string | undefined, payload: JWTPayload, options: OidcOptions): void {
  const type = typ?.toLowerCase().replace(/^application\//, '')
  const isAccessToken = type === 'at+jwt'
  if (!isAccessToken && (options.requireAccessTokenType || (type !== undefined && type !== 'jwt')))
    throw new InvalidToken(`The token is of type ${typ ?? 'none'}, not at+jwt.`)
  if (!isAccessToken && ('nonce' in payload || 'at_hash' in payload || 'events' in payload))
    throw new InvalidToken('This is an ID token, not an access token.')
  const now = Date.now() / 1_000
  if (payload.iat! > now + options.leewaySeconds)
    throw new InvalidToken('The token was issued in the future.')
  if (payload.exp! - payload.iat! > maxTokenLifetimeSeconds)
    throw new InvalidToken('The lifetime of the token is more than 24 hours.')
}

function describeError(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.'
  if (error instanceof errors.JWTClaimValidationFailed) return `The token's ${error.claim} is not accepted.`
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is wrong.'
  return 'The token is not valid.'
}
