import type { Call, Exchange, PmsConnection, PmsTarget, UnitContent } from '../pms.ts'
import { PmsFailure } from '../pms.ts'
import { exchangeJson, storable, type Answer } from '../exchange.ts'

/** The PMS that `vacancy start` brings along: one whole document per unit, and a PATCH for what differs. */
export function sandboxPms(target: PmsTarget & { baseUrl: string; timeoutMs: number }): PmsConnection {
  const root = `${target.baseUrl.replace(/\/+$/, '')}/properties/${segment(target.property)}`
  const send = (method: string, path: string, body: unknown, call: Call) =>
    exchangeJson({
      method,
      url: `${root}${path}`,
      body,
      token: target.credentials?.api_key ?? null,
      timeoutMs: target.timeoutMs,
      call,
    })
  const place = (externalId: string) => `/units/${segment(externalId)}`

  return {
    async publish(externalId, content, call) {
      const answer = await send('PUT', place(externalId), content, call)
      refuse(answer)
      return { exchanges: [confirmed(answer, externalId)] }
    },
    async amend(externalId, changes, content, call) {
      const answer = await send('PATCH', place(externalId), changes, call)
      if (answer.status === 404 && codeOf(answer) === 'unknown_unit') {
        const whole = await send('PUT', place(externalId), content, {
          ...call,
          ...(call.idempotencyKey && { idempotencyKey: `${call.idempotencyKey}-whole` }),
        })
        refuse(whole)
        return { exchanges: [answer.exchange, confirmed(whole, externalId)] }
      }
      refuse(answer)
      return { exchanges: [confirmed(answer, externalId)] }
    },
    async read(externalId, call) {
      const answer = await send('GET', place(externalId), undefined, call)
      if (answer.status === 404 && codeOf(answer) === 'unknown_unit') return null
      refuse(answer)
      confirmed(answer, externalId)
      const { external_id: _, revision: __, updated_at: ___, ...content } = unitOf(answer)!
      return content as unknown as UnitContent
    },
    async check(call) {
      refuse(await send('GET', '/health', undefined, call))
    },
  }
}

/** One segment of a path. Dots alone would lead to another place, however they are written. */
function segment(name: string): string {
  if (name !== '.' && name !== '..') return encodeURIComponent(name)
  throw new PmsFailure('validation_rejected', `The PMS cannot have anything called ${name}.`, {
    hint: 'Check the external_id of the listing and the property_ref of the target.',
  })
}

const unitOf = ({ body }: Answer) => (body as { unit?: Record<string, unknown> } | null)?.unit
const errorOf = ({ body }: Answer) =>
  (body as { error?: { code?: unknown; message?: unknown } } | null)?.error
const codeOf = (answer: Answer) => errorOf(answer)?.code

/** A 200 counts only when the PMS names the unit that was meant. */
function confirmed(answer: Answer, externalId: string): Exchange {
  if (unitOf(answer)?.['external_id'] !== externalId)
    throw new PmsFailure('pms_unavailable', 'The PMS answered with something that is not the unit.', {
      hint: 'The PMS may be under maintenance; the push is tried again by itself.',
      exchange: answer.exchange,
    })
  return answer.exchange
}

/** The answers of this PMS that mean no. @throws PmsFailure */
function refuse(answer: Answer): void {
  const { status, exchange } = answer
  if (status >= 200 && status < 300) return
  const message = errorOf(answer)?.message
  const said = typeof message === 'string' ? storable(message, 300) : `HTTP ${status}`
  const fail = (code: ConstructorParameters<typeof PmsFailure>[0], message: string, hint: string) =>
    new PmsFailure(code, message, { hint, retryAfter: answer.retryAfter, exchange })
  if (status === 401 || status === 403)
    throw fail(
      'auth_rejected',
      `The PMS refused the credentials: ${said}`,
      'Check the api_key in the configuration of the channel target.',
    )
  if (status === 404)
    throw fail(
      'mapping_not_found',
      `The PMS does not know this unit: ${said}`,
      'Check the external_id of the listing and the property_ref of the target.',
    )
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
