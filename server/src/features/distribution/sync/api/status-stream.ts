import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '#http/authenticate.ts'
import { helloData, openEventStream } from '#http/event-stream.ts'
import { permissionTable } from '#http/permissions.ts'
import type { StatusHub } from './statuses.ts'

const needed = permissionTable['GET /api/v1/sync/stream']

/** Server-sent events: `hello`, then `sync` with one sync status each. Ends when the token does, or the right to read. */
export function streamSyncs(
  live: StatusHub,
  recognize: Authenticate,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  let unfollow = () => {}
  const stream = openEventStream({
    ...{ request, reply, recognize },
    isAllowed: ({ permissions }) => permissions.has(needed),
    onClose: () => unfollow(),
  })
  if (!stream) return
  unfollow = live.follow(request.caller.organization.id, {
    changed: (status) => stream.send('sync', status),
    ended: stream.end,
    recheck: stream.recheck,
  })
  stream.send('hello', helloData)
}
