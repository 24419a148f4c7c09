import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '#http/authenticate.ts'
import type { Caller } from '#http/routes.ts'

/** A response of server-sent events. */
export interface EventStream {
  /** Sends an event whose data is JSON text, with the place from which a reader goes on after a gap. */
  send(event: string, data: string, id?: string): void
  /** Asks whether the caller may go on to read. */
  recheck(): void
  end(): void
}

interface StreamOptions {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly recognize: Authenticate
  /** Whether the caller may read the stream. */
  readonly isAllowed: (caller: Pick<Caller, 'permissions'>) => boolean
  readonly onClose: () => void
}

const heartbeatMs = 15_000
const maxStreams = 2_000
const maxBufferedBytes = 1_048_576

let openCount = 0

/**
 * Begins the response. The stream ends when its token does, or the right to read. Null when the reader is gone already,
 * or when this process has as many streams as it takes.
 */
export function openEventStream({
  request,
  reply,
  recognize,
  isAllowed,
  onClose,
}: StreamOptions): EventStream | null {
  reply.hijack()
  const { raw } = reply
  // Gone while it was being recognized: its end has been told already, and would not be told again.
  if (raw.destroyed) return null
  const headers = reply.getHeaders() as Record<string, string>
  if (openCount >= maxStreams) {
    raw.writeHead(503, { ...headers, 'retry-after': '30', 'content-length': '0' }).end()
    return null
  }
  openCount++
  raw.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  const write = (text: string) => {
    if (raw.writableEnded) return
    // A reader that does not keep up is dropped; it comes back and reads the state anew.
    if (raw.writableLength > maxBufferedBytes) raw.destroy()
    else raw.write(text)
  }
  let isOpen = true
  const leave = () => {
    if (!isOpen) return
    isOpen = false
    openCount--
    clearInterval(heartbeat)
    onClose()
  }
  /** A reader that does not take even the last words is cut off. */
  const end = (lastWords = '') => {
    leave()
    if (!raw.writableEnded) raw.end(lastWords)
    setTimeout(() => raw.destroy(), 5_000).unref()
  }
  const orgId = request.caller.organization.id
  const token = request.headers.authorization!.replace(/^Bearer +/i, '')
  const bye = () => end('event: bye\ndata: {"reason":"token"}\n\n')
  const recheck = () => {
    recognize(token).then(
      (caller) => (caller.organization.id === orgId && isAllowed(caller) ? write(': still here\n\n') : bye()),
      bye,
    )
  }
  const heartbeat = setInterval(recheck, heartbeatMs)
  raw.on('close', leave)
  return {
    send: (event, data, id) =>
      write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`),
    recheck,
    end: () => end(),
  }
}

/** The first event of a stream. */
export const helloData = JSON.stringify({ heartbeat_seconds: heartbeatMs / 1_000 })
