import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose'

/** Tokens with a longer lifetime are rejected. */
export const maxTokenLifetimeSeconds = 24 * 60 * 60

/** How long each answer of the provider may take while no keys are known. */
export const firstContactMs = 5_000

interface KeyCacheOptions {
  readonly maxAgeMs: number
  readonly cooldownMs: number
  readonly maxStaleMs?: number | undefined
}

/**
 * The signing keys of the provider, cached. While the provider does not respond, the last keys remain valid for
 * `maxStaleMs`, by default the maximum lifetime of a token. Only opening waits for an unavailable provider; later calls
 * use the last keys while these are reloaded in the background, so a removed key is rejected once it responds.
 */
export async function openProviderKeys(
  address: URL,
  { maxAgeMs, cooldownMs, maxStaleMs = maxTokenLifetimeSeconds * 1_000 }: KeyCacheOptions,
): Promise<JWTVerifyGetKey> {
  const remote = createRemoteJWKSet(address, {
    cacheMaxAge: maxAgeMs,
    cooldownDuration: cooldownMs,
    timeoutDuration: firstContactMs,
  })
  await remote.reload()
  let staleUntil = performance.now() + maxStaleMs
  let retryAt = 0
  const findInLastKeys = async (...args: Parameters<JWTVerifyGetKey>) => {
    const known = remote.jwks()
    if (!known || performance.now() > staleUntil) return undefined
    return await createLocalJWKSet(known)(...args).catch((error: unknown) => {
      // The provider may have added the key since.
      if (error instanceof errors.JWKSNoMatchingKey) return undefined
      throw error
    })
  }
  const isStillUnavailable = () => {
    if (retryAt === 0 || remote.fresh) return false
    if (performance.now() > retryAt) {
      retryAt = performance.now() + cooldownMs
      remote.reload().catch(() => {})
    }
    return true
  }
  return async (...args) => {
    const key = isStillUnavailable() ? await findInLastKeys(...args) : undefined
    if (key) return key
    try {
      const found = await remote(...args)
      staleUntil = performance.now() + maxStaleMs
      retryAt = 0
      return found
    } catch (error) {
      if (!isUnavailable(error)) throw error
      retryAt = performance.now() + cooldownMs
      const last = await findInLastKeys(...args)
      if (last) return last
      throw error
    }
  }
}

/** Whether the error means that the keys could not be read from the provider. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  error instanceof TypeError ||
  (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC')
