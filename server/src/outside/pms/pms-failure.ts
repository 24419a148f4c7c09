/** What was sent, and what came back: kept in the audit. */
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

const retryable: ReadonlySet<FailureCode> = new Set([
  'rate_limited',
  'timeout',
  'network',
  'pms_unavailable',
  'circuit_open',
  'internal',
])

/** Every way the PMS can fail, with words for the operator. Never carries a credential. */
export class PmsFailure extends Error {
  readonly code: FailureCode
  readonly retryable: boolean
  /** What the operator can do about it. */
  readonly hint: string
  /** When the PMS asked to be called again. */
  readonly retryAfter: Date | null
  readonly exchange: Exchange | null
  /** Whether our own limits held it back, so that the attempt does not count. */
  readonly isHeldBack: boolean

  constructor(
    code: FailureCode,
    message: string,
    more: {
      hint: string
      retryAfter?: Date | null
      exchange?: Exchange | null
      cause?: unknown
      isHeldBack?: boolean
    },
  ) {
    super(message, { cause: more.cause })
    this.name = 'PmsFailure'
    this.code = code
    this.retryable = retryable.has(code)
    this.hint = more.hint
    this.retryAfter = more.retryAfter ?? null
    this.exchange = more.exchange ?? null
    this.isHeldBack = more.isHeldBack ?? false
  }
}
