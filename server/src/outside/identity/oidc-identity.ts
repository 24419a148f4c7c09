import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import { withoutLastSlashes } from '#addresses.ts'
import { readClaimNames, type ClaimNames } from '#claim-names.ts'
import { ProviderAway, TokenRefused, type Claims, type Identity } from './identity.ts'
import { isAway, lastingKeys, longestLifeSeconds } from './lasting-keys.ts'

export interface OidcOptions {
  issuer: string
  audience: string
  leewaySeconds: number
  requireAccessTokenType: boolean
  claimNames?: ClaimNames
  /** How long the key set is used before it is read again. A removed key is refused after this at the latest. */
  keysMaxAgeMs?: number
  /** The pause between two reads that unknown key ids cause. A new key is accepted after this at the latest. */
  cooldownMs?: number
  /** How long keys are good while the provider cannot be asked for them. */
  keysOutliveMs?: number
}

/** The bounds of the product: a removed key is refused within 60 s (with the caller cache), a new one accepted within 5. */
export const keysBounds = { maxAgeMs: 25_000, cooldownMs: 4_000 } as const

const algorithms = ['RS256', 'ES256']

/** Verifies access tokens (RFC 9068, and plain JWTs of providers that do not send its type) with jose. */
export function oidcIdentity(options: OidcOptions): Identity {
  const { issuer, audience, leewaySeconds } = options
  let keys: Promise<JWTVerifyGetKey> | undefined
  const discovered = () => {
    keys ??= discover(options)
    keys.catch(() => (keys = undefined))
    return keys
  }
  return {
    async verify(token) {
      const key = await discovered()
      try {
        const { payload, protectedHeader } = await jwtVerify(token, key, {
          issuer,
          audience,
          algorithms,
          clockTolerance: leewaySeconds,
          requiredClaims: ['sub', 'exp', 'iat'],
        })
        refuseOtherKinds(protectedHeader.typ, payload, options)
        return claimsOf(payload, options.claimNames ?? readClaimNames(() => null))
      } catch (error) {
        if (error instanceof TokenRefused) throw error
        if (error instanceof errors.JWKSNoMatchingKey)
          throw new TokenRefused('The token is signed by an unknown key.')
        if (isAway(error)) throw new ProviderAway('The identity provider does not answer.', { cause: error })
        throw new TokenRefused(reason(error), { cause: error })
      }
    },
    reachable: () =>
      fetch(discoveryUrl(issuer), { signal: AbortSignal.timeout(2_000), redirect: 'error' }).then(
        (answer) => answer.ok,
        () => false,
      ),
  }
}

const discoveryUrl = (issuer: string) => `${withoutLastSlashes(issuer)}/.well-known/openid-configuration`

async function discover({
  issuer,
  keysMaxAgeMs = keysBounds.maxAgeMs,
  cooldownMs = keysBounds.cooldownMs,
  keysOutliveMs,
}: OidcOptions): Promise<JWTVerifyGetKey> {
  try {
    const answer = await fetch(discoveryUrl(issuer), {
      signal: AbortSignal.timeout(3_000),
      redirect: 'error',
    })
    const document = (await answer.json()) as { issuer?: unknown; jwks_uri?: unknown }
    if (document.issuer !== issuer)
      throw new Error(`The discovery document is of ${String(document.issuer)}.`)
    return lastingKeys(new URL(String(document.jwks_uri)), {
      maxAgeMs: keysMaxAgeMs,
      cooldownMs,
      outliveMs: keysOutliveMs,
    })
  } catch (error) {
    throw new ProviderAway('The identity provider does not answer.', { cause: error })
  }
}

/** ID tokens, logout tokens and the like are signed by the same keys but are no access tokens. */
function refuseOtherKinds(typ: string | undefined, payload: JWTPayload, options: OidcOptions): void {
  const type = typ?.toLowerCase().replace(/^application\//, '')
  const isAccessToken = type === 'at+jwt'
  if (!isAccessToken && (options.requireAccessTokenType || (type !== undefined && type !== 'jwt')))
    throw new TokenRefused(`The token is of type ${typ ?? 'none'}, not at+jwt.`)
  if (!isAccessToken && ('nonce' in payload || 'at_hash' in payload || 'events' in payload))
    throw new TokenRefused('This is an ID token, not an access token.')
  const now = Date.now() / 1_000
  if (payload.iat! > now + options.leewaySeconds)
    throw new TokenRefused('The token was issued in the future.')
  if (payload.exp! - payload.iat! > longestLifeSeconds)
    throw new TokenRefused('The token lives longer than 24 hours.')
}

function claimsOf(payload: JWTPayload, names: ClaimNames): Claims {
  const text = (name: string) => (isText(payload[name]) ? payload[name] : null)
  const subject = text('sub')
  if (subject === null || subject.length > 255) throw new TokenRefused("The token's sub is not accepted.")
  const permissions = payload[names.permissions]
  return {
    issuer: payload.iss!,
    subject,
    email: text('email')?.slice(0, 320) ?? null,
    isEmailVerified: payload['email_verified'] === true,
    name: text('name')?.slice(0, 255) ?? null,
    orgId: text(names.orgId),
    accountId: text(names.accountId),
    role: text(names.role),
    // A claim that is there limits, also when it is not the list it should be.
    permissions: permissions === undefined ? null : [permissions].flat().filter(isText),
    expiresAt: new Date(payload.exp! * 1_000),
  }
}

/** Text that can be stored and shown. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed()

function reason(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.'
  if (error instanceof errors.JWTClaimValidationFailed) return `The token's ${error.claim} is not accepted.`
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is wrong.'
  return 'The token is not valid.'
}
