import { Type } from 'typebox'
import type { Scope } from '#db/scope.ts'
import { InvalidSignature } from '#errors.ts'
import { jsonText } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { UntrustedEvent, type PaymentEvent, type Payments } from '#integrations/payments/payments.ts'
import { receiveNotice } from './receive-notice.ts'

/** Webhooks of the payment provider: authenticated by a signature over the bytes instead of a token. */
export const paymentNoticeRoutes =
  (services: Pick<Scope, 'database'>, payments: Payments): Routes =>
  async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) =>
      done(null, bytes),
    )
    app.setValidatorCompiler(() => () => true)

    app.post(
      '/webhooks/payments',
      {
        schema: {
          tags: ['webhooks'],
          summary: 'A notice of the payment provider',
          description:
            'Stored before the response. Its content is not applied: the payment is read from the provider, so that duplicates and the order of notices do not matter. Notices about other things are answered and ignored.',
          body: Type.Object({}, { additionalProperties: true, description: 'An event of the provider.' }),
          response: { 200: jsonText(Type.Object({ received: Type.Boolean() })) },
        },
      },
      async (request, reply) => {
        const bytes: unknown = request.body
        const signature = request.headers['stripe-signature']
        const notice = await parseNotice(
          payments,
          Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0),
          signature,
        )
        await receiveNotice({ ...services, traceparent: request.trace?.traceparent ?? null }, notice)
        return reply.send({ received: true })
      },
    )
  }

/** @throws InvalidSignature */
async function parseNotice(
  payments: Payments,
  body: Buffer,
  signature: string | string[] | undefined,
): Promise<PaymentEvent> {
  try {
    return await payments.parseEvent(body, [signature].flat()[0])
  } catch (error) {
    throw error instanceof UntrustedEvent ? new InvalidSignature(error.message) : error
  }
}
