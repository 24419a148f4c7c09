/** The property management system, in our words. One folder per provider beside this file speaks its language. */

/** What the PMS must show of one unit. */
export interface UnitContent {
  readonly name: string
  readonly type: string
  readonly bedrooms: number
  readonly bathrooms: number
  readonly max_guests: number
  readonly quantity: number
  readonly base_price_cents: number
  readonly currency: string
  /** Whether it may be sold at all. */
  readonly open: boolean
  readonly space: {
    readonly name: string
    readonly address: string | null
    readonly city: string | null
    readonly state: string | null
    readonly zip: string | null
    readonly country: string | null
    readonly timezone: string
    readonly description: string | null
    readonly amenities: readonly string[]
  }
}

/** One connection to one property at the PMS. */
export interface PmsConnection {
  /** Puts the whole unit there, new or not. */
  publish(externalId: string, content: UnitContent, call: Call): Promise<Accepted>
  /** Changes what differs. A unit unknown to the PMS is published whole. */
  amend(
    externalId: string,
    changes: Partial<UnitContent>,
    content: UnitContent,
    call: Call,
  ): Promise<Accepted>
  /** What the PMS shows now; null when it does not know the unit. */
  read(externalId: string, call: Call): Promise<UnitContent | null>
  /** Returns when the PMS answers and accepts the credentials. @throws PmsFailure */
  check(call: Call): Promise<void>
}

export interface Call {
  /** The same key twice has one effect. */
  readonly idempotencyKey?: string
  readonly traceparent?: string | null
  readonly signal?: AbortSignal
}

/** What was sent, and what came back: kept in the audit. */
export interface Exchange {
  readonly request: { readonly method: string; readonly path: string; readonly payload_hash: string }
  readonly response: {
    readonly http_status: number | null
    readonly request_id: string | null
    readonly summary: string
  } | null
}

export interface Accepted {
  readonly exchanges: readonly Exchange[]
}

export interface PmsTarget {
  readonly provider: string
  readonly baseUrl: string | null
  /** The property at the PMS. */
  readonly property: string
  readonly credentials: { readonly api_key: string } | null
  readonly timeoutMs: number | null
}

export interface PmsDirectory {
  connect(target: PmsTarget): PmsConnection
  /** Whether the PMS that targets use by default answers; null when there is none. */
  reachable(): Promise<boolean | null>
}

export type FailureCode =
  | 'auth_rejected'
  | 'mapping_not_found'
  | 'validation_rejected'
  | 'conflict'
  | 'rate_limited'
  | 'timeout'
  | 'network'
  | 'pms_unavailable'
  | 'partial_rejection'
  | 'circuit_open'
  | 'internal'

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

  constructor(
    code: FailureCode,
    message: string,
    more: { hint: string; retryAfter?: Date | null; exchange?: Exchange | null; cause?: unknown },
  ) {
    super(message, { cause: more.cause })
    this.name = 'PmsFailure'
    this.code = code
    this.retryable = retryable.has(code)
    this.hint = more.hint
    this.retryAfter = more.retryAfter ?? null
    this.exchange = more.exchange ?? null
  }
}
