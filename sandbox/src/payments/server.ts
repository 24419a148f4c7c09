import { openCalls } from '../http/calls.ts'
import { addControlRoutes } from '../http/control-routes.ts'
import { openFaults } from '../http/faults.ts'
import { listen, openServer, type Address } from '../http/server.ts'
import { addPaymentControl } from './control.ts'
import { openDeliveries, openEvents, type Endpoint } from './deliveries.ts'
import { openDisputes } from './disputes.ts'
import { openPaymentStateMachine } from './payment-state-machine.ts'
import { openRefunds } from './refunds.ts'
import { addPaymentRoutes } from './routes.ts'
import { openLedger } from './store.ts'

export type PaymentsOptions = Address & { home?: string | undefined; webhook?: Endpoint | undefined }

/**
 * A payment provider with the API of Stripe, with a ledger of its own.
 *
 * Covers PaymentIntents (create, read, list by time, confirm with the payment methods of the test mode,
 * capture, cancel) in the documented states, refunds (at once, pending, failing later), disputes (read), idempotency keys,
 * errors, the balance, signed webhooks with retries.
 *
 * Leaves out customers, saved methods, real card numbers (a body with one is rejected), evidence of disputes,
 * payouts, search, Connect, webhook endpoints as records (one is configured), limits by account, `expand` but of the charge
 * of a payment.
 */
export async function startPayments({ home, webhook, ...address }: PaymentsOptions = {}) {
  const stopping = new AbortController()
  const ledger = openLedger(home)
  const deliveries = openDeliveries(webhook, stopping.signal)
  const events = openEvents(ledger, deliveries)
  const payments = openPaymentStateMachine(ledger, events)
  const refunds = openRefunds(ledger, events)
  const disputes = openDisputes(ledger, events)
  const provider = { ledger, payments, refunds, disputes, events }
  const faults = openFaults()
  const calls = openCalls()

  const app = openServer()
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('request-id', `req_${request.id}`).header('x-request-id', request.id)
    done()
  })
  app.addHook('preClose', async () => stopping.abort())
  app.addHook('onClose', async () => ledger.close())

  await app.register(
    async (control) => {
      addControlRoutes(control, faults, calls)
      addPaymentControl(control, provider, deliveries)
    },
    { prefix: '/_control' },
  )
  app.get('/health', () => ({ status: 'ok' }))
  addPaymentRoutes(app, provider, { calls, faults, stopping: stopping.signal })

  return {
    url: await listen(app, address),
    /** From now on events are posted there. */
    notify: (endpoint: Endpoint) => deliveries.set(endpoint),
    close: () => app.close(),
  }
}
