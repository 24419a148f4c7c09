import { Type } from 'typebox'
import { Id, oneOf, word } from '#fields.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { answers, list, lists, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { addTrial, findDelivery, listDeliveries, replayDelivery } from './delivery-queries.ts'
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
  event_type: anyOf(word(64)),
  status: anyOf(oneOf(...deliveryStatuses)),
}
const params = Type.Object({ id: Id })
const delivered = { 201: answers(Type.Object({ [name]: WebhookDelivery })) }

export const webhookDeliveryRoutes =
  (cursorKey: Buffer): Routes =>
  async (app) => {
    app.get(
      '/webhook-deliveries',
      {
        schema: lists(tag, 'webhook_deliveries', WebhookDelivery, {
          ...query,
          webhook_endpoint_id: anyOf(Id),
        }),
      },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey)
        const rows = await listDeliveries(request.scope, request.query, page)
        return list(request, reply, 'webhook_deliveries', page, rows, ({ json }) => json)
      },
    )

    app.get(
      '/webhook-endpoints/:id/deliveries',
      {
        schema: {
          ...lists(tag, 'webhook_deliveries', WebhookDelivery, query),
          summary: 'List the deliveries of a webhook endpoint',
          params,
        },
      },
      async (request, reply) => {
        const { scope, query, params } = request
        await findEndpoint(scope, params.id)
        const page = pageRequest(request, cursorKey)
        const rows = await listDeliveries(scope, { ...query, webhook_endpoint_id: params.id }, page)
        return list(request, reply, 'webhook_deliveries', page, rows, ({ json }) => json)
      },
    )

    app.get(
      '/webhook-deliveries/:id',
      { schema: shows(tag, name, WebhookDelivery) },
      async (request, reply) =>
        show(request, reply, name, await findDelivery(request.scope, request.params.id)),
    )

    app.post(
      '/webhook-deliveries/:id/replay',
      {
        schema: {
          ...{ tags: [tag], summary: 'Send a delivery again', params, response: delivered },
          description: 'At once, with the same `webhook-id`: a receiver that has it already can tell.',
        },
      },
      (request, reply) =>
        once(request, reply, async (scope) => {
          const { json } = await replayDelivery(scope, request.params.id)
          return { status: 201, headers: {}, body: `{"${name}":${json}}` }
        }),
    )

    app.post(
      '/webhook-endpoints/:id/test',
      {
        schema: {
          ...{ tags: [tag], summary: 'Send a test to a webhook endpoint', params, response: delivered },
          description: 'An event of the type `webhook.test`, for this endpoint only, whatever it wants.',
        },
      },
      (request, reply) =>
        once(request, reply, async (scope) => {
          const { json } = await addTrial(scope, request.params.id)
          return { status: 201, headers: {}, body: `{"${name}":${json}}` }
        }),
    )

    app.post(
      '/webhook-endpoints/:id/replay',
      {
        schema: {
          tags: [tag],
          summary: 'Send the events of a period again',
          description: 'Those that the endpoint wants today; also those that it never got.',
          params,
          body: WebhookReplayInput,
          response: { 201: answers(Type.Object({ webhook_replay: WebhookReplay })) },
        },
      },
      (request, reply) =>
        once(request, reply, async (scope) => {
          const { from, to } = request.body
          const queued = await replayPeriod(scope, request.params.id, request.body)
          const replay = { from, to, queued }
          return { status: 201, headers: {}, body: JSON.stringify({ webhook_replay: replay }) }
        }),
    )
  }
