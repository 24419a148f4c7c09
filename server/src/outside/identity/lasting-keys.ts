import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose'

/** No token lives longer. */
export const longestLifeSeconds = 24 * 60 * 60

interface Bounds {
  readonly maxAgeMs: number
  readonly cooldownMs: number
  readonly outliveMs?: number | undefined
}

/**
 * The keys of the provider, which outlive its absence: a set that cannot be read anew is used on, for as long as a
 * token lives that was issued before. Only the first who finds the provider away waits for it; meanwhile it is asked
 * again in the background, so that a key which was removed is refused as soon as it answers.
 */
export function lastingKeys(
  address: URL,
  { maxAgeMs, cooldownMs, outliveMs = longestLifeSeconds * 1_000 }: Bounds,
): JWTVerifyGetKey {
  const remote = createRemoteJWKSet(address, {
    cacheMaxAge: maxAgeMs,
    cooldownDuration: cooldownMs,
    timeoutDuration: 2_000,
  })
  let goodUntil = 0
  let askAgainAt = 0
  const lastKnown = async (...question: Parameters<JWTVerifyGetKey>) => {
    const known = remote.jwks()
    if (!known || Date.now() > goodUntil) return undefined
    return await createLocalJWKSet(known)(...question).catch((error: unknown) => {
      // A key that we do not know may be one that we have not heard of yet.
      if (error instanceof errors.JWKSNoMatchingKey) return undefined
      throw error
    })
  }
  const isAwayStill = () => {
    if (askAgainAt === 0 || remote.fresh) return false
    if (Date.now() > askAgainAt) {
      askAgainAt = Date.now() + cooldownMs
      remote.reload().catch(() => {})
    }
    return true
  }
  return async (...question) => {
    const key = isAwayStill() ? await lastKnown(...question) : undefined
    if (key) return key
    try {
      const found = await remote(...question)
      goodUntil = Date.now() + outliveMs
      askAgainAt = 0
      return found
    } catch (error) {
      if (!isAway(error)) throw error
      askAgainAt = Date.now() + cooldownMs
      const last = await lastKnown(...question)
      if (last) return last
      throw error
    }
  }
}

/** The provider did not say what its keys are. */
export const isAway = (error: unknown): boolean =>
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  error instanceof TypeError ||
  (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC')
