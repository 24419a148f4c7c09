import { readEvents } from './event-stream.ts'
import type { StreamEvent } from './event-stream.ts'
import { buildUrl, checkBaseUrl, encodeBody } from './operation.ts'
import type { RequestData, Operation } from './operation.ts'
import { isUnprocessed, Problem, readProblem, retryDelayMs, Unreachable } from './problem.ts'
import { sleep } from './sleep.ts'

export interface ClientOptions {
  /** URL of the API without `/api/v1`, such as `https://vacancy.example`. */
  baseUrl: string
  /** An access token, or a function that is called before every attempt, so that a new token is used at once. */
  token: string | (() => string | null | Promise<string | null>)
  /** The time limit of one attempt. */
  timeoutMs?: number
  /** How often a failed request is repeated, when it is safe and may succeed. */
  retries?: number
  /** When the API asks for a longer wait, the request fails instead. */
  maxWaitMs?: number
  /** A stream without data or heartbeat for this long has failed. */
  streamTimeoutMs?: number
  fetch?: typeof globalThis.fetch
}

/** How to send a request. */
export interface RequestOptions {
  signal?: AbortSignal
  /** The time limit of one attempt, where it is longer than usual: for a file. */
  timeoutMs?: number
  /** The change is made only if the record still has this entity tag. */
  ifMatch?: string | null
  /** Random for each POST by default; give one to repeat a request after a restart. */
  idempotencyKey?: string
}

export interface StreamOptions {
  signal?: AbortSignal
  /** The id of the last event of a stream, from which it goes on. */
  lastEventId?: string | null
}

/** The path, query and body of an operation, and how to send it. */
export type RequestArgs<Data extends RequestData> = RequestParts<
  Pick<Data, keyof Data & ('path' | 'query' | 'body')>
> &
  RequestOptions &
  StreamOptions & {
    /** The reply is left out if the record still has this entity tag; see `readIfChanged`. */
    ifNoneMatch?: string | null
  }

type RequestParts<Data> = {
  [Part in keyof Data]: Part extends 'query' ? QueryValues<Data[Part]> : Data[Part]
}

/** A query parameter with several values also takes one value without a list. */
export type QueryValues<Query> = {
  [Name in keyof Query]: Query[Name] extends readonly (infer One)[] | undefined
    ? Query[Name] | One
    : Query[Name]
}

export interface ApiResponse<Reply> {
  data: Reply
  etag: string | null
  requestId: string | null
}

type PageRecord<Page> = { [K in keyof Page]: Page[K] extends (infer One)[] ? One : never }[keyof Page]

/** How a page of a list ends. */
export interface PageEnd {
  next_cursor: string | null
  has_more?: boolean
}

/** The event feed has a cursor after its last event too, from which to continue later. */
export const nextCursorOf = ({ next_cursor, has_more }: Partial<PageEnd>): string | null =>
  has_more === false ? null : (next_cursor ?? null)

/** A file may be large. */
const maxDownloadMs = 3_600_000

export type Client = ReturnType<typeof connect>

