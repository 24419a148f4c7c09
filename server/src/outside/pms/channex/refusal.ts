import type { Answer } from '../exchange.ts'
import { PmsFailure, type FailureCode } from '../pms-failure.ts'

/** How Channex says no, and what that means to us. */

/** Null when the answer is a yes. `clean` cuts foreign words and takes credentials out of them. */
export function refusalOf(answer: Answer, what: string, clean: (words: string) => string): PmsFailure | null {
  const { status, exchange, retryAfter } = answer
  if (status >= 200 && status < 300) return null
  const { code, told, hint } = meaningOf(status, what)
  const words = clean(wordsOf(answer.body)) || `HTTP ${status}`
  return new PmsFailure(code, `${told}: ${words}`, { hint, retryAfter, exchange })
}

/** Whether it is the content of a message that was refused, so that a part of it may be taken. */
export const refusesContent = ({ status }: Answer) => status === 400 || status === 413 || status === 422

/** An answer that is none: a page of a proxy, or JSON of another shape. */
export const nonsense = ({ exchange }: Answer) =>
  new PmsFailure('pms_unavailable', 'Channex answered with something that makes no sense.', {
    hint: 'Channex may be under maintenance, or the base_url of the channel target leads elsewhere.',
    exchange,
  })

function meaningOf(status: number, what: string): { code: FailureCode; told: string; hint: string } {
  if (status === 401 || status === 403)
    return {
      code: 'auth_rejected',
      told: 'Channex refused the API key, or the key does not open this property',
      hint: 'Check the api_key and the property_ref in the configuration of the channel target.',
    }
  if (status === 404)
    return {
      code: 'mapping_not_found',
      told: `Channex does not know ${what}`,
      hint: 'Check the external ids of the listing, and the property_ref and base_url of the channel target.',
    }
  if (status === 429)
    return {
      code: 'rate_limited',
      told: 'Channex asks for fewer calls',
      hint: 'Nothing to do: the push is tried again when Channex allows it.',
    }
  if (status < 400 || status === 408 || status === 425 || status >= 500)
    return {
      code: 'pms_unavailable',
      told: 'Channex has trouble',
      hint: 'Nothing to do: the push is tried again by itself.',
    }
  return {
    code: 'validation_rejected',
    told: `Channex refused ${what}`,
    hint: 'Change the value that Channex names, then trigger the sync.',
  }
}

/** `{errors: {code, title, details?}}` in one line; details are a list, or lists by field. */
function wordsOf(body: unknown): string {
  const { title, details } =
    (body as { errors?: { title?: unknown; details?: unknown } } | null)?.errors ?? {}
  return [typeof title === 'string' ? title : '', detailsInWords(details)].filter(Boolean).join(': ')
}

/** `{rate: ["must be greater than 0"]}` as people say it. */
export function detailsInWords(details: unknown, depth = 4): string {
  if (typeof details === 'string') return details
  if (typeof details !== 'object' || details === null || depth === 0) return ''
  if (Array.isArray(details))
    return details
      .map((one) => detailsInWords(one, depth - 1))
      .filter(Boolean)
      .join(', ')
  return Object.entries(details)
    .map(([field, said]) => `${field} ${detailsInWords(said, depth - 1)}`.trim())
    .join('; ')
}
