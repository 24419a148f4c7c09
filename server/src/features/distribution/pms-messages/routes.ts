import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Id, oneOf, text, Timestamp, identifier } from '#schema/fields.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { jsonText, sendList, listSchema, sendRecord, getSchema } from '#http/replies.ts'
import { withMembers } from '#db/records.ts'
import type { Routes } from '#http/routes.ts'
import { findMessage, listMessages } from './queries.ts'
import { parseBody } from './parse-body.ts'
import { receiveMessage, type InboxContext } from './receive-message.ts'
import { replayMessage } from './replay-message.ts'
import { messageStatuses, WebhookMessage, WebhookReceived, WholeWebhookMessage } from './webhook-message.ts'

const tag = 'webhook messages'
const { updated_since: _, ...pageQuery } = PageQuery
const query = {
  ...pageQuery,
  sort: sortable('received_at'),
  account_id: anyOf(Id),
  channel_target_id: anyOf(Id),
  status: anyOf(oneOf(...messageStatuses)),
  kind: anyOf(identifier(100)),
  received_from: Type.Optional(Timestamp),
  received_to: Type.Optional(Timestamp),
}

export const webhookMessageRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    app.get(
      '/webhook-messages',
      { schema: listSchema(tag, 'webhook_messages', WebhookMessage, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys, '-received_at')
        const rows = await listMessages(request.scope, request.query, page)
        return sendList(request, reply, 'webhook_messages', page, rows, ({ json }) => json)
      },
    )

    app.get(
      '/webhook-messages/:id',
      { schema: getSchema(tag, 'webhook_message', WholeWebhookMessage) },
      async (request, reply) => {
        const { json, body, version } = await findMessage(request.scope, request.params.id)
        const value = JSON.stringify(parseBody(Buffer.from(body)).value)
        return sendRecord(request, reply, 'webhook_message', {
          json: withMembers(json, { body: value }),
          version,
        })
      },
    )

    app.post(
      '/webhook-messages/:id/replay',
      {
        schema: {
          tags: [tag],
          summary: 'Process a webhook message again',
          description: 'Has no effect when a newer revision was applied.',
          params: Type.Object({ id: Id }),
          response: { 201: jsonText(Type.Object({ webhook_message: WebhookMessage })) },
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) => {
          const { json } = await replayMessage(scope, request.params.id)
          return { status: 201, body: `{"webhook_message":${json}}` }
        }),
    )
  }

/** Where a PMS sends its messages: without a token, but signed when a secret is configured. */
export const pmsInboxRoutes =
  (context: InboxContext): Routes =>
  async (app) => {
    // The signature covers the bytes as received.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) =>
      done(null, bytes),
    )
    // parseBody validates the body; its schema is only for the API description.
    const validate = app.validatorCompiler!
    const validatorCompiler: typeof validate = (route) =>
      route.httpPart === 'body' ? () => true : validate(route)
    const schema = {
      tags: ['webhooks'],
      description:
        'The message is stored before the response is sent. Copies of a message have no further effect. The body is one JSON object: `{id, type, timestamp, data}`, or a webhook of Channex or Hostaway.',
      body: Type.Object({}, { additionalProperties: true, description: 'The message of the PMS.' }),
      response: { 200: jsonText(WebhookReceived) },
    }
    const target = Type.Optional(text(64, 'The channel target that the message is for.'))
    const receive = async (request: FastifyRequest, reply: FastifyReply, targetId: string | undefined) => {
      const isAdmitted = await receiveMessage(context, {
        bytes: bytesOf(request.body),
        headers: request.headers,
        targetId,
        traceparent: request.trace?.traceparent ?? null,
        admit: (target) => request.countWebhookMessage(reply, target),
      })
      return isAdmitted ? reply.send({ received: true }) : reply
    }

    app.post(
      '/webhooks/pms',
      {
        schema: { ...schema, summary: 'Receive a message of a PMS', querystring: Type.Object({ target }) },
        validatorCompiler,
      },
      (request, reply) => receive(request, reply, request.query.target),
    )

    app.post(
      '/webhooks/pms/:targetId',
      {
        schema: {
          ...schema,
          summary: 'Receive a message for a channel target',
          params: Type.Object({ targetId: text(64, undefined, 1) }),
        },
        validatorCompiler,
      },
      (request, reply) => receive(request, reply, request.params.targetId),
    )
  }

const bytesOf = (body: unknown) => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))
