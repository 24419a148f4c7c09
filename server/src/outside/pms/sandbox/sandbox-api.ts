import { withoutLastSlashes } from '#addresses.ts'
import type { Egress } from '#egress.ts'
import { exchangeJson, storable, type Answer } from '../exchange.ts'
import type { Call } from '../pms-call.ts'
import type { PmsTarget } from '../pms.ts'
import { PmsFailure } from '../pms-failure.ts'
import { segment } from './names.ts'

/** One call below the property of a target. @throws PmsFailure */
export type Send = (
  kind: 'units' | 'calendar' | 'health',
  method: string,
  path: string,
  body: unknown,
  call: Call,
) => Promise<SandboxAnswer>

export interface SandboxAnswer extends Answer {
  /** The words of the PMS as they can be kept: short, and without the credentials. */
  clean(words: unknown): string | null
}

/** The calendar of fifty units in words. */
const longestAnswerBytes = 32 * 1_048_576

export function sandboxApi(egress: Egress, target: PmsTarget, defaultUrl: string | null): Send {
  const apiKey = target.credentials?.['api_key']
  const clean = (words: unknown) => {
    if (typeof words !== 'string' && typeof words !== 'number') return null
    return storable(apiKey ? String(words).replaceAll(apiKey, '…') : String(words), 300)
  }
  return async (kind, method, path, body, call) => {
    const baseUrl = target.baseUrl ?? defaultUrl
    if (!baseUrl)
      throw new PmsFailure('validation_rejected', 'The channel target names no address of its PMS.', {
        hint: 'Set base_url in the configuration of the channel target.',
      })
    const answer = await exchangeJson(egress, {
      provider: 'sandbox',
      kind,
      method,
      url: `${withoutLastSlashes(baseUrl)}/properties/${segment(target.property)}${path}`,
      body,
      headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
      timeoutMs: target.timeoutMs,
      call,
      longestAnswerBytes,
      summarize: (answer) => clean(summaryOf(answer)),
    })
    return { ...answer, clean }
  }
}

/** What the audit keeps: why it said no, or how many values of a calendar were taken and the first that was not. */
function summaryOf(body: unknown): string | null {
  const { error, accepted, refused } = (body ?? {}) as {
    error?: Words
    accepted?: unknown
    refused?: unknown
  }
  if (error) return wordsIn(error)
  if (!Number.isInteger(accepted) || !Array.isArray(refused)) return null
  const why = refused.length > 0 ? `: ${wordsIn(refused[0] as Words | null)}` : ''
  return `${String(accepted)} values taken, ${refused.length} refused${why}`
}

type Words = { code?: unknown; message?: unknown }

const wordsIn = (words: Words | null) =>
  [words?.code, words?.message].filter((word) => typeof word === 'string').join(' ')
