import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'

export const defaultMaxBodyBytes = 1024 * 1024
/** A body above this is no longer read to its end before it is refused. */
const maxReadBytes = 16 * defaultMaxBodyBytes

/** An error that is answered, with a body in the format of the vendor. */
export class ReplyError extends Error {
  readonly status: number
  readonly body: object

  constructor(status: number, message: string, body: object) {
    super(message)
    this.status = status
    this.body = body
  }
}

/** A refused request in the error format of the PMS, which is that of the control routes of every vendor. */
export class HttpError extends ReplyError {
  readonly code: string
  readonly field: string | undefined

  constructor(status: number, code: string, message: string, field?: string) {
    super(status, message, { error: { code, message, ...(field !== undefined && { field }) } })
    this.code = code
    this.field = field
  }
}

/** The text of a body, and its JSON value or the reason it cannot be read. */
interface ParsedBody {
  text: string
  value?: unknown
  error?: HttpError
}

/** Parses a body of any content type. It never throws: the call is recorded before it is refused. */
export async function parseBody(request: FastifyRequest, stream: IncomingMessage): Promise<ParsedBody> {
  if (request.method === 'DELETE') {
    stream.resume()
    return { text: '' }
  }
  const maxBytes = request.routeOptions.bodyLimit
  const text = await readText(stream, maxBytes)
  if (text === undefined)
    return { text: '', error: new HttpError(413, 'too_large', `the body is larger than ${maxBytes} bytes`) }
  if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? ''))
    return { text, error: notJson() }
  try {
    return { text, value: JSON.parse(text) }
  } catch {
    return { text, error: new HttpError(400, 'invalid_json', 'the body is not JSON') }
  }
}

export function bodyText({ body }: FastifyRequest): string {
  return (body as ParsedBody | undefined)?.text ?? ''
}

/** The JSON value of the body; undefined when there is none or it cannot be read. */
export function bodyValue({ body }: FastifyRequest): unknown {
  return (body as ParsedBody | undefined)?.value
}

/** Throws an `HttpError` when the body is missing or cannot be read. A DELETE needs no body. */
export function requireBody({ body, method }: FastifyRequest): unknown {
  const parsed = body as ParsedBody | undefined
  if (parsed?.error) throw parsed.error
  if (!parsed && method !== 'GET' && method !== 'DELETE') throw notJson()
  return parsed?.value
}

const notJson = () => new HttpError(415, 'not_json', 'the content type must be application/json')

export function queryOf({ url }: FastifyRequest): URLSearchParams {
  const at = url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : url.slice(at))
}

export const pathOf = ({ url }: FastifyRequest) => url.split('?', 1)[0] ?? '/'

/** The first value of a header that may be sent several times. */
export function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/**
 * The body as text, or undefined if it is too large. The rest of a large body is read and dropped, because a client
 * that is cut off while it sends never sees the answer.
 */
function readText(stream: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else chunks.length = 0
      if (size > maxReadBytes) resolve(undefined)
    })
    stream.on('end', () => resolve(size > maxBytes ? undefined : Buffer.concat(chunks).toString('utf8')))
    stream.on('close', () => reject(new HttpError(400, 'cut_short', 'the body ended early')))
  })
}