/** Opens a client of the API. It retries requests that are safe to repeat, and throws a Problem for an error response. */
export const connect = (options: ClientOptions) => {
  const { timeoutMs = 15_000, retries = 2, maxWaitMs = 10_000, streamTimeoutMs = 45_000 } = options
  checkBaseUrl(options.baseUrl)
  const doFetch = options.fetch ?? ((...call: Parameters<typeof fetch>) => fetch(...call))

  /** Sends a request, with retries. Returns the data with the entity tag. */
  const request = <Data extends RequestData, Reply>(
    operation: Operation<Data, Reply>,
    args: RequestArgs<Data> = {} as RequestArgs<Data>,
  ): Promise<ApiResponse<Reply>> => requestWith(readJson<Reply>, operation, args)

  const requestWith = async <Data extends RequestData, Reply>(
    read: (response: Response) => Promise<Reply>,
    { method, path }: Operation<Data, unknown>,
    args: RequestArgs<Data>,
  ): Promise<ApiResponse<Reply>> => {
    const { body, query, path: values } = requestParts(args)
    const url = buildUrl(options.baseUrl, path, values, query)
    const headers = new Headers({
      accept: read === readFile ? '*/*' : 'application/json, application/problem+json',
    })
    const encoded = body === undefined ? undefined : encodeBody(body)
    if (typeof encoded === 'string') headers.set('content-type', 'application/json')
    // The type that a browser gives a file depends on the programs of its computer.
    if (encoded instanceof Blob) headers.set('content-type', 'application/octet-stream')
    if (args.ifMatch) headers.set('if-match', args.ifMatch)
    if (args.ifNoneMatch) headers.set('if-none-match', args.ifNoneMatch)
    if (method === 'POST') headers.set('idempotency-key', args.idempotencyKey ?? crypto.randomUUID())
    // A redirect that is followed turns a POST into a GET, whose response would pass for that of a creation.
    const redirect = method === 'GET' ? ('follow' as const) : ('manual' as const)
    const init = { method, headers, redirect, ...(encoded !== undefined && { body: encoded }) }

    let unanswered: Error | undefined
    for (let attempt = 0; ; attempt += 1) {
      const result = await attemptOnce(read, url, init, args)
      if (!(result instanceof Error)) return result
      const { status, requestId } = result instanceof Problem ? result : { status: null, requestId: null }
      // An earlier attempt may have taken effect: then this one finds the record deleted or changed by it.
      if (unanswered && status === 404 && method === 'DELETE')
        return { data: undefined as Reply, etag: null, requestId }
      if (unanswered && status === 412) throw unanswered
      const waitMs = retryDelayMs(result, attempt, method !== 'PATCH')
      if (attempt >= retries || waitMs === null || waitMs > maxWaitMs) throw result
      if (!isUnprocessed(status)) unanswered = result
      await sleep(waitMs, args.signal)
    }
  }

  const attemptOnce = async <Reply>(
    read: (response: Response) => Promise<Reply>,
    url: string,
    request: RequestInit,
    { signal, timeoutMs: ownTimeoutMs = timeoutMs }: { signal?: AbortSignal; timeoutMs?: number },
  ): Promise<ApiResponse<Reply> | Error> => {
    signal?.throwIfAborted()
    // An error of the token function is about the sign-in, not about a service that is away.
    const authorized = await authorize(request)
    const signals = [AbortSignal.timeout(ownTimeoutMs), ...(signal ? [signal] : [])]
    try {
      const response = await doFetch(url, { ...authorized, signal: AbortSignal.any(signals) })
      const isReply = response.ok || response.status === 304
      return isReply ? await readReply(response, read) : await readProblem(response)
    } catch (cause) {
      signal?.throwIfAborted()
      return new Unreachable('The service could not be reached, or its response could not be read', { cause })
    }
  }

  const authorize = async (request: RequestInit): Promise<RequestInit> => {
    const headers = new Headers(request.headers)
    const token = typeof options.token === 'string' ? options.token : await options.token()
    // The error of a header would quote the token.
    if (token && !/^\s*[\x21-\x7e]+\s*$/.test(token))
      throw new TypeError('The token has a space, a line break or another character that no token has')
    if (token) headers.set('authorization', `Bearer ${token}`)
    return { ...request, headers }
  }

  /** Like `request`, but returns only the data. */
  const send = async <Data extends RequestData, Reply>(
    operation: Operation<Data, Reply>,
    args?: RequestArgs<Data>,
  ) => (await request(operation, args)).data

  /** Reads a record or a list again; null when it still has this entity tag. */
  const readIfChanged = async <Data extends RequestData, Reply>(
    operation: Operation<Data, Reply>,
    etag: string | null,
    args: RequestArgs<Data>,
  ): Promise<ApiResponse<Reply> | null> => {
    const reply = await request(operation, { ...args, ifNoneMatch: etag })
    return reply.data === undefined ? null : reply
  }

  /** Reads a file, such as an export. */
  const download = async <Data extends RequestData>(
    operation: Operation<Data, unknown>,
    args: RequestArgs<Data> = {} as RequestArgs<Data>,
  ): Promise<Blob> => {
    return (await requestWith(readFile, operation, { timeoutMs: maxDownloadMs, ...args })).data
  }

  /** Yields all records of a list, page by page. */
  async function* listAll<Data extends RequestData, Page extends PageEnd>(
    operation: Operation<Data, Page>,
    args: RequestArgs<Data> = {} as RequestArgs<Data>,
  ): AsyncGenerator<PageRecord<Page>> {
    let cursor: string | null = null
    do {
      const query: object = { limit: 100, ...(requestParts(args).query as object), ...(cursor && { cursor }) }
      const page: Page = await send(operation, { ...args, query })
      yield* Object.values(page as object).find(Array.isArray) as PageRecord<Page>[]
      cursor = nextCursorOf(page)
    } while (cursor !== null)
  }

  /** Yields the events of a stream until it ends, is aborted, or times out. Does not reconnect. */
  async function* stream<Data extends RequestData>(
    operation: Operation<Data, unknown>,
    args: RequestArgs<Data>,
  ): AsyncGenerator<StreamEvent> {
    const timeout = new AbortController()
    const abort = () => timeout.abort(new Unreachable('The stream sent nothing in time'))
    let timer = setTimeout(abort, streamTimeoutMs)
    try {
      const { path: values, query } = requestParts(args)
      const url = buildUrl(options.baseUrl, operation.path, values, query)
      const headers = {
        accept: 'text/event-stream',
        ...(args.lastEventId && { 'last-event-id': args.lastEventId }),
      }
      const signal = AbortSignal.any([timeout.signal, ...(args.signal ? [args.signal] : [])])
      const authorized = await authorize({ headers, signal })
      try {
        const response = await doFetch(url, authorized)
        if (!response.ok || !response.body) throw await readProblem(response)
        yield* readEvents(response.body, () => {
          clearTimeout(timer)
          timer = setTimeout(abort, streamTimeoutMs)
        })
      } catch (cause) {
        if (signal.aborted || cause instanceof Problem) throw cause
        throw new Unreachable('The stream could not be opened, or was interrupted', { cause })
      }
    } finally {
      clearTimeout(timer)
    }
  }

  return { request, send, readIfChanged, download, listAll, stream }
}

const requestParts = (args: object): Omit<RequestData, 'url'> => args

const readReply = async <Data>(
  response: Response,
  read: (response: Response) => Promise<Data>,
): Promise<ApiResponse<Data>> => ({
  data: [204, 304].includes(response.status) ? (undefined as Data) : await read(response),
  etag: response.headers.get('etag'),
  requestId: response.headers.get('x-request-id'),
})
const readJson = async <Reply>(response: Response) => (await response.json()) as Reply
const readFile = (response: Response) => response.blob()
