import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'

const largestBodyBytes = 1024 * 1024
const patienceBytes = 16 * largestBodyBytes

/** An answer that refuses the request, thrown from wherever the reason is found. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly field: string | undefined

  constructor(status: number, code: string, message: string, field?: string) {
    super(message)
    this.status = status
    this.code = code
    this.field = field
  }
}

/** What a request brought: its text, and the value or the reason it cannot be read. */
export type Received = { text: string; value?: unknown; refusal?: Refusal }

export async function receive(req: IncomingMessage, mostBytes = largestBodyBytes): Promise<Received> {
  if (req.method === 'GET' || req.method === 'HEAD' || req.method === 'DELETE') {
    req.resume()
    return { text: '' }
  }
  const text = await readText(req, mostBytes)
  if (text === undefined) {
    return { text: '', refusal: new Refusal(413, 'too_large', `the body is larger than ${mostBytes} bytes`) }
  }
  if (!/^application\/json *(;|$)/i.test(req.headers['content-type'] ?? '')) {
    return { text, refusal: new Refusal(415, 'not_json', 'the content type must be application/json') }
  }
  try {
    return { text, value: JSON.parse(text) }
  } catch {
    return { text, refusal: new Refusal(400, 'invalid_json', 'the body is not JSON') }
  }
}

export function answer(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
) {
  if (body === undefined) return res.writeHead(status, headers).end()
  const bytes = Buffer.from(JSON.stringify(body))
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length, ...headers })
  res.end(bytes)
}

export function answerRefusal(res: ServerResponse, { status, code, message, field }: Refusal) {
  const headers = status === 413 ? { connection: 'close' } : {}
  answer(res, status, { error: { code, message, ...(field === undefined ? {} : { field }) } }, headers)
}

/** The body as text, or nothing if it is too large. What is too much is read and thrown away, up to a
 * point, because a sender who is cut off in the middle never sees the answer. */
function readText(req: IncomingMessage, mostBytes: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= mostBytes) chunks.push(chunk)
      else chunks.length = 0
      if (size > patienceBytes) resolve(undefined)
    })
    req.on('end', () => resolve(size > mostBytes ? undefined : Buffer.concat(chunks).toString('utf8')))
    req.on('close', () => reject(new Refusal(400, 'cut_short', 'the body ended early')))
  })
}
