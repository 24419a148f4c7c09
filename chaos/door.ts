import { Agent, request, type OutgoingHttpHeaders } from 'node:http'

/** A client that tells apart what matters after a fault: never asked, asked and not answered, answered. */
export interface Asked {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
  headers?: Record<string, string>
}

export type Outcome = { ms: number; url: string } & (
  | { kind: 'answered'; status: number; body: Body; text: string; headers: Record<string, unknown> }
  /** Nobody listened: whatever was asked has not been done. */
  | { kind: 'refused'; why: string }
  /** The request left and no answer came: nobody knows whether it was done. */
  | { kind: 'lost'; why: string }
)

// The shape of an answer is the business of who asked.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Body = any

export interface Door {
  readonly url: string
  ask(asked: Asked): Promise<Outcome>
  close(): void
}

/** Connections are kept and used again, as clients in production do. */
export function openDoor(url: string, headers: Record<string, string>, patienceMs = 20_000): Door {
  const agent = new Agent({ keepAlive: true, maxSockets: 64, maxFreeSockets: 64 })
  return {
    url,
    ask: (asked) => ask(agent, url, headers, patienceMs, asked),
    close: () => agent.destroy(),
  }
}

function ask(
  agent: Agent,
  url: string,
  always: Record<string, string>,
  patienceMs: number,
  { method, path, body, headers = {} }: Asked,
): Promise<Outcome> {
  const startedAt = performance.now()
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const all: OutgoingHttpHeaders = {
    ...always,
    ...(sent !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(sent),
    }),
    ...headers,
  }
  return new Promise((resolve) => {
    const seen = () => ({ ms: performance.now() - startedAt, url })
    const going = request(`${url}${path}`, { method, agent, headers: all }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', failed)
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = answer.headers['content-type']?.includes('json') ?? false
        const { statusCode = 0, headers: theirs } = answer
        const read = isJson && text ? JSON.parse(text) : null
        resolve({ ...seen(), kind: 'answered', status: statusCode, body: read, text, headers: theirs })
      })
    })
    const failed = (error: NodeJS.ErrnoException) => {
      const why = error.code ?? error.message
      resolve({ ...seen(), kind: why === 'ECONNREFUSED' ? 'refused' : 'lost', why })
    }
    going.on('error', failed)
    going.setTimeout(patienceMs, () => going.destroy(new Error(`no answer in ${patienceMs} ms`)))
    going.end(sent)
  })
}
