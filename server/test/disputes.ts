import { sql, type Statement } from '#db/sql.ts'
import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { until } from './linked-units.ts'
import { addStay, askFor, atProvider, intentOf, pay } from './payments.ts'
import type { World } from './world.ts'

export interface Paid {
  booking: { id: string; unitId: string }
  intent: { id: string; provider_reference: string }
}

/** Payments of an organization that a bank disputes; needs workers. */
export function useDisputes(world: World, owner: TestCaller) {
  const addPaid = async (fields: { unitId?: string } = {}): Promise<Paid> => {
    const booking = await addStay(owner, fields)
    const intent = await askFor(owner, booking)
    await pay(world, intent)
    return {
      booking,
      intent: await until(
        () => intentOf(owner, intent),
        ({ status }) => status === 'succeeded',
      ),
    }
  }
  const dispute = ({ intent }: Paid, more: object = {}): Promise<{ id: string }> =>
    atProvider(world, 'POST', 'disputes', { payment_intent: intent.provider_reference, ...more })
  const move = ({ id }: { id: string }, status: string) =>
    atProvider(world, 'POST', 'disputes/move', { dispute: id, status })
  const reaches = ({ intent }: Paid, status: string) =>
    until(
      () => intentOf(owner, intent),
      (seen) => seen.dispute?.status === status,
    )
  const alertsOf = async ({ booking }: Pick<Paid, 'booking'>, caller = owner) =>
    expectStatus(await caller.get(`/api/v1/alerts?kind=payment.disputed&unit_id=${booking.unitId}`), 200)
      .alerts
  const refundsOf = async ({ intent }: Paid) =>
    expectStatus(await owner.get(`/api/v1/refunds?payment_intent_id=${intent.id}`), 200).refunds
  const refund = ({ intent }: Paid, body: object = {}) =>
    owner.post(`/api/v1/payment-intents/${intent.id}/refunds`, body)
  const run = (statement: Statement) =>
    world.resources.database.pipelined({ orgId: world.home.id }, [statement])
  const paidFor = async ({ booking }: Paid) => {
    const [[row]] = (await run(
      sql`select paid_cents::int as paid from bookings where id = ${booking.id}`,
    )) as [[{ paid: number }]]
    return row.paid
  }

  return { addPaid, dispute, move, reaches, alertsOf, refundsOf, refund, run, paidFor }
}
