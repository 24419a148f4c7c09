import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Egress } from '#egress.ts'
import { exchangeJson } from '../exchange.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { Call } from '../pms-call.ts'
import { refusalOf, strange } from './refusal.ts'

/** Whom a token is for. */
export interface Account {
  readonly root: string
  readonly accountId: string
  readonly apiKey: string
  readonly timeoutMs: number
}

export interface Tokens {
  /** A token that may be used now. @throws PmsFailure */
  token(account: Account, call: Call): Promise<string>
  /** Another try after a 403: the same token if it never was good and may only be unripe, else a new one. */
  afterRefusal(account: Account, refused: string, call: Call): Promise<string>
  /** This one was good. */
  prove(account: Account, token: string): void
}

interface Kept {
  readonly token: string
  readonly usableAtMs: number
  readonly expiresAtMs: number
  isProven: boolean
}

/** Hostaway asks for a second before a new token is used. */
const ripensMs = 1_050
/** More accounts than one process serves; what was used longest ago is forgotten. */
const mostAccounts = 10_000

/**
 * The tokens of all accounts, in memory only. They last for two years, so that each is fetched once, however many
 * calls wait for it. The key is part of the name: a wrong one must not live on the token of a right one.
 */
export function openTokens(egress: Egress): Tokens {
  const flights = new Map<string, Promise<Kept>>()

  const fetched = (account: Account, call: Call): Promise<Kept> => {
    const name = nameOf(account)
    const flight = fetchToken(egress, account, call)
    flights.delete(name)
    flights.set(name, flight)
    if (flights.size > mostAccounts) flights.delete(flights.keys().next().value!)
    flight.catch(() => {
      if (flights.get(name) === flight) flights.delete(name)
    })
    return flight
  }

  return {
    async token(account, call) {
      let kept = await (flights.get(nameOf(account)) ?? fetched(account, call))
      if (Date.now() >= kept.expiresAtMs) kept = await renewed(account, kept.token, call)
      return await ripe(kept, call)
    },
    async afterRefusal(account, refused, call) {
      const kept = await flights.get(nameOf(account))
      if (kept?.token !== refused || kept.isProven)
        return await ripe(await renewed(account, refused, call), call)
      // Clocks and caches differ; but it is waited for only once.
      kept.isProven = true
      await pause(ripensMs, call)
      return refused
    },
    prove(account, token) {
      flights.get(nameOf(account))?.then(
        (kept) => {
          if (kept.token === token) kept.isProven = true
        },
        () => undefined,
      )
    },
  }

  /** Of many that were refused with the same token, one fetches the next. */
  async function renewed(account: Account, old: string, call: Call): Promise<Kept> {
    const flight = flights.get(nameOf(account))
    const kept = await flight
    if (kept && kept.token !== old) return kept
    const current = flights.get(nameOf(account))
    return await (current && current !== flight ? current : fetched(account, call))
  }
}

async function fetchToken(egress: Egress, account: Account, { gate, traceparent }: Call): Promise<Kept> {
  const answer = await exchangeJson(egress, {
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
    // Others wait for it too: the one who asked first may give up, the token comes all the same.
    call: { ...(gate && { gate }), traceparent: traceparent ?? null },
    summarize: (body) => (tokenIn(body) ? 'a token' : null),
  })
  const { status, body, exchange } = answer
  // OAuth says 400 or 401 to an account or a key that it does not know, and may repeat them in its words.
  if (status === 400 || status === 401 || status === 403)
    throw new PmsFailure('auth_rejected', 'Hostaway refused the account_id and the api_key.', {
      hint: 'Check both in the configuration of the channel target.',
      exchange,
    })
  const token = status >= 200 && status < 300 ? tokenIn(body) : null
  if (token === null) throw refusalOf({ ...answer, body: null }, '') ?? strange(answer)
  const seconds = Number((body as { expires_in?: unknown }).expires_in) || 86_400
  return {
    token,
    usableAtMs: Date.now() + ripensMs,
    expiresAtMs: Date.now() + seconds * 1_000 * 0.95,
    isProven: false,
  }
}

/** Only what can stand in a header; an error about anything else might repeat it. */
function tokenIn(body: unknown): string | null {
  const token = (body as { access_token?: unknown } | null)?.access_token
  return typeof token === 'string' && /^[\w.~+/-]+=*$/.test(token) ? token : null
}

async function ripe({ token, usableAtMs }: Kept, call: Call): Promise<string> {
  if (Date.now() < usableAtMs) await pause(usableAtMs - Date.now(), call)
  return token
}

async function pause(ms: number, { signal }: Call): Promise<void> {
  await sleep(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    throw new PmsFailure('network', 'The call was given up before it was sent.', {
      hint: 'Nothing to do: the push is tried again by itself.',
      cause: error,
    })
  })
}

const nameOf = ({ root, accountId, apiKey }: Account) =>
  hash('sha256', JSON.stringify([root, accountId, apiKey]))
