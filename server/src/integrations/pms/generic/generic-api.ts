import { trimTrailingSlashes, toStorableText } from '#schema/fields.ts'
import type { Egress } from '#egress/egress.ts'
import { sendRequest, type PmsResponse } from '#integrations/pms/send-request.ts'
import type { CallContext } from '#integrations/pms/pms-call.ts'
import type { PmsTarget } from '#integrations/pms/pms-provider.ts'
import { PmsFailure, type FailureCode } from '#integrations/pms/pms-failure.ts'

/** Sends one request below the property of a target. @throws PmsFailure */
export type Send = (
  kind: 'units' | 'calendar' | 'health',
  method: string,
  path: string,
  body: unknown,
  call: CallContext,
) => Promise<GenericResponse>

export interface GenericResponse extends PmsResponse {
  /** Cuts text of the PMS and removes credentials from it, so that it can be stored; null when it is not text. */
  redact(text: unknown): string | null
}

/** Enough for the calendars of fifty units. */
const maxResponseBytes = 32 * 1_048_576

export const idHint = 'Check the id of the listing and the property of the channel.'

export function genericApi(egress: Egress, target: PmsTarget, defaultUrl: string | null): Send {
  const apiKey = target.credentials?.['api_key']
  const redact = (text: unknown) => {
    if (typeof text !== 'string' && typeof text !== 'number') return null
    return toStorableText(apiKey ? String(text).replaceAll(apiKey, '…') : String(text), 300)
  }
  return async (kind, method, path, body, call) => {
    const baseUrl = target.baseUrl ?? defaultUrl
    if (!baseUrl)
      throw new PmsFailure('validation_rejected', 'The channel has no address of its PMS.', {
        hint: 'Enter the address in the settings of the channel.',
      })
    const response = await sendRequest(egress, {
      provider: 'generic',
      kind,
      method,
      url: `${trimTrailingSlashes(baseUrl)}/properties/${pathSegment(target.property)}${path}`,
      body,
      headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
      timeoutMs: target.timeoutMs,
      call,
      maxResponseBytes,
      summarize: (responseBody) => redact(summarize(responseBody)),
    })
    return { ...response, redact }
  }
}

/** Encodes an id for a path. `.` and `..` are refused: they lead to another path however they are encoded. */
function pathSegment(id: string): string {
  if (id !== '.' && id !== '..') return encodeURIComponent(id)
  throw new PmsFailure('validation_rejected', `${id} is not a valid id at the PMS.`, { hint: idHint })
}

export const unitPath = (externalId: string) => `/units/${pathSegment(externalId)}`

interface ErrorBody {
  readonly code?: unknown
  readonly message?: unknown
}

/** The error, or how many values of a calendar were accepted and the first that was refused. */
function summarize(body: unknown): string | null {
  const { error, accepted, refused } = (body ?? {}) as {
    error?: ErrorBody
    accepted?: unknown
    refused?: unknown
  }
  if (error) return errorText(error)
  if (!Number.isInteger(accepted) || !Array.isArray(refused)) return null
  const reason = refused.length > 0 ? `: ${errorText(refused[0] as ErrorBody | null)}` : ''
  return `${String(accepted)} values accepted, ${refused.length} refused${reason}`
}

const errorText = (error: ErrorBody | null) =>
  [error?.code, error?.message].filter((text) => typeof text === 'string').join(' ')

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
      'Check the API key in the settings of the channel.',
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
