import { Type } from 'typebox'
import { Id, oneOf, text, Timestamp, word } from '#fields.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { answers, list, lists, nested, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { traceOf } from '#telemetry.ts'
import { findMessage, listMessages } from './queries.ts'
import { readBody } from './read-body.ts'
import { receiveMessage, type Inbox } from './receive-message.ts'
import { replayMessage } from './replay-message.ts'
import { messageStatuses, WebhookMessage, WebhookReceived, WholeWebhookMessage } from './webhook-message.ts'

const tag = 'webhook messages'
const { updated_since: _, ...page } = PageQuery
const query = {
  ...page,
  sort: sortable('received_at'),
  account_id: anyOf(Id),
  channel_target_id: anyOf(Id),
  status: anyOf(oneOf(...messageStatuses)),
  kind: anyOf(word(100)),
  received_from: Type.Optional(Timestamp),
  received_to: Type.Optional(Timestamp),
}

export const webhookMessageRoutes =
  (cursorKey: Buffer): Routes =>
  async (app) => {
    app.get(
      '/webhook-messages',
      { schema: lists(tag, 'webhook_messages', WebhookMessage, query) },
      async (request, reply) => {
        const asked = pageRequest(request, cursorKey, '-received_at')
        const rows = await listMessages(request.scope, request.query, asked)
        return list(request, reply, 'webhook_messages', asked, rows, ({ json }) => json)
      },
    )

    app.get(
      '/webhook-messages/:id',
      { schema: shows(tag, 'webhook_message', WholeWebhookMessage) },
      async (request, reply) => {
        const { json, body, version } = await findMessage(request.scope, request.params.id)
        const value = JSON.stringify(readBody(Buffer.from(body)).value)
        return show(request, reply, 'webhook_message', { json: nested(json, { body: value }), version })
      },
    )

    app.post(
      '/webhook-messages/:id/replay',
      {
        schema: {
          tags: [tag],
          summary: 'Act on a webhook message again',
          description: 'Older than what is known, it changes nothing.',
          params: Type.Object({ id: Id }),
          response: { 201: answers(Type.Object({ webhook_message: WebhookMessage })) },
        },
      },
      (request, reply) =>
        once(request, reply, async (scope) => {
          const { json } = await replayMessage(scope, request.params.id)
          return { status: 201, headers: {}, body: `{"webhook_message":${json}}` }
        }),
    )
  }

/** Where a PMS tells what happens there: no token, but a signature when a secret is configured. */
export const pmsInboxRoutes =
  (inbox: Inbox): Routes =>
  async (app) => {
    // The signature is over the bytes.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) =>
      done(null, bytes),
    )
    // The body is read by us; its schema is for the document.
    const validate = app.validatorCompiler!
    const validatorCompiler: typeof validate = (route) =>
      route.httpPart === 'body' ? () => true : validate(route)
    const schema = {
      tags: ['webhooks'],
      description:
        'The message is kept before this answers. A copy of one that came before has no further effect. The body is one JSON object: `{id, type, timestamp, data}`, or what Channex or Hostaway send.',
      body: Type.Object({}, { additionalProperties: true, description: 'What the PMS tells.' }),
      response: { 200: answers(WebhookReceived) },
    }
    const target = Type.Optional(text(64, 'The channel target that the message is for.'))

    app.post(
      '/webhooks/pms',
      {
        schema: { ...schema, summary: 'A message of a PMS', querystring: Type.Object({ target }) },
        validatorCompiler,
      },
      async (request, reply) => {
        const isTaken = await receiveMessage(inbox, {
          bytes: bytesOf(request.body),
          headers: request.headers,
          targetId: request.query.target,
          traceparent: traceOf(request)?.traceparent ?? null,
          admit: (targetId) => request.countMessage(reply, targetId),
        })
        return isTaken ? reply.send({ received: true }) : reply
      },
    )

    app.post(
      '/webhooks/pms/:targetId',
      {
        schema: {
          ...schema,
          summary: 'A message of the PMS of a channel target',
          params: Type.Object({ targetId: text(64, undefined, 1) }),
        },
        validatorCompiler,
      },
      async (request, reply) => {
        const isTaken = await receiveMessage(inbox, {
          bytes: bytesOf(request.body),
          headers: request.headers,
          targetId: request.params.targetId,
          traceparent: traceOf(request)?.traceparent ?? null,
          admit: (targetId) => request.countMessage(reply, targetId),
        })
        return isTaken ? reply.send({ received: true }) : reply
      },
    )
  }

const bytesOf = (body: unknown) => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))
