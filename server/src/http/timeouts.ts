import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '#config/config.ts'
import { sendProblem } from './problems.ts'

type Timeouts = Config['http']['timeouts']

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may take longer, because files are uploaded over slow mobile connections. */
    isUpload?: boolean
  }
}

/** An upload that is slower than this in one interval of `bodyMs` is aborted. */
const minBytesPerInterval = 16_384

/** The timeouts of Node's server. It has one limit for all requests, so this is the limit of uploads. */
export const serverTimeouts = ({ headersMs, bodyMs, uploadMs, inactivityMs, idleMs }: Timeouts) => ({
  http: {
    headersTimeout: headersMs,
    requestTimeout: uploadMs + bodyMs,
    connectionsCheckingInterval: Math.ceil(headersMs / 3),
    // Our own check responds with a problem document; Node's response would have no body.
    requireHostHeader: false,
  },
  requestTimeout: uploadMs + bodyMs,
  connectionTimeout: inactivityMs,
  keepAliveTimeout: idleMs,
})

/** Aborts requests whose body does not arrive in time. */
export function enforceBodyTimeouts(
  app: FastifyInstance,
  publicUrl: string,
  { bodyMs, uploadMs }: Timeouts,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (mayHaveBody(request)) {
      const { isUpload = false } = request.routeOptions.config
      watchBody(request, bodyMs, isUpload ? uploadMs : bodyMs, () => sendTimeout(request, reply, publicUrl))
    }
    done()
  })
}

const mayHaveBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function watchBody(
  { raw }: FastifyRequest,
  intervalMs: number,
  maxMs: number,
  rejectSlowRequest: () => void,
): void {
  const { socket } = raw
  let [elapsedMs, readBytes] = [0, socket.bytesRead]
  const timer = setInterval(() => {
    elapsedMs += intervalMs
    const receivedBytes = socket.bytesRead - readBytes
    readBytes = socket.bytesRead
    if (!raw.complete && elapsedMs < maxMs && receivedBytes >= minBytesPerInterval) return
    clearInterval(timer)
    if (!raw.complete) rejectSlowRequest()
  }, intervalMs)
  raw.once('close', () => clearInterval(timer))
}

function sendTimeout(request: FastifyRequest, reply: FastifyReply, publicUrl: string): void {
  const closeConnection = () => request.raw.destroy()
  if (reply.sent) return void closeConnection()
  reply.raw.once('finish', closeConnection)
  void reply.header('connection', 'close')
  void sendProblem(reply, request, publicUrl, {
    code: 'request-timeout',
    detail: 'The body did not arrive in time.',
  })
}
