import type { Answer } from '../exchange.ts'
import { PmsFailure, type FailureCode } from '../pms-failure.ts'
import { checkIds } from './names.ts'
import type { SandboxAnswer } from './sandbox-api.ts'

export const unitOf = ({ body }: Answer) => (body as { unit?: Record<string, unknown> } | null)?.unit

const errorOf = ({ body }: Answer) =>
  (body as { error?: { code?: unknown; message?: unknown } } | null)?.error

export const isUnknownUnit = (answer: Answer) =>
  answer.status === 404 && errorOf(answer)?.code === 'unknown_unit'

/** A 200 counts only when the PMS names the unit that was meant. @throws PmsFailure */
export function confirm(answer: Answer, externalId: string): void {
  if (unitOf(answer)?.['external_id'] !== externalId) throw nonsense(answer, 'that is not the unit')
}

export function nonsense({ exchange }: Answer, what: string): PmsFailure {
  return new PmsFailure('pms_unavailable', `The PMS answered with something ${what}.`, {
    hint: 'The PMS may be under maintenance; the push is tried again by itself.',
    exchange,
  })
}

/** The answers of this PMS that mean no. @throws PmsFailure */
export function refuse(answer: SandboxAnswer): void {
  const { status, exchange } = answer
  if (status >= 200 && status < 300) return
  const said = answer.clean(errorOf(answer)?.message) ?? `HTTP ${status}`
  const fail = (code: FailureCode, message: string, hint: string) =>
    new PmsFailure(code, message, { hint, retryAfter: answer.retryAfter, exchange })
  if (status === 401 || status === 403)
    throw fail(
      'auth_rejected',
      `The PMS refused the credentials: ${said}`,
      'Check the api_key in the configuration of the channel target.',
    )
  if (status === 404) throw fail('mapping_not_found', `The PMS does not know this unit: ${said}`, checkIds)
  if (status === 409)
    throw fail(
      'conflict',
      `The PMS reports a conflict: ${said}`,
      'Someone may have changed the unit at the PMS: compare both, then trigger the sync.',
    )
  if (status === 429)
    throw fail(
      'rate_limited',
      'The PMS asks for fewer calls.',
      'Nothing to do: the push is tried again when the PMS allows it.',
    )
  if (status === 408 || status === 425 || status >= 500)
    throw fail(
      'pms_unavailable',
      `The PMS has trouble: ${said}`,
      'Nothing to do: the push is tried again by itself.',
    )
  throw fail(
    'validation_rejected',
    `The PMS refused the values: ${said}`,
    'Change the value that the PMS names, then trigger the sync.',
  )
}
