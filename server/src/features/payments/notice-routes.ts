import { Type } from 'typebox'
import type { Scope } from '#db/scope.ts'
import { Unproven } from '#errors.ts'
import { answers } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { NotTrusted, type Notice, type Payments } from '#outside/payments/payments.ts'
import { traceOf } from '#telemetry.ts'
import { takeNotice } from './take-notice.ts'

/** What the payment provider tells by itself: no token, only its signature over the bytes. */
export const paymentNoticeRoutes =
  (stock: Pick<Scope, 'database' | 'outbox'>, payments: Payments): Routes =>
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
            'Kept with its job before this answers. What it says is not applied: the provider is asked, so copies and any order of notices end alike. Notices about anything but our payments are answered, and nothing follows.',
          body: Type.Object({}, { additionalProperties: true, description: 'An event of the provider.' }),
          response: { 200: answers(Type.Object({ received: Type.Boolean() })) },
        },
      },
      async (request, reply) => {
        const bytes: unknown = request.body
        const signature = request.headers['stripe-signature']
        const notice = await read(payments, Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0), signature)
        await takeNotice({ ...stock, traceparent: traceOf(request)?.traceparent ?? null }, notice)
        return reply.send({ received: true })
      },
    )
  }

/** @throws Unproven */
async function read(
  payments: Payments,
  body: Buffer,
  signature: string | string[] | undefined,
): Promise<Notice> {
  try {
    return await payments.readNotice(body, [signature].flat()[0])
  } catch (error) {
    throw error instanceof NotTrusted ? new Unproven(error.message) : error
  }
}
