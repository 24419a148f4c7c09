import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { kindOf } from './catalogue.ts'
import { problemDocument } from './problems.ts'

/** Answers what is no HTTP request at all, or one whose headers are too large: there is no route to ask then. */
export const answerBrokenRequests =
  (publicUrl: string) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    // What was asked before it on this connection would take this answer for its own.
    if (isAnswering(socket)) return void socket.destroy()
    const problem = problems[error.code ?? ''] ?? {
      code: 'bad-request',
      detail: 'This is not an HTTP request that can be read.',
    }
    const { status } = kindOf(problem.code)
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

const problems: Record<string, { code: string; detail: string }> = {
  HPE_HEADER_OVERFLOW: {
    code: 'headers-too-large',
    detail: 'The address and the headers have more than 16 KiB.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: 'payload-too-large',
    detail: 'The extensions of the chunks have more than 16 KiB.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'request-timeout',
    detail: 'The request did not arrive in time.',
  },
}

/** Something that is whole already, or an answer that has begun. */
function isAnswering(socket: Socket): boolean {
  const answer = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage
  return answer !== undefined && answer !== null && (answer.headersSent || answer.req.complete)
}
