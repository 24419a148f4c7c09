import { Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const graceMs = 5_000
const drainMs = 1_000
const hearMs = 500
const shortTurnMs = 0.5

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
 * Then nobody new is let in, and who has just come is heard first.
 */
export async function drain({ server }: FastifyInstance): Promise<void> {
  const newcomers = new Set<Socket>()
  server.on('connection', (socket) => newcomers.add(socket))
  server.prependListener('request', (_request, reply) => void reply.setHeader('connection', 'close'))
  const count = () =>
    new Promise<number>((resolve) => server.getConnections((_error, found) => resolve(found ?? 0)))
  const drained = performance.now() + drainMs
  while ((await count()) > 0 && performance.now() < drained) await sleep(20)
  await atAnEmptyDoor(newcomers)
  Server.prototype.close.call(server)
  const heard = performance.now() + hearMs
  const isUnheard = (socket: Socket) => !socket.destroyed && socket.bytesRead === 0
  while ([...newcomers].some(isUnheard) && performance.now() < heard) await sleep(20)
}

/**
 * Whoever has connected and was not let in yet is cut when the door closes, and each turn of the event loop lets in one.
 * So it closes right after a turn that was short and let in nobody; who comes later is refused, which is clear to a client.
 */
async function atAnEmptyDoor(newcomers: ReadonlySet<Socket>): Promise<void> {
  const latest = performance.now() + hearMs
  for (;;) {
    const [began, before] = [performance.now(), newcomers.size]
    await new Promise((resolve) => setImmediate(resolve))
    const now = performance.now()
    if ((newcomers.size === before && now - began < shortTurnMs) || now > latest) return
  }
}
