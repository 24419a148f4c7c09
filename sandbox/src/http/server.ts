import { randomUUID } from 'node:crypto'
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { defaultMaxBodyBytes, parseBody, ReplyError } from './request.ts'
import { isReplyLost } from './apply-fault.ts'

export interface Address {
  host?: string
  port?: number
}

/**
 * A fastify server as every vendor needs it: bodies of any content type as text, no schemas, no log. A `ReplyError` is
 * answered, and any other error closes the connection.
 */
export function openServer({ maxBodyBytes = defaultMaxBodyBytes } = {}) {
  const app = fastify({
    logger: false,
    bodyLimit: maxBodyBytes,
    exposeHeadRoutes: false,
    // As of Node's own server. The default of fastify is 72 seconds, and clients react to the header.
    keepAliveTimeout: 5_000,
    forceCloseConnections: true,
    return503OnClosing: false,
    genReqId: () => randomUUID(),
    // No hook sees a request whose path cannot be decoded.
    frameworkErrors: (_error, _request, reply: FastifyReply) => {
      const body = { error: { code: 'invalid_path', message: 'the path is not readable' } }
      reply
        .code(400)
        .header('content-type', 'application/json')
        .send(Buffer.from(JSON.stringify(body)))
    },
    routerOptions: {
      // Longer than any path can be.
      maxParamLength: 65_536,
      // Handlers that need the query read it with `queryOf`.
      querystringParser: () => ({}),
    },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', parseBody)
  app.setErrorHandler(sendError)
  app.addHook('onRequest', (request, _reply, done) => {
    // fastify refuses a malformed content type before the body is read. The Twilio client sends its type twice.
    const type = request.headers['content-type']
    if (type !== undefined && !wellFormedType.test(type))
      request.headers['content-type'] = 'application/octet-stream'
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    // Without `done` nothing is written: the client sees the connection close.
    if (isReplyLost(request)) return void request.raw.socket.destroy()
    // fastify adds a charset, which the vendors do not send.
    if (reply.getHeader('content-type') === 'application/json; charset=utf-8')
      reply.header('content-type', 'application/json')
    done(null, payload)
  })
  return app

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    if (!(error instanceof ReplyError)) {
      reply.hijack()
      request.raw.destroy()
      return
    }
    if (error.status === 413) reply.header('connection', 'close')
    reply.code(error.status).send(error.body)
  }
}

const wellFormedType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+ *(;|$)/

/** Routes one path by method, and every other method to `otherwise`. */
export function addMethods(
  app: FastifyInstance,
  url: string,
  handlers: Readonly<Record<string, Handler>>,
  otherwise: Handler,
  options: { bodyLimit?: number } = {},
) {
  for (const method of app.supportedMethods)
    app.route({ method, url, handler: handlers[method] ?? otherwise, ...options })
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

/** Listens on 127.0.0.1 by default; port 0 selects a free one. */
export function listen(app: FastifyInstance, { host = '127.0.0.1', port = 0 }: Address): Promise<string> {
  return app.listen({ host, port })
}
