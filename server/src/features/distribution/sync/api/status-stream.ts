import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '#http/authenticate.ts'
import { permissionTable } from '#http/permissions.ts'
import type { StatusHub } from './status-hub.ts'

const heartbeatMs = 15_000
const needed = permissionTable['GET /api/v1/sync/stream']
const mostStreams = 2_000
const mostBufferedBytes = 1_048_576

/** Server-sent events: `hello`, then `sync` with one sync status each. Ends when the token does, or the right to read. */
export function streamSyncs(
  live: StatusHub,
  recognize: Authenticate,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.hijack()
  const { raw } = reply
  // Gone while it was being recognized: its end has been told already, and would not be told again.
  if (raw.destroyed) return
  const headers = reply.getHeaders() as Record<string, string>
  if (live.followers() >= mostStreams) {
    raw.writeHead(503, { ...headers, 'retry-after': '30', 'content-length': '0' }).end()
    return
  }
  raw.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  const send = (text: string) => {
    if (raw.writableEnded) return
    // A reader that does not keep up is dropped; it comes back and reads the state anew.
    if (raw.writableLength > mostBufferedBytes) raw.destroy()
    else raw.write(text)
  }
  const leave = () => {
    clearInterval(heartbeat)
    unfollow()
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
  const check = () => {
    recognize(token).then(
      ({ organization, permissions }) =>
        organization.id === orgId && permissions.has(needed) ? send(': still here\n\n') : bye(),
      bye,
    )
  }
  const unfollow = live.follow(orgId, {
    changed: (status) => send(`event: sync\ndata: ${status}\n\n`),
    ended: end,
    recheck: check,
  })
  const heartbeat = setInterval(check, heartbeatMs)
  raw.on('close', leave)
  send(`event: hello\ndata: {"heartbeat_seconds":${heartbeatMs / 1_000}}\n\n`)
}
