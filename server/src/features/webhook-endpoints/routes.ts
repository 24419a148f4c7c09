import { Type } from 'typebox'
import type { Scope } from '#db/scope.ts'
import type { Egress } from '#egress.ts'
import { NotFound, semanticError } from '#errors.ts'
import { Id, oneOf } from '#fields.ts'
import { assertRepeats, refuseForeignIdentity } from '#http/echoes.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { changes, created, creates, list, lists, nested, removes, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import type { Vault } from '#secrets.ts'
import {
  addEndpoint,
  changeEndpoint,
  findEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateSecret,
} from './queries.ts'
import {
  WebhookEndpoint,
  WebhookEndpointInput,
  WebhookEndpointPatch,
  completeEndpoint,
  endpointStatuses,
  patched,
  placeOf,
} from './webhook-endpoint.ts'

const tag = 'webhook endpoints'
const name = 'webhook_endpoint'
const path = '/api/v1/webhook-endpoints'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at'),
  account_id: anyOf(Id),
  status: anyOf(oneOf(...endpointStatuses)),
}

interface Means {
  cursorKey: Buffer
  vault: Vault
  egress: Egress
  /** Of one organization. */
  maxEndpoints: number
}

export const webhookEndpointRoutes =
  ({ cursorKey, vault, egress, maxEndpoints }: Means): Routes =>
  async (app) => {
    const hiding = (json: string) => nested(json, { secret: 'null' })
    const showing = (json: string, secret: string) => nested(json, { secret: JSON.stringify(secret) })
    /** The secret may be sent back as it was shown; another one is made by its own route. */
    const assertOwnSecret = async (scope: Scope, id: string, body: object) => {
      if (!('secret' in body) || body.secret === null) return
      const { secret } = await findEndpoint(scope, id)
      assertRepeats({ secret: body.secret }, ['secret'], {
        secret: vault.open<string>(secret, placeOf(scope.orgId, id)),
      })
    }
    /** The answer to a repeated POST: it was kept without the secret, which only the endpoint has, sealed. */
    const whole = async (scope: Scope, kept: string) => {
      const { id } = JSON.parse(kept) as { id: string }
      const json = await findEndpoint(scope, id).then(
        ({ secret }) => showing(kept, vault.open<string>(secret, placeOf(scope.orgId, id))),
        (error: unknown) => {
          if (error instanceof NotFound) return hiding(kept)
          throw error
        },
      )
      return `{"${name}":${json}}`
    }
    /** @throws Invalid when we would not call the address. */
    const refuseAddress = (url: string) => {
      const refusal = egress.refusal(url)
      if (refusal) throw semanticError('url', refusal, 'address_refused')
    }

    app.get(
      '/webhook-endpoints',
      { schema: lists(tag, 'webhook_endpoints', WebhookEndpoint, query) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey)
        const rows = await listEndpoints(request.scope, request.query, page)
        return list(request, reply, 'webhook_endpoints', page, rows, ({ json }) => hiding(json))
      },
    )

    app.get(
      '/webhook-endpoints/:id',
      { schema: shows(tag, name, WebhookEndpoint) },
      async (request, reply) => {
        const { json, version } = await findEndpoint(request.scope, request.params.id)
        return show(request, reply, name, { json: hiding(json), version })
      },
    )

    app.post(
      '/webhook-endpoints',
      { schema: creates(tag, name, WebhookEndpoint, WebhookEndpointInput) },
      (request, reply) =>
        once(
          request,
          reply,
          async (scope) => {
            refuseForeignIdentity(scope, request.body)
            assertRepeats({ ...request.body }, ['secret'])
            refuseAddress(request.body.url)
            const fields = completeEndpoint(request.body)
            const { id, secret, json, version } = await addEndpoint(scope, vault, fields, maxEndpoints)
            const answer = created(name, path, id, { json: showing(json, secret), version })
            return { ...answer, kept: json }
          },
          whole,
        ),
    )

    app.put(
      '/webhook-endpoints/:id',
      { schema: changes(tag, name, WebhookEndpoint, WebhookEndpointInput) },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        refuseForeignIdentity(scope, body, params.id)
        await assertOwnSecret(scope, params.id, body)
        const { json, version } = await changeEndpoint(scope, params.id, headers['if-match'], () => {
          refuseAddress(body.url)
          return completeEndpoint(body)
        })
        return show(request, reply, name, { json: hiding(json), version })
      },
    )

    app.patch(
      '/webhook-endpoints/:id',
      {
        schema: changes(
          tag,
          name,
          WebhookEndpoint,
          WebhookEndpointPatch,
          'Change parts of a webhook endpoint',
        ),
      },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        refuseForeignIdentity(scope, body, params.id)
        await assertOwnSecret(scope, params.id, body)
        const { json, version } = await changeEndpoint(scope, params.id, headers['if-match'], (current) => {
          if (body.url !== undefined) refuseAddress(body.url)
          return patched(current, body)
        })
        return show(request, reply, name, { json: hiding(json), version })
      },
    )

    app.delete(
      '/webhook-endpoints/:id',
      { schema: removes(tag, name) },
      async ({ scope, params, headers }, reply) => {
        await removeEndpoint(scope, params.id, headers['if-match'])
        return reply.code(204).send()
      },
    )

    app.post(
      '/webhook-endpoints/:id/secret',
      {
        schema: {
          tags: [tag],
          summary: 'Give a webhook endpoint another secret',
          description: 'For a day both sign: the receiver can change over without losing an event.',
          params: Type.Object({ id: Id }),
          response: creates(tag, name, WebhookEndpoint, WebhookEndpointInput).response,
        },
      },
      (request, reply) =>
        once(
          request,
          reply,
          async (scope) => {
            const { secret, json } = await rotateSecret(scope, vault, request.params.id)
            return { status: 201, headers: {}, body: `{"${name}":${showing(json, secret)}}`, kept: json }
          },
          whole,
        ),
    )
  }
