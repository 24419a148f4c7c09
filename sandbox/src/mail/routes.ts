import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpError, pathOf } from '../http/request.ts'
import type { Inbox, Message } from './messages.ts'

const page = readFileSync(new URL('./page.html', import.meta.url))
const script = readFileSync(new URL('./page.js', import.meta.url))

/** The page runs only its own script; a mail shown on it runs nothing and loads nothing. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  'img-src data:',
  "frame-src 'self'",
].join('; ')
const mailPolicy =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"

export function addMailRoutes(app: FastifyInstance, inbox: Inbox) {
  app.setNotFoundHandler(notFound)
  app.get('/', (_request, reply) => send(reply, 'text/html; charset=utf-8', page, pagePolicy))
  app.get('/page.js', (_request, reply) => send(reply, 'text/javascript; charset=utf-8', script, pagePolicy))
  app.get('/health', () => ({ status: 'ok' }))
  app.get('/messages', () => ({ messages: inbox.all().map(summaryOf) }))
  app.delete('/messages', (_request, reply) => {
    inbox.clear()
    reply.code(204).send()
  })
  // The address of a partner that accepts every webhook.
  app.post('/webhooks', (_request, reply) => reply.code(204).send())
  app.get('/messages/:id', (request) => ({ message: messageOf(request) }))
  app.get('/messages/:id/html', (request, reply) =>
    send(reply, 'text/html; charset=utf-8', Buffer.from(messageOf(request).html ?? ''), mailPolicy),
  )

  function messageOf(request: FastifyRequest): Message {
    return inbox.find((request.params as { id: string }).id) ?? notFound(request)
  }
}

function notFound(request: FastifyRequest): never {
  throw new HttpError(404, 'not_found', `There is nothing at ${pathOf(request)}.`)
}

const summaryOf = ({ id, channel, from, to, subject, text, at }: Message) => ({
  id,
  channel,
  from,
  to,
  subject,
  preview: (text ?? '').replace(/\s+/g, ' ').slice(0, 140),
  at,
})

function send(reply: FastifyReply, type: string, body: Buffer, contentPolicy: string) {
  return reply
    .headers({ 'content-type': type, 'content-security-policy': contentPolicy, 'cache-control': 'no-store' })
    .send(body)
}
