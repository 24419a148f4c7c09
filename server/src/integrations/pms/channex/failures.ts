import type { PmsResponse } from '../send-request.ts'
import { PmsFailure, type FailureCode } from '../pms-failure.ts'

/** Null for a successful response. `redact` cuts text of Channex and removes credentials from it. */
export function toFailure(
  response: PmsResponse,
  subject: string,
  redact: (text: string) => string,
): PmsFailure | null {
  const { status, exchange, retryAfter } = response
  if (status >= 200 && status < 300) return null
  const { code, message, hint } = describeStatus(status, subject)
  const reason = redact(errorText(response.body)) || `HTTP ${status}`
  return new PmsFailure(code, `${message}: ${reason}`, { hint, retryAfter, exchange })
}

/** Whether the content of the message was refused, so that a part of it may still be accepted. */
export const isContentRefused = ({ status }: PmsResponse) =>
  status === 400 || status === 413 || status === 422

/** The response is not one of Channex's: a page of a proxy, or JSON of another shape. */
export const unexpectedResponse = ({ exchange }: PmsResponse) =>
  new PmsFailure('pms_unavailable', 'Channex sent a response of an unknown format.', {
    hint: 'Channex may be under maintenance, or the address of the channel leads elsewhere.',
    exchange,
  })

function describeStatus(
  status: number,
  subject: string,
): { code: FailureCode; message: string; hint: string } {
  if (status === 401 || status === 403)
    return {
      code: 'auth_rejected',
      message: 'Channex refused the API key, or the key has no access to this property',
      hint: 'Check the API key and the property in the settings of the channel.',
    }
  if (status === 404)
    return {
      code: 'mapping_not_found',
      message: `Channex does not know ${subject}`,
      hint: 'Check the ids of the listing, and the property and the address of the channel.',
    }
  if (status === 429)
    return {
      code: 'rate_limited',
      message: 'Channex limits the rate of calls',
      hint: 'No action is needed: the push is retried when Channex allows it.',
    }
  if (status < 400 || status === 408 || status === 425 || status >= 500)
    return {
      code: 'pms_unavailable',
      message: 'Channex is not available',
      hint: 'No action is needed: the push is retried automatically.',
    }
  return {
    code: 'validation_rejected',
    message: `Channex refused ${subject}`,
    hint: 'Change the value that Channex names, then trigger the sync.',
  }
}

/** The text of `{errors: {code, title, details?}}`. */
function errorText(body: unknown): string {
  const { title, details } =
    (body as { errors?: { title?: unknown; details?: unknown } } | null)?.errors ?? {}
  return [typeof title === 'string' ? title : '', detailsText(details)].filter(Boolean).join(': ')
}

/** `{rate: ["must be greater than 0"]}` as `rate must be greater than 0`. */
export function detailsText(details: unknown, maxDepth = 4): string {
  if (typeof details === 'string') return details
  if (typeof details !== 'object' || details === null || maxDepth === 0) return ''
  if (Array.isArray(details))
    return details
      .map((detail) => detailsText(detail, maxDepth - 1))
      .filter(Boolean)
      .join(', ')
  return Object.entries(details)
    .map(([field, detail]) => `${field} ${detailsText(detail, maxDepth - 1)}`.trim())
    .join('; ')
}
