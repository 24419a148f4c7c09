import type { FastifyReply, FastifyRequest } from 'fastify'
import { credentialsOf, type Authenticate } from '#http/authenticate.ts'
import type { Caller } from '#http/routes.ts'

/** A response of server-sent events. */
export interface EventStream {
  /** Sends an event whose data is JSON text, with the position from which a client continues after a gap. */
  send(event: string, data: string, id?: string): void
  /** Makes the stream check whether the caller may still read. */
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
 * Starts the response. The stream ends when its token expires or the permission is lost. Null when the client has
 * left or asks for the headers only, or when this process has the maximum number of streams.
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
  // The client left during authentication, before a listener for its close event existed.
  if (raw.destroyed) return null
  const headers = reply.getHeaders() as Record<string, string>
  if (openCount >= maxStreams) {
    raw.writeHead(503, { ...headers, 'retry-after': '30', 'content-length': '0' }).end()
    return null
  }
  raw.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  if (request.method === 'HEAD') {
    raw.end()
    return null
  }
  openCount++
  const write = (text: string) => {
    if (raw.writableEnded) return
    // A slow client is disconnected; it reconnects and reads all states again.
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
  /** A client that does not even read the end of the stream is disconnected. */
  const end = (lastWords = '') => {
    leave()
    if (!raw.writableEnded) raw.end(lastWords)
    setTimeout(() => raw.destroy(), 5_000).unref()
  }
  const orgId = request.caller.organization.id
  const credentials = credentialsOf(request)
  const bye = () => end('event: bye\ndata: {"reason":"token"}\n\n')
  const recheck = () => {
    recognize(...credentials).then(
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
