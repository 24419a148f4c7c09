import type { Refusal } from '../json-http.ts'

/** What is wrong, by field; a request that cannot be read at all has a plain list. */
export type Details = Record<string, string[]> | string[]

/** An answer that says no, in Channex's envelope. */
export class Rejection extends Error {
  readonly status: number
  readonly code: string
  readonly details: Details | undefined

  constructor(status: number, code: string, title: string, details?: Details) {
    super(title)
    this.status = status
    this.code = code
    this.details = details
  }
}

export const unauthorized = () => new Rejection(401, 'unauthorized', 'Unauthorized')

export const notFound = (code = 'not_found') => new Rejection(404, code, 'Resource Not Found')

export const badRequest = (...details: string[]) => new Rejection(400, 'bad_request', 'Bad Request', details)

export const invalid = (details: Record<string, string[]>) =>
  new Rejection(422, 'validation_error', 'Validation Error', details)

export const tooMany = () => new Rejection(429, 'http_too_many_requests', 'Too Many Requests')

export function inEnvelope({ code, message: title, details }: Rejection) {
  return { errors: { code, title, ...(details === undefined ? {} : { details }) } }
}

/** The same answer for a body that could not be read, which ours says in another envelope. */
export function rejectionOf({ status, message }: Refusal): Rejection {
  return status === 413
    ? new Rejection(413, 'http_request_entity_too_large', 'Request Entity Too Large')
    : badRequest(message)
}
