/** The port to the identity provider. */
export interface Identity {
  /**
   * Loads what the first check of a token needs, so that a process that takes over requests answers them at once. An
   * unavailable provider is no error: the first check tries again.
   */
  prepare(): Promise<void>
  /** @throws InvalidToken, or ProviderUnavailable when the token cannot be checked now */
  verify(token: string): Promise<Claims>
}

export interface Claims {
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  /** True only when the claim is the boolean true. */
  readonly isEmailVerified: boolean
  readonly name: string | null
  /** The organizations that the token is for, by our id or that of the provider. Empty when it names none. */
  readonly organizations: readonly string[]
  readonly accountId: string | null
  readonly roles: readonly RoleClaim[]
  /** Null when the token lists none. */
  readonly permissions: readonly string[] | null
  readonly scopes: readonly string[]
  /** Whether the token was given to a program that acts for itself, and not to a person. */
  readonly isMachine: boolean
  /** The expiry of the token and the tolerated difference of the clocks. */
  readonly acceptedUntil: Date
}

export interface RoleClaim {
  /** In lower case. */
  readonly name: string
  /** The organizations, as the provider names them, that the role is for; null for all of the token. */
  readonly organizations: readonly string[] | null
}

export class InvalidToken extends Error {}
export class ProviderUnavailable extends Error {}
