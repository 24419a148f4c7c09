import { Agent, request, type OutgoingHttpHeaders } from 'node:http'

/** A client that distinguishes what matters after a fault: refused connections, lost replies and responses. */
export interface OutgoingRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
  headers?: Record<string, string>
}

export type RequestOutcome = { ms: number; url: string } & (
  | { kind: 'answered'; status: number; body: Body; text: string; headers: Record<string, unknown> }
  /** The connection was refused: the request had no effect. */
  | { kind: 'refused'; why: string }
  /** The request was sent without a response: its effect is not known. */
  | { kind: 'lost'; why: string }
)

// Callers know the shape of their responses.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Body = any

export interface HttpClient {
  readonly url: string
  request(request: OutgoingRequest): Promise<RequestOutcome>
  close(): void
}

/** Connections are reused, as by clients in production. */
export function openHttpClient(url: string, headers: Record<string, string>, timeoutMs = 20_000): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 64, maxFreeSockets: 64 })
  return {
    url,
    request: (outgoing) => sendRequest(agent, url, headers, timeoutMs, outgoing),
    close: () => agent.destroy(),
  }
}

function sendRequest(
  agent: Agent,
  url: string,
  defaultHeaders: Record<string, string>,
  timeoutMs: number,
  { method, path, body, headers = {} }: OutgoingRequest,
): Promise<RequestOutcome> {
  const startedAt = performance.now()
  const text = body === undefined ? undefined : JSON.stringify(body)
  const allHeaders: OutgoingHttpHeaders = {
    ...defaultHeaders,
    ...(text !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }),
    ...headers,
  }
  return new Promise((resolve) => {
    const common = () => ({ ms: performance.now() - startedAt, url })
    const outgoing = request(`${url}${path}`, { method, agent, headers: allHeaders }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', failed)
      response.on('end', () => {
        const received = Buffer.concat(chunks).toString()
        const isJson = response.headers['content-type']?.includes('json') ?? false
        const { statusCode = 0 } = response
        const parsed = isJson && received ? JSON.parse(received) : null
        resolve({
          ...common(),
          kind: 'answered',
          status: statusCode,
          body: parsed,
          text: received,
          headers: response.headers,
        })
      })
    })
    const failed = (error: NodeJS.ErrnoException) => {
      const why = error.code ?? error.message
      resolve({ ...common(), kind: why === 'ECONNREFUSED' ? 'refused' : 'lost', why })
    }
    outgoing.on('error', failed)
    outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`no response within ${timeoutMs} ms`)))
    outgoing.end(text)
  })
}
