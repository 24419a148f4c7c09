/** The identity provider, in our words. */
export interface Identity {
  /** @throws TokenRefused when the token is not valid, ProviderAway when that cannot be known now. */
  verify(token: string): Promise<Claims>
  /** Whether the provider answers. */
  reachable(): Promise<boolean>
}

export interface Claims {
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  /** True only when the provider states it as a boolean: any other address proves nothing. */
  readonly isEmailVerified: boolean
  readonly name: string | null
  readonly orgId: string | null
  readonly accountId: string | null
  readonly role: string | null
  readonly permissions: readonly string[] | null
  readonly expiresAt: Date
}

export class TokenRefused extends Error {}
export class ProviderAway extends Error {}
