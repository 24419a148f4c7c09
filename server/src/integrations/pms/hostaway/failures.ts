import type { PmsResponse } from '../send-request.ts'
import { PmsFailure, type FailureCode } from '../pms-failure.ts'

/** Hostaway limits calls per window of this length and sends no Retry-After. */
const windowMs = 10_000

/** The reason that Hostaway gives for an error. */
export function errorText(body: unknown): string | null {
  const { result, message } = (body ?? {}) as { result?: unknown; message?: unknown }
  return [message, result].find((text) => typeof text === 'string' && text !== '') as string | null
}

/** Null for a successful response. Hostaway also reports errors with a status of 200. */
export function toFailure(
  { status, body, retryAfter, exchange }: PmsResponse,
  text: string,
): PmsFailure | null {
  const reason = text === '' ? `HTTP ${status}` : text
  const fail = (code: FailureCode, message: string, hint: string, retryAt = retryAfter) =>
    new PmsFailure(code, message, { hint, retryAfter: retryAt, exchange })

  if (status === 429)
    return fail(
      'rate_limited',
      'Hostaway limits the rate of calls.',
      'No action is needed: the push is retried when Hostaway allows it.',
      retryAfter ?? new Date(Date.now() + windowMs),
    )
  if (status === 401 || status === 403)
    return fail(
      'auth_rejected',
      `Hostaway refused access: ${reason}`,
      'Check the account id and the API key in the settings of the channel.',
    )
  if (status === 408 || status === 425 || status >= 500)
    return fail(
      'pms_unavailable',
      `Hostaway is not available: ${reason}`,
      'No action is needed: the push is retried automatically.',
    )
  const outcome = (body as { status?: unknown } | null)?.status
  if (status >= 200 && status < 300 && outcome !== 'fail')
    return outcome === 'success' ? null : unexpectedResponse({ exchange })
  if (status < 400 && status >= 300)
    return fail(
      'validation_rejected',
      `There is no Hostaway at this address: ${reason}`,
      'Check the address in the settings of the channel.',
    )
  // An archived listing exists and is linked correctly, so this is no missing mapping.
  if (/\barchived\b/i.test(text))
    return fail(
      'conflict',
      `The listing is archived at Hostaway, which refuses changes to it: ${reason}`,
      'Restore the listing at Hostaway, or unlink the unit here.',
    )
  if (status === 404)
    return fail(
      'mapping_not_found',
      `Hostaway does not have the requested record: ${reason}`,
      'Check the id of the listing, and the account and the address of the channel.',
    )
  if (status === 409)
    return fail(
      'conflict',
      `Hostaway reports a conflict: ${reason}`,
      'Someone may have changed the listing at Hostaway: compare both, then trigger the sync.',
    )
  return fail(
    'validation_rejected',
    `Hostaway refused the values: ${reason}`,
    'Change the value that Hostaway names, then trigger the sync.',
  )
}

/** The response is successful and does not contain what was requested. */
export const unexpectedResponse = ({ exchange }: Pick<PmsResponse, 'exchange'>) =>
  new PmsFailure('pms_unavailable', 'Hostaway sent a response of an unknown format.', {
    hint: 'Hostaway may be under maintenance; the push is retried automatically.',
    exchange,
  })

export const invalidListingId = (externalId: string) =>
  new PmsFailure('mapping_not_found', `${externalId} is not a valid listing id at Hostaway.`, {
    hint: 'The id of the listing is the number that Hostaway shows for it.',
  })
