import { trimTrailingSlashes } from '#schema/addresses.ts'
import type { Egress } from '#egress/egress.ts'
import { sendRequest, toStorableText, type PmsResponse } from '../send-request.ts'
import type { CallContext } from '../pms-call.ts'
import type { PmsTarget } from '../pms-provider.ts'
import { PmsFailure } from '../pms-failure.ts'

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

export const idHint = 'Check the external_id of the listing and the property_ref of the target.'

export function genericApi(egress: Egress, target: PmsTarget, defaultUrl: string | null): Send {
  const apiKey = target.credentials?.['api_key']
  const redact = (text: unknown) => {
    if (typeof text !== 'string' && typeof text !== 'number') return null
    return toStorableText(apiKey ? String(text).replaceAll(apiKey, '…') : String(text), 300)
  }
  return async (kind, method, path, body, call) => {
    const baseUrl = target.baseUrl ?? defaultUrl
    if (!baseUrl)
      throw new PmsFailure('validation_rejected', 'The channel target has no base_url for its PMS.', {
        hint: 'Set base_url in the configuration of the channel target.',
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
