/** Who may call: an account, and the key that belongs to it. */
export type Account = { id: number; apiKey: string }

/** Good from `validFromMs` until `expiresAtMs`, unless it is revoked, which removes it. */
export type Token = { token: string; accountId: number; validFromMs: number; expiresAtMs: number }
