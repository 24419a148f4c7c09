import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '#config.ts'
import { sendProblem } from './problems.ts'

type Patience = Config['http']['patience']

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Files come slowly over a telephone: as long as they come, they are waited for. */
    isUpload?: boolean
  }
}

/** A file that brings less than this in the time of a body is not meant to arrive. */
const leastPieceBytes = 16_384

/** What the server itself sees to. It has one time for whole requests, so that is the one of the slowest. */
export const patientServer = ({ headersMs, bodyMs, uploadMs, silenceMs, idleMs }: Patience) => ({
  http: {
    headersTimeout: headersMs,
    requestTimeout: uploadMs + bodyMs,
    connectionsCheckingInterval: Math.ceil(headersMs / 3),
    // A problem document says what is missing; the server itself would answer without a word.
    requireHostHeader: false,
  },
  requestTimeout: uploadMs + bodyMs,
  connectionTimeout: silenceMs,
  keepAliveTimeout: idleMs,
})

/** Ends requests whose body does not come. */
export function waitForBodies(app: FastifyInstance, publicUrl: string, { bodyMs, uploadMs }: Patience): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (mayHaveBody(request)) {
      const { isUpload = false } = request.routeOptions.config
      watch(request, bodyMs, isUpload ? uploadMs : bodyMs, () => giveUp(request, reply, publicUrl))
    }
    done()
  })
}

const mayHaveBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function watch({ raw }: FastifyRequest, pieceMs: number, wholeMs: number, giveUp: () => void): void {
  const { socket } = raw
  let [waitedMs, seenBytes] = [0, socket.bytesRead]
  const look = setInterval(() => {
    waitedMs += pieceMs
    const piece = socket.bytesRead - seenBytes
    seenBytes = socket.bytesRead
    if (!raw.complete && waitedMs < wholeMs && piece >= leastPieceBytes) return
    clearInterval(look)
    if (!raw.complete) giveUp()
  }, pieceMs)
  raw.once('close', () => clearInterval(look))
}

function giveUp(request: FastifyRequest, reply: FastifyReply, publicUrl: string): void {
  const cut = () => request.raw.destroy()
  if (reply.sent) return void cut()
  reply.raw.once('finish', cut)
  void reply.header('connection', 'close')
  void sendProblem(reply, request, publicUrl, {
    code: 'request-timeout',
    detail: 'The body did not arrive in time.',
  })
}
