/** A summary of one request and its response, stored in the audit log. */
export interface Exchange {
  readonly request: { readonly method: string; readonly path: string; readonly payload_hash: string }
  readonly response: {
    readonly http_status: number | null
    readonly request_id: string | null
    readonly summary: string
  } | null
}

export const failureCodes = [
  'auth_rejected',
  'mapping_not_found',
  'validation_rejected',
  'conflict',
  'rate_limited',
  'timeout',
  'network',
  'pms_unavailable',
  'partial_rejection',
  'circuit_open',
  'internal',
] as const
export type FailureCode = (typeof failureCodes)[number]

/** Failures that may be over at the next attempt. With the others, something has to be corrected first. */
export const retryableCodes: readonly FailureCode[] = [
  'rate_limited',
  'timeout',
  'network',
  'pms_unavailable',
  'circuit_open',
  'internal',
]

/** A failed call to the PMS, with a message and a hint for the operator. Never contains credentials. */
export class PmsFailure extends Error {
  readonly code: FailureCode
  readonly retryable: boolean
  /** What the operator can do about it. */
  readonly hint: string
  /** The earliest time at which the PMS accepts another call. */
  readonly retryAfter: Date | null
  readonly exchange: Exchange | null
  /** Whether our own rate limiter prevented the call, so that it does not count as an attempt. */
  readonly isThrottledLocally: boolean

  constructor(
    code: FailureCode,
    message: string,
    more: {
      hint: string
      retryAfter?: Date | null
      exchange?: Exchange | null
      cause?: unknown
      isThrottledLocally?: boolean
    },
  ) {
    super(message, { cause: more.cause })
    this.name = 'PmsFailure'
    this.code = code
    this.retryable = retryableCodes.includes(code)
    this.hint = more.hint
    this.retryAfter = more.retryAfter ?? null
    this.exchange = more.exchange ?? null
    this.isThrottledLocally = more.isThrottledLocally ?? false
  }
}

/** Catches the failure of a read whose record does not exist at the PMS. @throws the error unless it is that one */
export function nullIfNotFound(error: unknown): null {
  if (error instanceof PmsFailure && error.code === 'mapping_not_found') return null
  throw error
}
