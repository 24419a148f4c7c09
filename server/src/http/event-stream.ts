import type { FastifyReply, FastifyRequest } from 'fastify'
import { Unavailable } from '#errors.ts'
import { credentialsOf, type Authenticate } from '#http/authenticate.ts'
import type { Caller } from '#http/routes.ts'
import { streamSlots } from './stream-slots.ts'

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
const maxBufferedBytes = 1_048_576

/**
 * Starts the response. The stream ends when its token expires or the permission is lost. Null when the client has
 * left or asks for the headers only. @throws Unavailable when too many streams are open
 */
export function openEventStream({
  request,
  reply,
  recognize,
  isAllowed,
  onClose,
}: StreamOptions): EventStream | null {
  const { raw } = reply
  const orgId = request.caller.organization.id
  const isHead = request.method === 'HEAD'
  // The client left during authentication, before a listener for its close event existed.
  const hasLeft = raw.destroyed
  if (!isHead && !hasLeft && !streamSlots.take(orgId)) throw new Unavailable('Too many streams are open.')
  reply.hijack()
  if (hasLeft) return null
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  if (isHead) {
    raw.end()
    return null
  }
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
    streamSlots.release(orgId)
    clearInterval(heartbeat)
    onClose()
  }
  /** A client that does not even read the end of the stream is disconnected. */
  const end = (lastWords = '') => {
    leave()
    if (!raw.writableEnded) raw.end(lastWords)
    setTimeout(() => raw.destroy(), 5_000).unref()
  }
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
