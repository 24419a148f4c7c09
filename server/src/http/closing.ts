import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const graceMs = 5_000
const drainMs = 1_000

/**
 * Lets the server close in time. Browsers open connections ahead of need, and one that has not sent a byte counts
 * as busy: it would hold up a stop for a minute. Requests under way get a few seconds.
 */
export function closeInTime(app: FastifyInstance): void {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', (done) => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    setTimeout(() => app.server.closeAllConnections(), graceMs).unref()
    done()
  })
}

/**
 * Before the server closes: answers go on, and each says that its connection ends with it, so that clients go elsewhere
 * by themselves. A connection that is cut while it is kept would take along the request that is just being sent on it.
 */
export async function drain({ server }: FastifyInstance): Promise<void> {
  server.prependListener('request', (_request, reply) => void reply.setHeader('connection', 'close'))
  const count = () =>
    new Promise<number>((resolve) => server.getConnections((_error, found) => resolve(found ?? 0)))
  const endsAt = performance.now() + drainMs
  while ((await count()) > 0 && performance.now() < endsAt) await sleep(20)
}
