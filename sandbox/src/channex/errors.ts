import { ReplyError, type HttpError } from '../http/request.ts'

/** What is wrong, by field; a request that cannot be read at all has a plain list. */
export type Details = Record<string, string[]> | string[]

/** An error in the format of Channex. */
class ApiError extends ReplyError {
  constructor(status: number, code: string, title: string, details?: Details) {
    super(status, title, { errors: { code, title, ...(details === undefined ? {} : { details }) } })
  }
}

export const unauthorized = () => new ApiError(401, 'unauthorized', 'Unauthorized')

export const notFound = (code = 'not_found') => new ApiError(404, code, 'Resource Not Found')

export const badRequest = (...details: string[]) => new ApiError(400, 'bad_request', 'Bad Request', details)

export const invalid = (details: Record<string, string[]>) =>
  new ApiError(422, 'validation_error', 'Validation Error', details)

export const tooManyRequests = () => new ApiError(429, 'http_too_many_requests', 'Too Many Requests')

/** The error of a body that cannot be read. */
export function bodyError({ status, message }: HttpError): ApiError {
  return status === 413
    ? new ApiError(413, 'http_request_entity_too_large', 'Request Entity Too Large')
    : badRequest(message)
}
