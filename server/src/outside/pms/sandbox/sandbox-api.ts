import type { Egress } from '#egress.ts'
import { exchangeJson, type Answer } from '../exchange.ts'
import type { Call, PmsTarget } from '../pms.ts'
import { PmsFailure } from '../pms-failure.ts'
import { checkIds } from './answers.ts'

/** One call below the property of a target. @throws PmsFailure */
export type Send = (
  kind: 'units' | 'calendar' | 'health',
  method: string,
  path: string,
  body: unknown,
  call: Call,
) => Promise<Answer>

/** The calendar of fifty units in words. */
const longestAnswerBytes = 32 * 1_048_576

export function sandboxApi(egress: Egress, target: PmsTarget, defaultUrl: string | null): Send {
  const apiKey = target.credentials?.['api_key']
  return async (kind, method, path, body, call) => {
    const baseUrl = target.baseUrl ?? defaultUrl
    if (!baseUrl)
      throw new PmsFailure('validation_rejected', 'The channel target names no address of its PMS.', {
        hint: 'Set base_url in the configuration of the channel target.',
      })
    return await exchangeJson(egress, {
      kind,
      method,
      url: `${baseUrl.replace(/\/+$/, '')}/properties/${segment(target.property)}${path}`,
      body,
      headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
      timeoutMs: target.timeoutMs,
      call,
      longestAnswerBytes,
      ...(kind === 'calendar' && { summarize: summaryOf }),
    })
  }
}

/** What the audit keeps: how many values were taken, and the first that was not. */
function summaryOf(body: unknown): string | null {
  const { accepted, refused } = (body ?? {}) as { accepted?: unknown; refused?: unknown }
  if (!Number.isInteger(accepted) || !Array.isArray(refused)) return null
  const [first] = refused as { code?: unknown; message?: unknown }[]
  const why = first ? `: ${String(first.code)} ${String(first.message)}` : ''
  return `${String(accepted)} values taken, ${refused.length} refused${why}`
}

export const placeOf = (externalId: string) => `/units/${segment(externalId)}`

/** One segment of a path. Dots alone would lead to another place, however they are written. */
function segment(name: string): string {
  if (name !== '.' && name !== '..') return encodeURIComponent(name)
  throw new PmsFailure('validation_rejected', `The PMS cannot have anything called ${name}.`, {
    hint: checkIds,
  })
}
