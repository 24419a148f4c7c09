import { trimTrailingSlashes, toStorableText } from '#schema/fields.ts'
import type { Egress } from '#egress/egress.ts'
import { sendRequest, type PmsResponse } from '../send-request.ts'
import { PmsFailure, type Exchange } from '../pms-failure.ts'
import type { CallContext } from '../pms-call.ts'
import type { PmsTarget } from '../pms-provider.ts'
import type { AccessTokens, Account } from './access-tokens.ts'
import { errorText, toFailure } from './failures.ts'

interface HostawayRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: unknown
}

export interface HostawayResult {
  readonly result: unknown
  /** The total number of items when the response is one page of them. */
  readonly count: number | null
  readonly exchange: Exchange
}

/** Sends one request and returns a successful response. @throws PmsFailure */
export type Send = (request: HostawayRequest, call: CallContext) => Promise<HostawayResult>

const defaultUrl = 'https://api.hostaway.com'
/** Enough for a page of a hundred listings with their photos. */
const maxResponseBytes = 32 * 1024 * 1024

/** The API of Hostaway for one account. */
export function hostawayApi(egress: Egress, tokens: AccessTokens, target: PmsTarget): Send {
  return async (request, call) => {
    const account = accountOf(target)
    let token = await tokens.get(account, call)
    let response = await send(egress, account, token, request, call)
    // Hostaway answers 403 when a token has expired.
    if (response.status === 403) {
      token = await tokens.getAfterRefusal(account, token, call)
      response = await send(egress, account, token, request, call)
    }
    if (response.status !== 403) tokens.confirm(account, token)
    return parseResult(response, account, token)
  }
}

/** Sends no idempotency key: Hostaway has none, and repeating the same values has no further effect. */
function send(
  egress: Egress,
  { root, apiKey, timeoutMs }: Account,
  token: string,
  { method, path, body }: HostawayRequest,
  { rateLimiter, traceparent, signal }: CallContext,
): Promise<PmsResponse> {
  return sendRequest(egress, {
    provider: 'hostaway',
    kind: 'calls',
    method,
    url: `${root}${path}`,
    ...(body !== undefined && { body }),
    headers: { authorization: `Bearer ${token}` },
    timeoutMs,
    call: {
      ...(rateLimiter && { rateLimiter }),
      ...(signal && { signal }),
      traceparent: traceparent ?? null,
    },
    maxResponseBytes,
    summarize: (responseBody) => redact(errorText(responseBody), [apiKey, token]),
  })
}

function parseResult(response: PmsResponse, { apiKey }: Account, token: string): HostawayResult {
  const failure = toFailure(response, redact(errorText(response.body), [apiKey, token]) ?? '')
  if (failure) throw failure
  const { result = null, count } = response.body as { result?: unknown; count?: unknown }
  return { result, count: typeof count === 'number' ? count : null, exchange: response.exchange }
}

/** Cuts text of Hostaway and removes credentials from it, so that it can be stored. */
function redact(text: string | null, secrets: readonly string[]): string | null {
  if (!text) return null
  return toStorableText(
    secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '…'), text),
    300,
  )
}

function accountOf({ baseUrl, credentials, timeoutMs }: PmsTarget): Account {
  const { account_id: accountId, api_key: apiKey } = credentials ?? {}
  if (accountId && apiKey) return { root: rootUrl(baseUrl ?? defaultUrl), accountId, apiKey, timeoutMs }
  throw new PmsFailure('auth_rejected', 'The channel has no credentials for Hostaway.', {
    hint: 'Enter the account id and the API key in the settings of the channel.',
  })
}

/** Operators copy the URL with or without the version. */
const rootUrl = (baseUrl: string) => `${trimTrailingSlashes(baseUrl).replace(/\/v1$/, '')}/v1`
