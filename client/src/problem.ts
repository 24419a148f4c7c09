import type { Problem as ProblemDocument, ProblemMembers } from './contract/types.gen.ts'

export interface FieldError {
  pointer: string
  code: string
  message: string
}

/** The codes of the contract, and what stands for one in a response without a problem document: `http-502`. */
export type ProblemCode = ProblemDocument['code'] | 'rate-limited' | `http-${number}`

/** An error response of the API, with the members of its problem document. */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly code: ProblemCode
  readonly type: string
  readonly title: string
  readonly detail: string
  readonly errors: FieldError[]
  readonly requestId: string | null
  /** How long to wait before the next attempt, when the API gives it. */
  readonly retryAfterSeconds: number | null
  /** What only this kind of problem has, such as `held_by`. */
  readonly members: ProblemMembers & Record<string, unknown>

  constructor(fields: Omit<Problem, keyof Error>) {
    super(fields.detail || fields.title)
    this.status = fields.status
    this.code = fields.code
    this.type = fields.type
    this.title = fields.title
    this.detail = fields.detail
    this.errors = fields.errors
    this.requestId = fields.requestId
    this.retryAfterSeconds = fields.retryAfterSeconds
    this.members = fields.members
  }
}

/** No valid response in time: whether the request took effect is not known. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}

const commonMembers = new Set([
  'type',
  'title',
  'status',
  'detail',
  'instance',
  'code',
  'errors',
  'request_id',
  'error',
  'retryAfter',
])

/** Reads an error response: a problem document, the body of a 429, or anything else. */
export const readProblem = async (response: Response): Promise<Problem> => {
  const text = await response.text().catch(() => '')
  const body = parseObject(text)
  const title =
    nonEmptyText(body.title) ?? nonEmptyText(body.error) ?? (response.statusText || `HTTP ${response.status}`)
  return new Problem({
    status: response.status,
    code:
      (nonEmptyText(body.code) as ProblemCode | null) ??
      (response.status === 429 ? 'rate-limited' : `http-${response.status}`),
    type: nonEmptyText(body.type) ?? 'about:blank',
    title,
    detail: nonEmptyText(body.detail) ?? '',
    errors: Array.isArray(body.errors) ? (body.errors as FieldError[]) : [],
    requestId: nonEmptyText(body.request_id) ?? response.headers.get('x-request-id'),
    retryAfterSeconds: parseSeconds(body.retryAfter) ?? parseRetryAfter(response.headers.get('retry-after')),
    members: Object.fromEntries(Object.entries(body).filter(([name]) => !commonMembers.has(name))),
  })
}

/** Nothing was done: another cell serves the organization, or too many requests came. */
export const isUnprocessed = (status: number | null): boolean => status === 421 || status === 429

/** Milliseconds before the next attempt; null when the request must not be repeated. */
export const retryDelayMs = (failure: Error, attempt: number, repeatable: boolean): number | null => {
  const backoffMs = 200 * 2 ** attempt * (0.5 + Math.random() / 2)
  if (failure instanceof Unreachable) return repeatable ? backoffMs : null
  if (!(failure instanceof Problem)) return null
  const retryAfterMs = failure.retryAfterSeconds === null ? null : failure.retryAfterSeconds * 1000
  // Another cell serves the organization: nothing was changed, and a proxy finds the cell again for each request.
  if (failure.status === 421) return backoffMs
  // The first attempt of a creation is still running, and its response will be repeated.
  if (failure.status === 429 || failure.code === 'idempotency-in-progress') return retryAfterMs ?? backoffMs
  return repeatable && [502, 503, 504].includes(failure.status) ? (retryAfterMs ?? backoffMs) : null
}

const parseObject = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const nonEmptyText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** The header has seconds, or a date that proxies send. */
const parseRetryAfter = (header: string | null): number | null => {
  const seconds = parseSeconds(header)
  if (seconds !== null || header === null) return seconds
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1_000)
}

const parseSeconds = (value: unknown): number | null => {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : null
}
