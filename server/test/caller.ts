import { assertDocumented } from './documented-problems.ts'

/** The HTTP client of the tests, the chaos scenarios and the benchmarks. */

/** A response; the body is parsed when it is JSON. */
export interface Reply {
  status: number
  headers: Headers
  // Tests check the shape of the body, so it has no type.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any
  text: string
}

type RequestHeaders = Record<string, string>

interface RequestOptions {
  body?: string | Uint8Array<ArrayBuffer> | FormData
  headers?: RequestHeaders
}

export interface OutgoingRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** Sent as JSON. */
  body?: unknown
  headers?: RequestHeaders
}

/** What became of a request: after a fault it matters whether it can have had an effect. */
export type RequestOutcome = { ms: number; url: string } & (
  | ({ kind: 'answered' } & Reply)
  /** The connection was refused: the request had no effect. */
  | { kind: 'refused'; why: string }
  /** The request was sent without a response: its effect is not known. */
  | { kind: 'lost'; why: string }
)

/** An HTTP client with one token. Its calls throw when they get no response, or a problem that is not documented. */
export interface TestCaller {
  readonly url: string
  token: string | null
  get(path: string, headers?: RequestHeaders): Promise<Reply>
  post(path: string, body?: unknown, headers?: RequestHeaders): Promise<Reply>
  put(path: string, body?: unknown, headers?: RequestHeaders): Promise<Reply>
  patch(path: string, body?: unknown, headers?: RequestHeaders): Promise<Reply>
  delete(path: string, headers?: RequestHeaders): Promise<Reply>
  send(method: string, path: string, options: RequestOptions): Promise<Reply>
  /** Sends a request to a server that may be down; never throws. */
  attempt(request: OutgoingRequest): Promise<RequestOutcome>
}

const attemptTimeoutMs = 20_000

/** @param defaultHeaders are sent with every request, such as the internal token, with which requests are not limited */
export function callerFor(
  url: string,
  token: string | null,
  defaultHeaders: RequestHeaders = {},
): TestCaller {
  const headersFor = (headers: RequestHeaders = {}) => ({
    ...(token && { authorization: `Bearer ${token}` }),
    ...defaultHeaders,
    ...headers,
  })
  const send: TestCaller['send'] = async (method, path, { body, headers }) => {
    const request = { method, headers: headersFor(headers), ...(body !== undefined && { body }) }
    const reply = await receiveReply(`${url}${path}`, request)
    assertDocumented(method, path, reply)
    return reply
  }
  const sendJson =
    (method: string) =>
    (path: string, body?: unknown, headers: RequestHeaders = {}) =>
      send(method, path, {
        ...(body !== undefined && { body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', ...headers },
      })
  return {
    url,
    token,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: sendJson('POST'),
    put: sendJson('PUT'),
    patch: sendJson('PATCH'),
    delete: (path, headers = {}) => send('DELETE', path, { headers }),
    send,
    async attempt({ method, path, body, headers }) {
      const startedAt = performance.now()
      const took = () => ({ ms: performance.now() - startedAt, url })
      try {
        const reply = await receiveReply(`${url}${path}`, {
          method,
          headers: {
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headersFor(headers),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(attemptTimeoutMs),
        })
        return { ...took(), kind: 'answered', ...reply }
      } catch (error) {
        const why = reasonOf(error as Error)
        return { ...took(), kind: why === 'ECONNREFUSED' ? 'refused' : 'lost', why }
      }
    },
  }
}

async function receiveReply(url: string, init: RequestInit): Promise<Reply> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : null,
    text,
  }
}

/** The code of the system, such as ECONNREFUSED, or the message. */
function reasonOf(error: Error): string {
  const cause = error.cause as (Error & { code?: string }) | undefined
  return cause?.code ?? cause?.message ?? error.message
}
