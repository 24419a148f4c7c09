import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { kindOf } from './catalogue.ts'
import { problemDocument } from './problems.ts'

/** Answers what is no HTTP request at all, or one whose headers are too large: there is no route to ask then. */
export const answerBrokenRequests =
  (publicUrl: string) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const problem =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? { code: 'headers-too-large', detail: 'The address and the headers have more than 16 KiB.' }
        : { code: 'bad-request', detail: 'This is not an HTTP request that can be read.' }
    const { status } = kindOf(problem.code)
    const id = randomUUID()
    const body = problemDocument(publicUrl, id, problem)
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${id}`,
      'Connection: close',
    ]
    if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    socket.destroySoon()
  }
