import type { IncomingMessage, ServerResponse } from 'node:http'
import { answer, receive } from '../json-http.ts'
import type { Calls } from '../pms/calls.ts'
import { control as controlFaults } from '../pms/control.ts'
import type { Faults } from '../pms/faults.ts'
import type { Deliveries } from './deliveries.ts'
import type { Intent } from './intent.ts'
import { missing, Refusal } from './refusal.ts'
import type { Parts } from './routes.ts'

export type Levers = Parts & { deliveries: Deliveries; faults: Faults; calls: Calls }

type Body = Record<string, unknown>

/** What the guest, their bank and a test do: none of it is Stripe's API. */
export async function control(req: IncomingMessage, res: ServerResponse, levers: Levers) {
  const { deliveries, faults, calls } = levers
  const door = `${req.method} ${req.url?.split('?', 1)[0]?.replace('/_control/', '')}`
  const lever = pulls[door]
  if (lever) return answer(res, 200, lever(levers, await bodyOf(req)))
  switch (door) {
    case 'GET ledger':
      return answer(res, 200, ledgerOf(levers))
    case 'GET webhooks':
      return answer(res, 200, deliveries.read())
    case 'POST webhooks/release':
      await deliveries.release((await bodyOf(req))['order'] ?? 'given')
      return answer(res, 200, deliveries.read())
    default:
      return await controlFaults(req, res, faults, calls)
  }
}

const pulls: Record<string, (levers: Levers, body: Body) => object> = {
  'POST pay': ({ ledger, till }, body) => {
    const method = body['payment_method']
    return till.confirm(intentIn(ledger, body), typeof method === 'string' ? method : 'pm_card_visa')
  },
  'POST authenticate': ({ ledger, till }, body) =>
    till.authenticate(intentIn(ledger, body), body['succeeds'] !== false),
  'POST settle': ({ ledger, till }, body) => till.settle(intentIn(ledger, body), body['succeeds'] !== false),
  'POST refunds': ({ refunds }, body) => {
    refunds.beginAs(body['begin_as'] === 'pending' ? 'pending' : 'succeeded')
    return {}
  },
  'POST refunds/settle': ({ ledger, refunds }, body) => {
    const refund = ledger.refunds.get(String(body['refund']))
    if (!refund) throw missing('refund', String(body['refund']))
    return refunds.settle(refund, body['status'] === 'failed' ? 'failed' : 'succeeded')
  },
  'PUT webhooks': ({ deliveries }, body) => {
    deliveries.set(body)
    return deliveries.read()
  },
}

function intentIn({ intents }: Parts['ledger'], body: Body): Intent {
  const id = String(body['payment_intent'])
  const intent = intents.get(id)
  if (!intent) throw missing('payment_intent', id, 'payment_intent')
  return intent
}

const ledgerOf = ({ ledger }: Levers) => ({
  payment_intents: [...ledger.intents.values()],
  charges: [...ledger.charges.values()],
  refunds: [...ledger.refunds.values()],
  events: [...ledger.events.values()],
})

async function bodyOf(req: IncomingMessage): Promise<Body> {
  const { value, refusal } = await receive(req)
  if (refusal) throw new Refusal(refusal.message, { status: refusal.status })
  return (value ?? {}) as Body
}
