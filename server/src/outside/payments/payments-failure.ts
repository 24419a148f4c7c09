export type PaymentsFailureCode =
  /** Nobody answers, or what answers is no provider: the call may have had its effect. */
  | 'unreachable'
  /** Too much at once, or the same call still runs. */
  | 'busy'
  /** The key that was used answers with a failure for good; another one is needed. */
  | 'spent_key'
  /** The provider does not accept our key: somebody must look at the configuration. */
  | 'not_accepted'
  /** The provider knows no such thing. */
  | 'missing'
  /** The call as such is refused, and will be again. */
  | 'refused'

const passing: ReadonlySet<PaymentsFailureCode> = new Set([
  'unreachable',
  'busy',
  'spent_key',
  'not_accepted',
])

/** Every way in which a call of the provider can fail. Carries no key and nothing about a guest. */
export class PaymentsFailure extends Error {
  readonly code: PaymentsFailureCode
  /** Whether the same may succeed later. */
  readonly passes: boolean
  /** Why, in the provider's own word. */
  readonly reason: string | null
  readonly retryAfterMs: number | null

  constructor(
    code: PaymentsFailureCode,
    message: string,
    more: { reason?: string | null; retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'PaymentsFailure'
    this.code = code
    this.passes = passing.has(code)
    this.reason = more.reason ?? null
    this.retryAfterMs = more.retryAfterMs ?? null
  }
}
