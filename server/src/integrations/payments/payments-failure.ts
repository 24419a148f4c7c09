export type PaymentsFailureCode =
  /** No valid response: whether the call took effect is not known. */
  | 'unreachable'
  /** Too many requests, or the same call is still in progress. */
  | 'busy'
  /** The provider repeats a stored failure for this idempotency key: a retry needs another key. */
  | 'spent_key'
  /** The provider rejects our API key: an operator must correct the configuration. */
  | 'not_accepted'
  /** The provider has no such record. */
  | 'missing'
  /** The request is rejected, and would be again. */
  | 'refused'

const retryableCodes: ReadonlySet<PaymentsFailureCode> = new Set([
  'unreachable',
  'busy',
  'spent_key',
  'not_accepted',
])

/** A call to the provider failed. Contains neither the API key nor data of a guest. */
export class PaymentsFailure extends Error {
  readonly code: PaymentsFailureCode
  /** Whether the same call may succeed later. */
  readonly isRetryable: boolean
  /** The error code of the provider. */
  readonly reason: string | null
  readonly retryAfterMs: number | null

  constructor(
    code: PaymentsFailureCode,
    message: string,
    details: { reason?: string | null; retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause })
    this.name = 'PaymentsFailure'
    this.code = code
    this.isRetryable = retryableCodes.has(code)
    this.reason = details.reason ?? null
    this.retryAfterMs = details.retryAfterMs ?? null
  }
}
