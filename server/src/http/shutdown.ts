import { Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const graceMs = 5_000
const lastAnswersMs = 300
const drainMs = 1_000
const acceptQueueMs = 2_000
const firstByteMs = 500
const idleTurnMs = 0.5

/**
 * Limits the time that closing takes. Browsers open connections in advance, and one that has sent nothing counts as
 * busy: it would delay the stop by a minute. Active requests get a few seconds. Then `interrupt` ends what they wait for,
 * so that their clients get a problem document instead of a closed connection.
 */
export function limitCloseTime(app: FastifyInstance, interrupt: () => void): void {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const timers: NodeJS.Timeout[] = []
  app.addHook('preClose', async () => {
    // After a pause of this process its timers run before its sockets: what has arrived is read in the next turns.
    await nextTurn()
    await nextTurn()
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    const closeAll = () => app.server.closeAllConnections()
    timers.push(setTimeout(interrupt, graceMs), setTimeout(closeAll, graceMs + lastAnswersMs))
  })
  // After the last request.
  app.addHook('onClose', async () => timers.forEach(clearTimeout))
}

/**
 * Drains the server before it closes. Responses get `Connection: close`, so that clients connect elsewhere; cutting an
 * idle connection could lose a request that is just being sent. Then the server stops listening, and connections that
 * were just accepted may still send their request.
 */
export async function drain({ server }: FastifyInstance): Promise<void> {
  const newConnections = new Set<Socket>()
  server.on('connection', (socket) => newConnections.add(socket))
  server.prependListener('request', (_request, reply) => void reply.setHeader('connection', 'close'))
  const count = () =>
    new Promise<number>((resolve) => server.getConnections((_error, found) => resolve(found ?? 0)))
  const drainDeadline = performance.now() + drainMs
  while ((await count()) > 0 && performance.now() < drainDeadline) await sleep(20)
  await untilAcceptQueueIsEmpty(newConnections)
  Server.prototype.close.call(server)
  const firstByteDeadline = performance.now() + firstByteMs
  const hasSentNothing = (socket: Socket) => !socket.destroyed && socket.bytesRead === 0
  while ([...newConnections].some(hasSentNothing) && performance.now() < firstByteDeadline) await sleep(20)
}

/**
 * Connections in the accept queue are reset when the server stops listening, and each turn of the event loop accepts one.
 * So it stops right after a short turn without a new connection. Later ones are refused, which clients can retry safely.
 */
async function untilAcceptQueueIsEmpty(newConnections: ReadonlySet<Socket>): Promise<void> {
  const deadline = performance.now() + acceptQueueMs
  for (;;) {
    const [startedAt, countBefore] = [performance.now(), newConnections.size]
    await nextTurn()
    const now = performance.now()
    if ((newConnections.size === countBefore && now - startedAt < idleTurnMs) || now > deadline) return
  }
}

/** Resolves when the sockets that are ready have been read. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
