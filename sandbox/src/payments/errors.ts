import { ReplyError } from '../http/request.ts'

type ErrorType = 'invalid_request_error' | 'card_error' | 'idempotency_error' | 'api_error'

interface ErrorDetails {
  status?: number
  type?: ErrorType
  code?: string
  param?: string
  /** Members of the error that only some kinds have, such as `decline_code` or `payment_intent`. */
  members?: object
  /** Whether the answer is kept under the idempotency key, as it is once the work has begun. */
  isKept?: boolean
}

/** An error in the format of Stripe. */
export class ApiError extends ReplyError {
  readonly isKept: boolean

  constructor(message: string, details: ErrorDetails = {}) {
    const { status = 400, type = 'invalid_request_error', code, param, members, isKept = false } = details
    super(status, message, {
      error: { type, ...(code && { code }), message, ...(param && { param }), ...members },
    })
    this.isKept = isKept
  }
}

export const missing = (thing: string, id: string, param = 'id') =>
  new ApiError(`No such ${thing}: '${id}'`, { status: 404, code: 'resource_missing', param })

export const unexpectedState = (message: string, intent: object) =>
  new ApiError(message, {
    code: 'payment_intent_unexpected_state',
    members: { payment_intent: intent },
    isKept: true,
  })
