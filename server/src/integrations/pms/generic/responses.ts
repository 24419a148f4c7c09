import type { PmsResponse } from '../send-request.ts'
import { PmsFailure, type FailureCode } from '../pms-failure.ts'
import { idHint, type GenericResponse } from './generic-api.ts'

export const unitOf = ({ body }: PmsResponse) => (body as { unit?: Record<string, unknown> } | null)?.unit

const errorOf = ({ body }: PmsResponse) =>
  (body as { error?: { code?: unknown; message?: unknown } } | null)?.error

export const isUnknownUnit = (response: PmsResponse) =>
  response.status === 404 && errorOf(response)?.code === 'unknown_unit'

/** A successful response counts only when it shows the unit that was meant. @throws PmsFailure */
export function assertUnit(response: PmsResponse, externalId: string): void {
  if (unitOf(response)?.['external_id'] !== externalId)
    throw unexpectedResponse(response, 'does not show the unit')
}

export function unexpectedResponse({ exchange }: PmsResponse, problem: string): PmsFailure {
  return new PmsFailure('pms_unavailable', `The PMS sent a response that ${problem}.`, {
    hint: 'The PMS may be under maintenance; the push is retried automatically.',
    exchange,
  })
}

/** @throws PmsFailure unless the status is 2xx */
export function assertSuccess(response: GenericResponse): void {
  const { status, exchange } = response
  if (status >= 200 && status < 300) return
  const reason = response.redact(errorOf(response)?.message) ?? `HTTP ${status}`
  const fail = (code: FailureCode, message: string, hint: string) =>
    new PmsFailure(code, message, { hint, retryAfter: response.retryAfter, exchange })
  if (status === 401 || status === 403)
    throw fail(
      'auth_rejected',
      `The PMS refused the credentials: ${reason}`,
      'Check the api_key in the configuration of the channel target.',
    )
  if (status === 404) throw fail('mapping_not_found', `The PMS does not know this unit: ${reason}`, idHint)
  if (status === 409)
    throw fail(
      'conflict',
      `The PMS reports a conflict: ${reason}`,
      'Someone may have changed the unit at the PMS: compare both, then trigger the sync.',
    )
  if (status === 429)
    throw fail(
      'rate_limited',
      'The PMS limits the rate of calls.',
      'No action is needed: the push is retried when the PMS allows it.',
    )
  if (status === 408 || status === 425 || status >= 500)
    throw fail(
      'pms_unavailable',
      `The PMS is not available: ${reason}`,
      'No action is needed: the push is retried automatically.',
    )
  throw fail(
    'validation_rejected',
    `The PMS refused the values: ${reason}`,
    'Change the value that the PMS names, then trigger the sync.',
  )
}
