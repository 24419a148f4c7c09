/** The port to the identity provider. */
export interface Identity {
  /**
   * Loads what the first check of a token needs, so that a process that takes over requests answers them at once. An
   * unavailable provider is no error: the first check tries again.
   */
  prepare(): Promise<void>
  /** @throws InvalidToken, or ProviderUnavailable when the token cannot be checked now */
  verify(token: string): Promise<Claims>
  /** Whether the provider responds. */
  isReachable(): Promise<boolean>
}

export interface Claims {
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  /** True only when `email_verified` is the boolean true. */
  readonly isEmailVerified: boolean
  readonly name: string | null
  readonly orgId: string | null
  readonly accountId: string | null
  readonly role: string | null
  readonly permissions: readonly string[] | null
  readonly expiresAt: Date
}

export class InvalidToken extends Error {}
export class ProviderUnavailable extends Error {}
