import { Type } from 'typebox'
import { Id, oneOf, identifier } from '#schema/fields.ts'
import { replyIdempotently } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { jsonText, sendList, listSchema, sendRecord, getSchema } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { createTestDelivery, findDelivery, listDeliveries, replayDelivery } from './delivery-queries.ts'
import { findEndpoint } from './queries.ts'
import { replayPeriod } from './replay-period.ts'
import { WebhookDelivery, WebhookReplay, WebhookReplayInput, deliveryStatuses } from './webhook-delivery.ts'

const tag = 'webhook endpoints'
const name = 'webhook_delivery'
const { limit, cursor, org_id } = PageQuery
const query = {
  limit,
  cursor,
  org_id,
  sort: sortable('created_at'),
  event_id: anyOf(Id),
  event_type: anyOf(identifier(64)),
  status: anyOf(oneOf(...deliveryStatuses)),
}
const params = Type.Object({ id: Id })
const delivered = { 201: jsonText(Type.Object({ [name]: WebhookDelivery })) }

export const webhookDeliveryRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) => {
    app.get(
      '/webhook-deliveries',
      {
        schema: listSchema(tag, 'webhook_deliveries', WebhookDelivery, {
          ...query,
          webhook_endpoint_id: anyOf(Id),
        }),
      },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys)
        const rows = await listDeliveries(request.scope, request.query, page)
        return sendList(request, reply, 'webhook_deliveries', page, rows, ({ json }) => json)
      },
    )

    app.get(
      '/webhook-endpoints/:id/deliveries',
      {
        schema: {
          ...listSchema(tag, 'webhook_deliveries', WebhookDelivery, query),
          summary: 'List the deliveries of a webhook endpoint',
          params,
        },
      },
      async (request, reply) => {
        const { scope, query, params } = request
        await findEndpoint(scope, params.id)
        const page = pageRequest(request, cursorKeys)
        const rows = await listDeliveries(scope, { ...query, webhook_endpoint_id: params.id }, page)
        return sendList(request, reply, 'webhook_deliveries', page, rows, ({ json }) => json)
      },
    )

    app.get(
      '/webhook-deliveries/:id',
      { schema: getSchema(tag, name, WebhookDelivery) },
      async (request, reply) =>
        sendRecord(request, reply, name, await findDelivery(request.scope, request.params.id)),
    )

    app.post(
      '/webhook-deliveries/:id/replay',
      {
        schema: {
          ...{ tags: [tag], summary: 'Send a delivery again', params, response: delivered },
          description:
            'Sent at once with the same `webhook-id`, so that the receiver can detect the repetition.',
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) => {
          const { json } = await replayDelivery(scope, request.params.id)
          return { status: 201, body: `{"${name}":${json}}` }
        }),
    )

    app.post(
      '/webhook-endpoints/:id/test',
      {
        schema: {
          ...{ tags: [tag], summary: 'Send a test event to a webhook endpoint', params, response: delivered },
          description:
            'Sends an event of the type `webhook.test` to this endpoint only, whatever types it subscribes to.',
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) => {
          const { json } = await createTestDelivery(scope, request.params.id)
          return { status: 201, body: `{"${name}":${json}}` }
        }),
    )

    app.post(
      '/webhook-endpoints/:id/replay',
      {
        schema: {
          tags: [tag],
          summary: 'Send the events of a period again',
          description:
            'Events of the types that the endpoint subscribes to now, including those that it never received.',
          params,
          body: WebhookReplayInput,
          response: { 201: jsonText(Type.Object({ webhook_replay: WebhookReplay })) },
        },
      },
      (request, reply) =>
        replyIdempotently(request, reply, async (scope) => {
          const { from, to } = request.body
          const queued = await replayPeriod(scope, request.params.id, request.body)
          const replay = { from: new Date(from), to: new Date(to), queued }
          return { status: 201, body: JSON.stringify({ webhook_replay: replay }) }
        }),
    )
  }
