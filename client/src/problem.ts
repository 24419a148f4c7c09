export interface FieldFault {
  pointer: string
  code: string
  message: string
}

/** What the API answered instead of doing what was asked, as its problem document says it. */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly code: string
  readonly type: string
  readonly title: string
  readonly detail: string
  readonly errors: FieldFault[]
  readonly requestId: string | null
  /** Seconds to wait before asking again, where the API said so. */
  readonly retryAfterSeconds: number | null

  constructor(facts: Omit<Problem, keyof Error>) {
    super(facts.detail || facts.title)
    this.status = facts.status
    this.code = facts.code
    this.type = facts.type
    this.title = facts.title
    this.detail = facts.detail
    this.errors = facts.errors
    this.requestId = facts.requestId
    this.retryAfterSeconds = facts.retryAfterSeconds
  }
}

/** The API could not be reached, or did not answer in time: nothing is known about the call's effect. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}

/** Reads a refusal, whichever of the two documented shapes it has, and survives one that has neither. */
export const readProblem = async (response: Response): Promise<Problem> => {
  const text = await response.text().catch(() => '')
  const body = parsed(text)
  const title = textOf(body.title) ?? textOf(body.error) ?? (response.statusText || `HTTP ${response.status}`)
  return new Problem({
    status: response.status,
    code: textOf(body.code) ?? (response.status === 429 ? 'rate-limited' : `http-${response.status}`),
    type: textOf(body.type) ?? 'about:blank',
    title,
    detail: textOf(body.detail) ?? '',
    errors: Array.isArray(body.errors) ? (body.errors as FieldFault[]) : [],
    requestId: textOf(body.request_id) ?? response.headers.get('x-request-id'),
    retryAfterSeconds: secondsOf(body.retryAfter) ?? secondsOf(response.headers.get('retry-after')),
  })
}

const parsed = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

const secondsOf = (value: unknown): number | null => {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : null
}
