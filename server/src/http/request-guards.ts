import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest } from '#errors.ts'
import { problemTypeOf } from './problem-types.ts'
import { problemDocument, sendProblem } from './problems.ts'
import type { Config } from '#config/config.ts'

/** Responds to requests that the HTTP parser rejects, which reach no route. */
export const answerUnparsableRequests =
  (publicUrl: string) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    // An earlier request on this connection would get this response.
    if (isResponding(socket)) return void socket.destroy()
    const problem = parserProblems[error.code ?? ''] ?? {
      code: 'bad-request',
      detail: 'This is not a valid HTTP request.',
    }
    const { status } = problemTypeOf(problem.code)
    const id = randomUUID()
    const body = problemDocument(publicUrl, id, problem)
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${id}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Connection: close',
    ]
    if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    socket.destroySoon()
  }

/** Rejects requests that servers could interpret in different ways (request smuggling). */
export function rejectAmbiguousRequests(app: FastifyInstance, publicUrl: string): void {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    const ambiguity = ambiguityIn(raw)
    if (!ambiguity) return done()
    // What follows on this connection may belong to the same attack.
    void reply.header('connection', 'close')
    done(new BadRequest('bad-request', ambiguity))
  })
  app.server.on('checkExpectation', (_request, response: ServerResponse) => {
    const id = randomUUID()
    const detail = 'The header Expect can only be 100-continue.'
    response
      .writeHead(problemTypeOf('expectation-failed').status, {
        'content-type': 'application/problem+json',
        'x-content-type-options': 'nosniff',
        'x-request-id': id,
        connection: 'close',
      })
      .end(problemDocument(publicUrl, id, { code: 'expectation-failed', detail }))
  })
}

const parserProblems: Record<string, { code: string; detail: string }> = {
  HPE_HEADER_OVERFLOW: {
    code: 'headers-too-large',
    detail: 'The URL and the headers have more than 16 KiB.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: 'payload-too-large',
    detail: 'The chunk extensions have more than 16 KiB.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'request-timeout',
    detail: 'The request did not arrive in time.',
  },
}

/** Whether a complete request is being handled, or its response has started. */
function isResponding(socket: Socket): boolean {
  const response = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage
  return response !== undefined && response !== null && (response.headersSent || response.req.complete)
}

function ambiguityIn({ httpVersion, headers, rawHeaders, url = '' }: IncomingMessage): string | null {
  // The parser accepts any version, and a request line without one.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'Use HTTP/1.1.'
  if (!/^(\/|https?:\/\/)/i.test(url)) return 'The path must begin with a slash.'
  if (headers.host === undefined && httpVersion === '1.1') return 'The header Host is missing.'
  const transfer = headers['transfer-encoding']
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    return 'Transfer-Encoding can only be chunked.'
  const repeated = repeatedHeader(rawHeaders)
  return repeated && `The header ${repeated} must not be repeated.`
}

function repeatedHeader(rawHeaders: readonly string[]): string | null {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (!singleHeaders.has(name)) continue
    if (seen.has(name)) return name
    seen.add(name)
  }
  return null
}

/** Headers that a proxy in front may interpret differently when they are repeated. */
const singleHeaders = new Set([
  'host',
  'content-type',
  'content-length',
  'transfer-encoding',
  'authorization',
])

type Timeouts = Config['http']['timeouts']

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may take longer, because files are uploaded over slow mobile connections. */
    isUpload?: boolean
  }
}

/** An upload that is slower than this in one interval of `bodyMs` is aborted. */
const minBytesPerInterval = 16_384

/** The timeouts of Node's server. It has one limit for all requests, so this is the limit of uploads. */
export const serverTimeouts = ({ headersMs, bodyMs, uploadMs, inactivityMs, idleMs }: Timeouts) => ({
  http: {
    headersTimeout: headersMs,
    requestTimeout: uploadMs + bodyMs,
    connectionsCheckingInterval: Math.ceil(headersMs / 3),
    // Our own check responds with a problem document; Node's response would have no body.
    requireHostHeader: false,
  },
  requestTimeout: uploadMs + bodyMs,
  connectionTimeout: inactivityMs,
  keepAliveTimeout: idleMs,
})

/** Aborts requests whose body does not arrive in time. */
export function enforceBodyTimeouts(
  app: FastifyInstance,
  publicUrl: string,
  { bodyMs, uploadMs }: Timeouts,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (mayHaveBody(request)) {
      const { isUpload = false } = request.routeOptions.config
      watchBody(request, bodyMs, isUpload ? uploadMs : bodyMs, () => sendTimeout(request, reply, publicUrl))
    }
    done()
  })
}

const mayHaveBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function watchBody(
  { raw }: FastifyRequest,
  intervalMs: number,
  maxMs: number,
  rejectSlowRequest: () => void,
): void {
  const { socket } = raw
  let [elapsedMs, readBytes] = [0, socket.bytesRead]
  const timer = setInterval(() => {
    elapsedMs += intervalMs
    const receivedBytes = socket.bytesRead - readBytes
    readBytes = socket.bytesRead
    if (!raw.complete && elapsedMs < maxMs && receivedBytes >= minBytesPerInterval) return
    clearInterval(timer)
    if (!raw.complete) rejectSlowRequest()
  }, intervalMs)
  raw.once('close', () => clearInterval(timer))
}

function sendTimeout(request: FastifyRequest, reply: FastifyReply, publicUrl: string): void {
  const closeConnection = () => request.raw.destroy()
  if (reply.sent) return void closeConnection()
  reply.raw.once('finish', closeConnection)
  void reply.header('connection', 'close')
  void sendProblem(reply, request, publicUrl, {
    code: 'request-timeout',
    detail: 'The body did not arrive in time.',
  })
}
