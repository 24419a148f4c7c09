import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const graceMs = 3_000

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
