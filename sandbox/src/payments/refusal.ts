export type Kind = 'invalid_request_error' | 'card_error' | 'idempotency_error' | 'api_error'

type More = {
  status?: number
  type?: Kind
  code?: string
  param?: string
  /** Members of the error that only some kinds have, such as `decline_code` or `payment_intent`. */
  members?: object
  /** Whether the answer is kept under the idempotency key: it is, once the work has begun. */
  isKept?: boolean
}

/** An answer that says no, in Stripe's words. */
export class Refusal extends Error {
  readonly status: number
  readonly isKept: boolean
  readonly body: object

  constructor(message: string, more: More = {}) {
    super(message)
    const { status = 400, type = 'invalid_request_error', code, param, members, isKept = false } = more
    this.status = status
    this.isKept = isKept
    this.body = { error: { type, ...(code && { code }), message, ...(param && { param }), ...members } }
  }
}

export const missing = (thing: string, id: string, param = 'id') =>
  new Refusal(`No such ${thing}: '${id}'`, { status: 404, code: 'resource_missing', param })

export const unexpectedState = (message: string, intent: object) =>
  new Refusal(message, {
    code: 'payment_intent_unexpected_state',
    members: { payment_intent: intent },
    isKept: true,
  })
