import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HttpError, requireBody } from '../http/request.ts'
import type { Deliveries } from './deliveries.ts'
import { ApiError, missing } from './errors.ts'
import type { Intent } from './intent.ts'
import { addPastPayments } from './past-payments.ts'
import type { PaymentProvider } from './routes.ts'

type Body = Record<string, unknown>

/** What the guest, their bank and a test do, which is no part of Stripe's API. */
export function addPaymentControl(
  app: FastifyInstance,
  { ledger, payments, refunds, disputes }: PaymentProvider,
  deliveries: Deliveries,
) {
  app.post('/pay', (request) => {
    const body = bodyOf(request)
    const method = body['payment_method']
    return payments.confirm(intentIn(body), typeof method === 'string' ? method : 'pm_card_visa')
  })
  app.post('/authenticate', (request) => {
    const body = bodyOf(request)
    return payments.authenticate(intentIn(body), body['succeeds'] !== false)
  })
  app.post('/settle', (request) => {
    const body = bodyOf(request)
    return payments.settle(intentIn(body), body['succeeds'] !== false)
  })
  app.post('/refunds', (request) => {
    refunds.beginAs(bodyOf(request)['begin_as'] === 'pending' ? 'pending' : 'succeeded')
    return {}
  })
  app.post('/refunds/settle', (request) => {
    const body = bodyOf(request)
    const refund = ledger.refunds.get(String(body['refund']))
    if (!refund) throw missing('refund', String(body['refund']))
    return refunds.settle(refund, body['status'] === 'failed' ? 'failed' : 'succeeded')
  })
  app.post('/disputes', (request) => {
    const body = bodyOf(request)
    return disputes.open(intentIn(body), body)
  })
  app.post('/disputes/move', (request) => {
    const body = bodyOf(request)
    const dispute = ledger.disputes.get(String(body['dispute']))
    if (!dispute) throw missing('dispute', String(body['dispute']))
    return disputes.move(dispute, body['status'])
  })
  app.get('/webhooks', () => deliveries.read())
  app.put('/webhooks', (request) => {
    deliveries.set(bodyOf(request))
    return deliveries.read()
  })
  app.post('/webhooks/release', async (request) => {
    await deliveries.release(bodyOf(request)['order'] ?? 'given')
    return deliveries.read()
  })
  app.post('/ledger', (request) => {
    addPastPayments(ledger, bodyOf(request)['payments'])
    return {}
  })
  app.get('/ledger', () => ({
    payment_intents: [...ledger.intents.values()],
    charges: [...ledger.charges.values()],
    refunds: [...ledger.refunds.values()],
    disputes: [...ledger.disputes.values()],
    events: [...ledger.events.values()],
  }))

  function intentIn(body: Body): Intent {
    const id = String(body['payment_intent'])
    const intent = ledger.intents.get(id)
    if (!intent) throw missing('payment_intent', id, 'payment_intent')
    return intent
  }
}

function bodyOf(request: FastifyRequest): Body {
  try {
    return (requireBody(request) ?? {}) as Body
  } catch (error) {
    throw error instanceof HttpError ? new ApiError(error.message, { status: error.status }) : error
  }
}
