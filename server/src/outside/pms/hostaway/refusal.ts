import type { Answer } from '../exchange.ts'
import { PmsFailure, type FailureCode } from '../pms-failure.ts'

/** Hostaway counts calls in windows of this length and does not say when to come back. */
const windowMs = 10_000

/** What Hostaway says beside its result: the reason, where it says no. */
export function wordsOf(body: unknown): string | null {
  const { result, message } = (body ?? {}) as { result?: unknown; message?: unknown }
  return [message, result].find((words) => typeof words === 'string' && words !== '') as string | null
}

/** Every no of Hostaway's, whatever its status, or null for a yes. */
export function refusalOf({ status, body, retryAfter, exchange }: Answer, words: string): PmsFailure | null {
  const said = words === '' ? `HTTP ${status}` : words
  const fail = (code: FailureCode, message: string, hint: string, after = retryAfter) =>
    new PmsFailure(code, message, { hint, retryAfter: after, exchange })
  const byItself = 'Nothing to do: the push is tried again by itself.'

  if (status === 429)
    return fail(
      'rate_limited',
      'Hostaway asks for fewer calls.',
      'Nothing to do: the push is tried again when Hostaway allows it.',
      retryAfter ?? new Date(Date.now() + windowMs),
    )
  if (status === 401 || status === 403)
    return fail(
      'auth_rejected',
      `Hostaway refused access: ${said}`,
      'Check account_id and api_key in the configuration of the channel target.',
    )
  if (status === 408 || status === 425 || status >= 500)
    return fail('pms_unavailable', `Hostaway has trouble: ${said}`, byItself)
  const outcome = (body as { status?: unknown } | null)?.status
  if (status >= 200 && status < 300 && outcome !== 'fail')
    return outcome === 'success' ? null : strange({ exchange })
  if (status < 400 && status >= 300)
    return fail(
      'validation_rejected',
      `There is no Hostaway at this address: ${said}`,
      'Check base_url in the configuration of the channel target.',
    )
  // The link is right and the listing is there; somebody has put it away, and can take it out again.
  if (/\barchived\b/i.test(words))
    return fail(
      'conflict',
      `The listing is archived at Hostaway, which refuses changes to it: ${said}`,
      'Restore the listing at Hostaway, or unlink the unit here.',
    )
  if (status === 404)
    return fail(
      'mapping_not_found',
      `Hostaway does not know what was asked for: ${said}`,
      'Check the external_id of the listing, and the account and base_url of the channel target.',
    )
  if (status === 409)
    return fail(
      'conflict',
      `Hostaway reports a conflict: ${said}`,
      'Someone may have changed the listing at Hostaway: compare both, then trigger the sync.',
    )
  return fail(
    'validation_rejected',
    `Hostaway refused the values: ${said}`,
    'Change the value that Hostaway names, then trigger the sync.',
  )
}

/** An answer that says yes and is not what was asked for. */
export const strange = ({ exchange }: Pick<Answer, 'exchange'>) =>
  new PmsFailure('pms_unavailable', 'Hostaway answered with something else than was asked for.', {
    hint: 'Hostaway may be under maintenance; the push is tried again by itself.',
    exchange,
  })

/** An external id that cannot be a listing's is not asked for. */
export const noListingId = (externalId: string) =>
  new PmsFailure('mapping_not_found', `Hostaway cannot have a listing called ${externalId}.`, {
    hint: 'The external_id of the listing is the number that Hostaway shows for it.',
  })
