// Speaks to the API of the running product, or of the one that was named.
import { setTimeout as sleep } from 'node:timers/promises'
import { withoutLastSlashes } from '#addresses.ts'
import { CommandFailure, type exitCodes } from './command-failure.ts'
import { runningIn } from './product.ts'
import { failureOf, type Surroundings } from './surroundings.ts'
import { requestToken } from './token.ts'

/** Who asks whom. Without an address it is the product that runs here, which gives a token of its own. */
export type Access = { url?: string; token?: string; as: string; org: string }

export interface Api {
  ask<Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer>
  /** Every record of a list, page by page. */
  all<Row>(path: string, name: string): Promise<Row[]>
  /** An answer that goes on; its body ends with the signal. */
  stream(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
}

const timeoutMs = 60_000
/** Being told to wait is no failure, for a while. */
const longestWaitSeconds = 60
const mostWaits = 3

export async function openApi(around: Surroundings, access: Access): Promise<Api> {
  const named = access.url ?? around.env['VACANCY_URL']
  const own = access.token ?? around.env['VACANCY_TOKEN']
  const url = addressOf(named ?? runningIn(around).api_url)
  if (!own && named)
    throw new CommandFailure('authentication', `There is no token for ${url}: set VACANCY_TOKEN.`)
  const newToken = async () =>
    own ?? (await requestToken(around, { role: access.as, org: access.org })).access_token
  let token = await newToken()

  const send = async (method: string, path: string, signal: AbortSignal, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const init = { method, headers, signal, redirect: 'error' as const }
    return await fetch(`${url}${path}`, body ? { ...init, body: JSON.stringify(body) } : init).catch(
      (cause: unknown) => {
        if (signal.aborted && signal.reason instanceof DOMException && signal.reason.name === 'AbortError')
          throw signal.reason
        throw new CommandFailure('failed', `${url} does not answer: ${failureOf(cause)}.`, cause)
      },
    )
  }
  const insist = async (method: string, path: string, signal: () => AbortSignal, body?: object) => {
    for (let waits = 0, renewed = false; ;) {
      const answer = await send(method, path, signal(), body)
      if (answer.ok) return answer
      const seconds = Number(answer.headers.get('retry-after') ?? Infinity)
      if (answer.status === 401 && !own && !renewed) {
        await answer.body?.cancel()
        renewed = true
        token = await newToken()
      } else if (answer.status === 429 && seconds <= longestWaitSeconds && waits < mostWaits) {
        await answer.body?.cancel()
        waits++
        await sleep(seconds * 1_000)
      } else throw await refusalOf(answer)
    }
  }
  const ask = async <Answer>(method: 'GET' | 'POST', path: string, body?: object) =>
    (await (await insist(method, path, () => AbortSignal.timeout(timeoutMs), body)).json()) as Answer

  return {
    ask,
    async all<Row>(path: string, name: string) {
      const found: Row[] = []
      const first = `/api/v1${path}${path.includes('?') ? '&' : '?'}limit=100`
      for (let next: string | null = first; next !== null;) {
        const page: Record<string, unknown> = await ask<Record<string, unknown>>('GET', next)
        found.push(...(page[name] as Row[]))
        const cursor = page['next_cursor'] as string | null
        next = cursor && `${first}&cursor=${cursor}`
      }
      return found
    },
    async stream(path, signal) {
      return (await insist('GET', path, () => signal)).body!
    },
  }
}

function addressOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new CommandFailure('usage', `${text} is no address: it must begin with http:// or https://.`)
  return withoutLastSlashes(text)
}

const kinds: Record<number, keyof typeof exitCodes> = {
  400: 'usage',
  401: 'authentication',
  403: 'authentication',
  404: 'notFound',
  409: 'conflict',
  412: 'conflict',
  429: 'rateLimited',
}

async function refusalOf(answer: Response): Promise<CommandFailure> {
  const problem = (await answer.json().catch(() => ({}))) as {
    detail?: string
    error?: string
    retryAfter?: number
  }
  const wait = problem.retryAfter === undefined ? '' : `: try again in ${problem.retryAfter} s`
  const said = problem.detail ?? `${problem.error ?? `The API answers ${answer.status}`}${wait}.`
  return new CommandFailure(kinds[answer.status] ?? 'failed', said)
}
