import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Scope } from '#db/scope.ts'
import { Unavailable } from '#errors.ts'
import { Id, oneOf } from '#fields.ts'
import { answerOnce } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { etagOf } from '#http/preconditions.ts'
import { answers, creates, list, lists, nested, show, shows } from '#http/replies.ts'
import type { Caller, Routes } from '#http/routes.ts'
import { intentStatuses } from '#outside/payments/payments-states.ts'
import type { Payments } from '#outside/payments/payments.ts'
import type { Vault } from '#secrets.ts'
import { awaitProvider, isDone, isOpened } from './await-provider.ts'
import { CaptureInput, PaymentIntent, PaymentIntentInput, placeOf } from './payment-intent.ts'
import { askPayment, findIntent, listIntents, requestOf, type StoredIntent } from './queries.ts'

const tag = 'payments'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at'),
  account_id: anyOf(Id),
}
const intentQuery = {
  ...query,
  booking_id: anyOf(Id),
  status: anyOf(oneOf(...intentStatuses)),
}
const IdParams = Type.Object({ id: Id })
const Shown = answers(Type.Object({ payment_intent: PaymentIntent }))

interface Means {
  readonly cursorKey: Buffer
  readonly vault: Vault
  readonly payments: Payments
}

export const paymentRoutes =
  ({ cursorKey, vault, payments }: Means): Routes =>
  async (app) => {
    /** The record as this caller may see it: what pays it only for who may write. */
    const seenBy = (
      { permissions }: Caller,
      { orgId }: Scope,
      { id, json, client_secret }: Pick<StoredIntent, 'id' | 'json' | 'client_secret'>,
    ) => {
      const isShown = client_secret !== null && permissions.has('payments:write')
      const secret = isShown ? vault.open<string>(client_secret, placeOf(orgId, id)) : null
      return nested(json, { client_secret: JSON.stringify(secret) })
    }
    const refuseWithout = () => {
      if (!payments.isConfigured) throw new Unavailable('No payment provider is configured.')
    }

    app.get(
      '/payment-intents',
      { schema: lists(tag, 'payment_intents', PaymentIntent, intentQuery) },
      async (request, reply) => {
        const page = pageRequest(request, cursorKey)
        const rows = await listIntents(request.scope, request.query, page)
        return list(request, reply, 'payment_intents', page, rows, (row) =>
          seenBy(request.caller, request.scope, row),
        )
      },
    )

    app.get(
      '/payment-intents/:id',
      { schema: shows(tag, 'payment_intent', PaymentIntent) },
      async (request, reply) => {
        const intent = await findIntent(request.scope, request.params.id)
        const json = seenBy(request.caller, request.scope, intent)
        return show(request, reply, 'payment_intent', { json, version: intent.version })
      },
    )

    app.post(
      '/payment-intents',
      {
        schema: {
          ...creates(tag, 'payment_intent', PaymentIntent, PaymentIntentInput),
          description:
            'The provider is called by a worker; the answer waits for it up to two seconds. If it takes longer, `client_secret` and `provider_reference` are null, and the payment is read again. What is open already for the same booking, amount, currency and capture method is answered instead of a second one. A repeated Idempotency-Key is answered with the payment as it is then.',
        },
      },
      async (request, reply) => {
        refuseWithout()
        // Waiting begins when the transaction has ended: before, no worker knows of the payment.
        const { body: id } = await answerOnce(request, reply, async (scope) => ({
          status: 201,
          headers: {},
          body: await askPayment(scope, request.body),
        }))
        const intent = await awaitProvider(request.scope, id, isOpened)
        const json = seenBy(request.caller, request.scope, intent)
        return reply
          .code(201)
          .headers({ etag: etagOf(intent.version, json), location: `/api/v1/payment-intents/${id}` })
          .type('application/json; charset=utf-8')
          .send(`{"payment_intent":${json}}`)
      },
    )

    const actions = (action: 'capture' | 'cancel', summary: string) => ({
      tags: [tag],
      summary,
      description: `The provider is asked by a worker; until it has answered, \`requested\` is \`${action}\`.`,
      params: IdParams,
      acts: true,
      response: { 200: Shown },
    })
    const act = async (
      request: FastifyRequest,
      reply: FastifyReply,
      id: string,
      ask: (scope: Scope) => Promise<void>,
    ) => {
      refuseWithout()
      await answerOnce(request, reply, async (scope) => {
        await ask(scope)
        return { status: 200, headers: {}, body: id }
      })
      const intent = await awaitProvider(request.scope, id, isDone)
      const json = seenBy(request.caller, request.scope, intent)
      return show(request, reply, 'payment_intent', { json, version: intent.version })
    }

    app.post(
      '/payment-intents/:id/capture',
      { schema: { ...actions('capture', 'Take what a payment holds'), body: CaptureInput } },
      (request, reply) =>
        act(request, reply, request.params.id, (scope) =>
          requestOf(scope, request.params.id, 'capture', request.body.amount ?? null),
        ),
    )

    app.post(
      '/payment-intents/:id/cancel',
      { schema: actions('cancel', 'Let a payment go that is not made yet') },
      (request, reply) =>
        act(request, reply, request.params.id, (scope) => requestOf(scope, request.params.id, 'cancel')),
    )
  }
