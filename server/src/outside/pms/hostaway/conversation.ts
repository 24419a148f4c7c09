import { withoutLastSlashes } from '#addresses.ts'
import type { Egress } from '#egress.ts'
import { exchangeJson, storable, type Answer } from '../exchange.ts'
import { PmsFailure, type Exchange } from '../pms-failure.ts'
import type { Call } from '../pms-call.ts'
import type { PmsTarget } from '../pms.ts'
import { refusalOf, wordsOf } from './refusal.ts'
import type { Account, Tokens } from './tokens.ts'

export interface Question {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: unknown
}

export interface Yes {
  readonly result: unknown
  /** How many there are in all, where the answer is a page. */
  readonly count: number | null
  readonly exchange: Exchange
}

/** One question, answered with a yes. @throws PmsFailure */
export type Ask = (question: Question, call: Call) => Promise<Yes>

const hostawayUrl = 'https://api.hostaway.com'
/** A page of a hundred listings with their pictures. */
const longestAnswerBytes = 32 * 1024 * 1024

/** Speaks with one account: with its token, in the vendor's envelope. */
export function converse(egress: Egress, tokens: Tokens, target: PmsTarget): Ask {
  return async (question, call) => {
    const account = accountOf(target)
    const token = await tokens.token(account, call)
    const first = await send(egress, account, token, question, call)
    // Access denied is how Hostaway says that a token has ended.
    if (first.status !== 403) {
      tokens.prove(account, token)
      return agreed(first, account, token)
    }
    const next = await tokens.afterRefusal(account, token, call)
    return agreed(await send(egress, account, next, question, call), account, next)
  }
}

/** No key of idempotency goes along: Hostaway has none, and writes of what shall be can be repeated without. */
function send(
  egress: Egress,
  { root, apiKey, timeoutMs }: Account,
  token: string,
  { method, path, body }: Question,
  { gate, traceparent, signal }: Call,
): Promise<Answer> {
  return exchangeJson(egress, {
    provider: 'hostaway',
    kind: 'calls',
    method,
    url: `${root}${path}`,
    ...(body !== undefined && { body }),
    headers: { authorization: `Bearer ${token}` },
    timeoutMs,
    call: { ...(gate && { gate }), ...(signal && { signal }), traceparent: traceparent ?? null },
    longestAnswerBytes,
    summarize: (answer) => clean(wordsOf(answer), [apiKey, token]),
  })
}

function agreed(answer: Answer, { apiKey }: Account, token: string): Yes {
  const refusal = refusalOf(answer, clean(wordsOf(answer.body), [apiKey, token]) ?? '')
  if (refusal) throw refusal
  const { result = null, count } = answer.body as { result?: unknown; count?: unknown }
  return { result, count: typeof count === 'number' ? count : null, exchange: answer.exchange }
}

/** Foreign words as they may be kept: short, and without the credentials. */
function clean(words: string | null, secrets: readonly string[]): string | null {
  if (!words) return null
  return storable(
    secrets.reduce((text, secret) => text.replaceAll(secret, '…'), words),
    300,
  )
}

function accountOf({ baseUrl, credentials, timeoutMs }: PmsTarget): Account {
  const { account_id: accountId, api_key: apiKey } = credentials ?? {}
  if (accountId && apiKey) return { root: rootOf(baseUrl ?? hostawayUrl), accountId, apiKey, timeoutMs }
  throw new PmsFailure('auth_rejected', 'The channel target does not say whom Hostaway shall let in.', {
    hint: 'Set account_id and api_key in the configuration of the channel target.',
  })
}

/** With the version or without, as people copy it. */
const rootOf = (baseUrl: string) => `${withoutLastSlashes(baseUrl).replace(/\/v1$/, '')}/v1`
