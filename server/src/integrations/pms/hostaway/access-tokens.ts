import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Egress } from '#egress/egress.ts'
import { sendRequest } from '../send-request.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { CallContext } from '../pms-call.ts'
import { toFailure, unexpectedResponse } from './failures.ts'

/** The account that a token gives access to. */
export interface Account {
  readonly root: string
  readonly accountId: string
  readonly apiKey: string
  readonly timeoutMs: number
}

export interface AccessTokens {
  /** A token that can be used now. @throws PmsFailure */
  get(account: Account, call: CallContext): Promise<string>
  /**
   * A token for the retry after a 403: the same one when it never worked, because it may still be too new, else another
   * one. @throws PmsFailure
   */
  getAfterRefusal(account: Account, refused: string, call: CallContext): Promise<string>
  /** Records that the token works. */
  confirm(account: Account, token: string): void
}

interface AccessToken {
  readonly token: string
  /** On the monotonic clock. */
  readonly usableAtMs: number
  readonly expiresAtMs: number
  isConfirmed: boolean
}

/** Hostaway asks to wait for a second before a new token is used. */
const activationMs = 1_050
/** More accounts than one process serves; the oldest token is removed first. */
const maxAccounts = 10_000

/**
 * The tokens of all accounts, in memory only. They are valid for two years, so each is fetched once, however many calls
 * wait for it. The API key is part of the cache key: a wrong key must not use the token of a right one.
 */
export function openAccessTokens(egress: Egress): AccessTokens {
  const cache = new Map<string, Promise<AccessToken>>()

  const fetchAndCache = (account: Account, call: CallContext): Promise<AccessToken> => {
    const key = cacheKey(account)
    const pending = fetchToken(egress, account, call)
    cache.delete(key)
    cache.set(key, pending)
    if (cache.size > maxAccounts) cache.delete(cache.keys().next().value!)
    pending.catch(() => {
      if (cache.get(key) === pending) cache.delete(key)
    })
    return pending
  }

  return {
    async get(account, call) {
      let current = await (cache.get(cacheKey(account)) ?? fetchAndCache(account, call))
      if (Date.now() >= current.expiresAtMs) current = await renew(account, current.token, call)
      return await whenUsable(current, call)
    },
    async getAfterRefusal(account, refused, call) {
      const current = await cache.get(cacheKey(account))
      if (current?.token !== refused || current.isConfirmed)
        return await whenUsable(await renew(account, refused, call), call)
      // Waits only once: after the next refusal another token is fetched.
      current.isConfirmed = true
      await wait(activationMs, call)
      return refused
    },
    confirm(account, token) {
      cache.get(cacheKey(account))?.then(
        (current) => {
          if (current.token === token) current.isConfirmed = true
        },
        () => undefined,
      )
    },
  }

  /** Of many calls that were refused with the same token, only one fetches the next. */
  async function renew(account: Account, oldToken: string, call: CallContext): Promise<AccessToken> {
    const pending = cache.get(cacheKey(account))
    const current = await pending
    if (current && current.token !== oldToken) return current
    const latest = cache.get(cacheKey(account))
    return await (latest && latest !== pending ? latest : fetchAndCache(account, call))
  }
}

async function fetchToken(
  egress: Egress,
  account: Account,
  { rateLimiter, traceparent }: CallContext,
): Promise<AccessToken> {
  const response = await sendRequest(egress, {
    provider: 'hostaway',
    kind: 'calls',
    method: 'POST',
    url: `${account.root}/accessTokens`,
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: account.accountId,
      client_secret: account.apiKey,
      scope: 'general',
    }),
    timeoutMs: account.timeoutMs,
    // Without the signal of the first caller: other calls wait for the same token.
    call: { ...(rateLimiter && { rateLimiter }), traceparent: traceparent ?? null },
    summarize: (body) => (tokenIn(body) ? 'a token' : null),
  })
  const { status, body, exchange } = response
  // OAuth answers 400 or 401 to an unknown account or key, and may repeat them in its message.
  if (status === 400 || status === 401 || status === 403)
    throw new PmsFailure('auth_rejected', 'Hostaway refused the account id and the API key.', {
      hint: 'Check both in the settings of the channel.',
      exchange,
    })
  const token = status >= 200 && status < 300 ? tokenIn(body) : null
  if (token === null) throw toFailure({ ...response, body: null }, '') ?? unexpectedResponse(response)
  const seconds = Number((body as { expires_in?: unknown }).expires_in) || 86_400
  return {
    token,
    usableAtMs: performance.now() + activationMs,
    expiresAtMs: Date.now() + seconds * 1_000 * 0.95,
    isConfirmed: false,
  }
}

/** Null when the token cannot be a header value: the error of the HTTP client might repeat it. */
function tokenIn(body: unknown): string | null {
  const token = (body as { access_token?: unknown } | null)?.access_token
  return typeof token === 'string' && /^[\w.~+/-]+=*$/.test(token) ? token : null
}

async function whenUsable({ token, usableAtMs }: AccessToken, call: CallContext): Promise<string> {
  const waitMs = usableAtMs - performance.now()
  if (waitMs > 0) await wait(waitMs, call)
  return token
}

async function wait(ms: number, { signal }: CallContext): Promise<void> {
  await sleep(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    throw new PmsFailure('network', 'The call was cancelled before it was sent.', {
      hint: 'No action is needed: the push is retried automatically.',
      cause: error,
    })
  })
}

const cacheKey = ({ root, accountId, apiKey }: Account) =>
  hash('sha256', JSON.stringify([root, accountId, apiKey]))
