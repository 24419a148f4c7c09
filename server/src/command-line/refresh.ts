/** Exchanges the refresh token of a sign-in for new tokens. */
import { discoverProvider, postForm, ProviderError, type TokenResponse } from './oidc.ts'
import type { Profile } from './profiles.ts'

/** What a provider that states no lifetime is taken to mean. */
const defaultLifetimeSeconds = 300

export const tokensOf = ({ access_token, refresh_token, expires_in }: TokenResponse) => ({
  access_token,
  refresh_token: refresh_token ?? null,
  expires_at: new Date(Date.now() + (expires_in ?? defaultLifetimeSeconds) * 1_000).toISOString(),
})

/** Undefined when the sign-in has ended. */
export async function refreshProfile(profile: Profile): Promise<Profile | undefined> {
  const { issuer, client_id, resource, refresh_token } = profile
  if (!refresh_token) return undefined
  const { token_endpoint } = await discoverProvider(issuer)
  try {
    const form = { grant_type: 'refresh_token', client_id, refresh_token, resource }
    const tokens = tokensOf(await postForm<TokenResponse>(issuer, token_endpoint, form))
    // A provider that does not rotate refresh tokens sends none.
    return { ...profile, ...tokens, refresh_token: tokens.refresh_token ?? refresh_token }
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'invalid_grant') return undefined
    throw error
  }
}
