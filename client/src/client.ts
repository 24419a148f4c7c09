import { readEvents } from './event-stream.ts'
import { addressOf } from './operation.ts'
import type { Call, Operation } from './operation.ts'
import { Problem, readProblem, Unreachable } from './problem.ts'

export type * as contract from './contract/types.gen.ts'
export type { StreamEvent } from './event-stream.ts'
export type { FieldFault } from './problem.ts'
export * from './operations.ts'
export type * from './records.ts'
export { Problem, Unreachable } from './problem.ts'

export interface ClientOptions {
  /** Where the API is, without `/api/v1`: `https://vacancy.example`. */
  baseUrl: string
  /** Called before every attempt, so that a renewed token is used at once. */
  token: () => string | null | Promise<string | null>
  /** One attempt may take this long. */
  timeoutMs?: number
  /** Further attempts after a failure that another attempt may mend. */
  retries?: number
  /** A wait the API asks for that is longer than this is left to the caller. */
  longestWaitMs?: number
  /** A stream that says nothing for this long, not even a heartbeat, counts as lost. */
  silenceMs?: number
  fetch?: typeof globalThis.fetch
}

/** What a call takes: the contract's own members, and how to send it. */
export type Args<Data extends Call> = Parts<Pick<Data, keyof Data & ('path' | 'query' | 'body')>> & {
  signal?: AbortSignal
  /** Makes the change only if the record still has this entity tag. */
  ifMatch?: string | null
  /** Chosen for you on every POST; name your own to repeat a call across restarts. */
  idempotencyKey?: string
}

type Parts<Data> = { [Part in keyof Data]: Part extends 'query' ? QueryOf<Data[Part]> : Data[Part] }

/** A filter takes several values, or one without a list around it. */
type QueryOf<Query> = {
  [Name in keyof Query]: Query[Name] extends readonly (infer One)[] | undefined
    ? Query[Name] | One
    : Query[Name]
}

export interface Exchange<Reply> {
  data: Reply
  etag: string | null
  requestId: string | null
}

type RecordOf<Page> = { [K in keyof Page]: Page[K] extends (infer One)[] ? One : never }[keyof Page]

export type Client = ReturnType<typeof connect>

/** A client of the API: it waits, repeats what is safe to repeat, and throws a Problem for a refusal. */
export const connect = (options: ClientOptions) => {
  const { timeoutMs = 15_000, retries = 2, longestWaitMs = 10_000, silenceMs = 45_000 } = options
  const doFetch = options.fetch ?? ((...call: Parameters<typeof fetch>) => fetch(...call))

  /** Calls once or several times, and gives the reply with its entity tag. */
  const exchange = async <Data extends Call, Reply>(
    { method, path }: Operation<Data, Reply>,
    args: Args<Data> = {} as Args<Data>,
  ): Promise<Exchange<Reply>> => {
    const { body, query, path: values } = partsOf(args)
    const url = addressOf(options.baseUrl, path, values, query)
    const headers = new Headers({ accept: 'application/json, application/problem+json' })
    if (body !== undefined) headers.set('content-type', 'application/json')
    if (args.ifMatch) headers.set('if-match', args.ifMatch)
    if (method === 'POST') headers.set('idempotency-key', args.idempotencyKey ?? crypto.randomUUID())
    const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }

    for (let attempt = 0; ; attempt += 1) {
      const outcome = await tryOnce<Reply>(url, request, args.signal)
      if (!(outcome instanceof Error)) return outcome
      const waitMs = waitBefore(outcome, attempt, method !== 'PATCH')
      if (attempt >= retries || waitMs === null || waitMs > longestWaitMs) throw outcome
      await sleep(waitMs, args.signal)
    }
  }

  const tryOnce = async <Reply>(
    url: string,
    request: RequestInit,
    signal?: AbortSignal,
  ): Promise<Exchange<Reply> | Error> => {
    signal?.throwIfAborted()
    const limits = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]
    try {
      const response = await authorized(url, { ...request, signal: AbortSignal.any(limits) })
      return response.ok ? await readReply<Reply>(response) : await readProblem(response)
    } catch (cause) {
      signal?.throwIfAborted()
      return new Unreachable('The service could not be reached or gave no readable answer', { cause })
    }
  }

  const authorized = async (url: string, request: RequestInit) => {
    const headers = new Headers(request.headers)
    const token = await options.token()
    if (token) headers.set('authorization', `Bearer ${token}`)
    return doFetch(url, { ...request, headers })
  }

  /** The reply alone. */
  const send = async <Data extends Call, Reply>(operation: Operation<Data, Reply>, args?: Args<Data>) =>
    (await exchange(operation, args)).data

  /** Every record of a list, page after page. */
  async function* each<Data extends Call, Page extends { next_cursor: string | null }>(
    operation: Operation<Data, Page>,
    args: Args<Data> = {} as Args<Data>,
  ): AsyncGenerator<RecordOf<Page>> {
    let cursor: string | null = null
    do {
      const query: object = { limit: 100, ...(partsOf(args).query as object), ...(cursor && { cursor }) }
      const page: Page = await send(operation, { ...args, query })
      yield* Object.values(page as object).find(Array.isArray) as RecordOf<Page>[]
      cursor = page.next_cursor
    } while (cursor !== null)
  }

  /** The events of a stream until it ends, is aborted, or falls silent; reconnecting is the caller's. */
  async function* follow<Data extends Call>(operation: Operation<Data, unknown>, args: Args<Data>) {
    const lost = new AbortController()
    const giveUp = () => lost.abort(new Unreachable('The stream fell silent'))
    let silence = setTimeout(giveUp, silenceMs)
    const { path: values, query } = partsOf(args)
    const response = await authorized(addressOf(options.baseUrl, operation.path, values, query), {
      headers: { accept: 'text/event-stream' },
      signal: AbortSignal.any([lost.signal, ...(args.signal ? [args.signal] : [])]),
    })
    try {
      if (!response.ok || !response.body) throw await readProblem(response)
      yield* readEvents(response.body, () => {
        clearTimeout(silence)
        silence = setTimeout(giveUp, silenceMs)
      })
    } finally {
      clearTimeout(silence)
    }
  }

  return { exchange, send, each, follow }
}

const partsOf = (args: object): Omit<Call, 'url'> => args

/** Milliseconds before another attempt, or null where another attempt could do harm or no good. */
const waitBefore = (failure: Error, attempt: number, repeatable: boolean): number | null => {
  const backOffMs = 200 * 2 ** attempt * (0.5 + Math.random() / 2)
  if (failure instanceof Unreachable) return repeatable ? backOffMs : null
  if (!(failure instanceof Problem)) return null
  const askedMs = failure.retryAfterSeconds === null ? null : failure.retryAfterSeconds * 1000
  if (failure.status === 429) return askedMs ?? backOffMs
  return repeatable && [502, 503, 504].includes(failure.status) ? (askedMs ?? backOffMs) : null
}

const readReply = async <Reply>(response: Response): Promise<Exchange<Reply>> => ({
  data: (response.status === 204 ? undefined : await response.json()) as Reply,
  etag: response.headers.get('etag'),
  requestId: response.headers.get('x-request-id'),
})

const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)), {
      once: true,
    })
  })
