import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Scope } from '#db/scope.ts'
import { Unavailable } from '#errors.ts'
import { Id, oneOf } from '#schema/fields.ts'
import { runIdempotently } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import {
  buildEtag,
  jsonText,
  createSchema,
  sendList,
  listSchema,
  sendRecord,
  getSchema,
} from '#http/replies.ts'
import { withMembers } from '#db/records.ts'
import type { Caller, Routes } from '#http/routes.ts'
import { intentStatuses, type Payments } from '#integrations/payments/payments.ts'
import type { Vault } from '#secrets/vault.ts'
import { awaitProvider, hasNoRequest, isOpenedOrCanceled } from './await-provider.ts'
import { CaptureInput, PaymentIntent, PaymentIntentInput, secretPlace } from './payment-intent.ts'
import { createPaymentIntent } from './create-payment-intent.ts'
import { findIntent, listIntents, type StoredIntent } from './queries.ts'
import { requestAction } from './request-action.ts'

const tag = 'payments'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at'),
  account_id: anyOf(Id),
}
const intentQuery = {
  ...query,
  id: anyOf(Id),
  booking_id: anyOf(Id),
  status: anyOf(oneOf(...intentStatuses)),
}
const IdParams = Type.Object({ id: Id })
const Shown = jsonText(Type.Object({ payment_intent: PaymentIntent }))

interface PaymentRouteContext {
  readonly cursorKeys: CursorKeys
  readonly vault: Vault
  readonly payments: Payments
}

export const paymentRoutes =
  ({ cursorKeys, vault, payments }: PaymentRouteContext): Routes =>
  async (app) => {
    /** The client secret is shown only to callers who may write payments. */
    const jsonFor = (
      { permissions }: Caller,
      { orgId }: Scope,
      { id, json, client_secret, dispute }: Pick<StoredIntent, 'id' | 'json' | 'client_secret' | 'dispute'>,
    ) => {
      const showsSecret = client_secret !== null && permissions.has('payments:write')
      const secret = showsSecret ? vault.open<string>(client_secret, secretPlace(orgId, id)) : null
      return withMembers(json, {
        dispute: JSON.stringify(dispute),
        client_secret: JSON.stringify(secret),
      })
    }
    const assertConfigured = () => {
      if (!payments.isConfigured) throw new Unavailable('No payment provider is configured.')
    }

    app.get(
      '/payment-intents',
      { schema: listSchema(tag, 'payment_intents', PaymentIntent, intentQuery) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKeys)
        const rows = await listIntents(request.scope, request.query, page)
        return sendList(request, reply, 'payment_intents', page, rows, (row) =>
          jsonFor(request.caller, request.scope, row),
        )
      },
    )

    app.get(
      '/payment-intents/:id',
      { schema: getSchema(tag, 'payment_intent', PaymentIntent) },
      async (request, reply) => {
        const intent = await findIntent(request.scope, request.params.id)
        const json = jsonFor(request.caller, request.scope, intent)
        return sendRecord(request, reply, 'payment_intent', { json, version: intent.version })
      },
    )

    app.post(
      '/payment-intents',
      {
        schema: {
          ...createSchema(tag, 'payment_intent', PaymentIntent, PaymentIntentInput),
          description:
            'A worker calls the provider; the response waits for it up to two seconds. If it takes longer, `client_secret` and `provider_reference` are null until the payment is read again. An open payment for the same booking, amount, currency and capture method is returned instead of a second one. A repeated Idempotency-Key returns the payment as it is then.',
        },
      },
      async (request, reply) => {
        assertConfigured()
        // Waits after the commit: before it, no worker sees the payment.
        const { body: id } = await runIdempotently(request, reply, async (scope) => ({
          status: 201,
          body: await createPaymentIntent(scope, request.body),
        }))
        const intent = await awaitProvider(request.scope, id, isOpenedOrCanceled)
        const json = jsonFor(request.caller, request.scope, intent)
        return reply
          .code(201)
          .headers({ etag: buildEtag(intent.version, json), location: `/api/v1/payment-intents/${id}` })
          .type('application/json; charset=utf-8')
          .send(`{"payment_intent":${json}}`)
      },
    )

    const actionSchema = (action: 'capture' | 'cancel', summary: string) => ({
      tags: [tag],
      summary,
      description: `A worker requests it from the provider; until the provider answers, \`requested\` is \`${action}\`.`,
      params: IdParams,
      acts: true,
      response: { 200: Shown },
    })
    const requestAndWait = async (
      request: FastifyRequest,
      reply: FastifyReply,
      id: string,
      saveAction: (scope: Scope) => Promise<void>,
    ) => {
      assertConfigured()
      await runIdempotently(request, reply, async (scope) => {
        await saveAction(scope)
        return { status: 200, body: id }
      })
      const intent = await awaitProvider(request.scope, id, hasNoRequest)
      const json = jsonFor(request.caller, request.scope, intent)
      return sendRecord(request, reply, 'payment_intent', { json, version: intent.version })
    }

    app.post(
      '/payment-intents/:id/capture',
      { schema: { ...actionSchema('capture', 'Capture a payment'), body: CaptureInput } },
      (request, reply) =>
        requestAndWait(request, reply, request.params.id, (scope) =>
          requestAction(scope, request.params.id, 'capture', request.body.amount ?? null),
        ),
    )

    app.post(
      '/payment-intents/:id/cancel',
      { schema: actionSchema('cancel', 'Cancel a payment') },
      (request, reply) =>
        requestAndWait(request, reply, request.params.id, (scope) =>
          requestAction(scope, request.params.id, 'cancel'),
        ),
    )
  }
