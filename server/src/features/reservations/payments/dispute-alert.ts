import { isDeepStrictEqual } from 'node:util'
import { sql } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'
import { formatMoney } from '#schema/money.ts'
import { raiseAlerts, resolveAlerts } from '#features/messaging/alerts/queries.ts'
import { alertedUnits, lockPaymentAlerts } from './alerted-units.ts'
import { refundDue } from './cancellation-policy.ts'
import { decisionAlertDays, type Dispute } from './dispute.ts'
import { getEndedBooking } from './ended-booking.ts'

const kind = 'payment.disputed'

/**
 * Keeps one alert for each unit with payments that are disputed, or whose dispute was decided in the last 30 days: lost, or
 * won while the guest of a stay that was cancelled meanwhile is still owed a refund. It is called after each change of a
 * dispute, and of the refunds of such a payment; a new dispute, and one whose status has changed, is notified.
 */
export async function updateDisputeAlert(transaction: Transaction, intentId: string): Promise<void> {
  await lockPaymentAlerts(transaction)
  for (const { unit_id: unitId, found, alerted } of await listDisputes(transaction, intentId)) {
    const disputes: AlertedDispute[] = []
    for (const dispute of found)
      if (dispute.status !== 'won' || (await isRefundOwed(transaction, dispute))) disputes.push(dispute)
    const isNew = (dispute: AlertedDispute) =>
      !alerted.some(
        (known) => known.payment_intent_id === dispute.payment_intent_id && known.status === dispute.status,
      )
    // The alert and its message are about the first one.
    const inOrder = [...disputes.filter(isNew), ...disputes.filter((dispute) => !isNew(dispute))]
    const [latest, ...others] = inOrder
    if (!latest) {
      await resolveAlerts(transaction, kind, { targetId: null, unitId })
      continue
    }
    if (
      alerted.length === inOrder.length &&
      inOrder.every((one) => alerted.some((known) => isDeepStrictEqual(known, named(one))))
    )
      continue
    const more = others.length > 0 ? ` Other disputed payments of the unit: ${others.length}.` : ''
    await raiseAlerts(transaction, [
      {
        account_id: latest.account_id,
        kind,
        unit_id: unitId,
        ...describe(latest, more),
        details: { disputes: inOrder.map(named) },
        isNewCase: isNew(latest),
      },
    ])
  }
}

function describe({ status, amount, currency, arrival, reason, respond_by }: AlertedDispute, more: string) {
  const money = `${formatMoney(amount, currency)} of the payment for the stay from ${arrival}`
  const why = reason.replaceAll('_', ' ')
  // First, because it is all that fits in a line.
  const bank = respond_by === null ? 'The bank' : `Respond by ${respond_by.slice(0, 10)}: the bank`
  const response =
    respond_by === null
      ? 'No response is expected until the bank decides.'
      : 'Respond at the payment provider: without a response the money is lost.'
  switch (status) {
    case 'inquiry':
      return { message: `${bank} of the guest asks about ${money} (${why}).${more}`, hint: response }
    case 'open':
      return {
        message: `${bank} of the guest disputes ${money} (${why}) and has taken it back.${more}`,
        hint: `${response} Until it decides, the payment cannot be refunded.`,
      }
    case 'lost':
      return {
        message: `The dispute about ${money} (${why}) is lost: the money is gone.${more}`,
        hint: `The booking counts it as not paid. Ask the guest for it in another way. The alert closes after ${decisionAlertDays} days.`,
      }
    case 'won':
      return {
        message: `The dispute about ${money} (${why}) is won, but the stay was cancelled meanwhile: the guest is owed a refund.${more}`,
        hint: `Nothing was refunded while the bank decided. Refund the payment by the cancellation policy. The refund closes the alert, else it closes after ${decisionAlertDays} days.`,
      }
  }
}

/** A dispute as the details of the alert name it. */
type NamedDispute = Pick<Dispute, 'status' | 'amount' | 'reason' | 'respond_by'> & {
  readonly payment_intent_id: string
  readonly booking_id: string
  readonly currency: string
}
type AlertedDispute = NamedDispute & {
  readonly account_id: string
  readonly arrival: string
  readonly payment: { readonly amount_received: number; readonly amount_refunded: number }
}

const named = ({
  account_id: _account,
  arrival: _arrival,
  payment: _payment,
  ...rest
}: AlertedDispute): NamedDispute => rest

async function isRefundOwed(transaction: Transaction, { booking_id, payment, currency }: AlertedDispute) {
  const ended = await getEndedBooking(transaction, booking_id)
  return ended !== undefined && refundDue(payment, currency, ended.percent) > 0
}

const listDisputes = (transaction: Transaction, intentId: string) =>
  rows(
    transaction,
    sql<{ unit_id: string; found: AlertedDispute[]; alerted: NamedDispute[] }>`
      select affected.unit_id, affected.alerted, coalesce(disputed.list, '[]') as found
      from (${alertedUnits(transaction, intentId, kind, 'disputes')}) affected
      cross join lateral (
        select jsonb_agg(
          jsonb_build_object('account_id', intent.account_id, 'payment_intent_id', intent.id,
            'booking_id', booking.id, 'arrival', booking.arrival, 'currency', intent.currency,
            'status', intent.dispute -> 'status', 'amount', intent.dispute -> 'amount',
            'reason', intent.dispute -> 'reason', 'respond_by', intent.dispute -> 'respond_by',
            'payment', jsonb_build_object('amount_received', intent.amount_received,
              'amount_refunded', intent.amount_refunded))
          order by intent.created_at desc) as list
        from payment_intents intent
        join bookings booking on booking.org_id = intent.org_id and booking.id = intent.booking_id
        where intent.org_id = ${transaction.orgId}
          and intent.dispute is not null
          and booking.unit_id = affected.unit_id
          and (intent.dispute ->> 'closed_at' is null
            or (intent.dispute ->> 'closed_at')::timestamptz > now() - make_interval(days => ${decisionAlertDays}))
          and (intent.dispute ->> 'status' <> 'won'
            -- A later cancellation refunds it, and so does one during an inquiry, which takes no money.
            or (coalesce(booking.cancelled_at, booking.deleted_at, booking.updated_at)
                < (intent.dispute ->> 'closed_at')::timestamptz
              and exists (
                select 1
                from payment_refunds taken
                where taken.org_id = intent.org_id
                  and taken.payment_intent_id = intent.id
                  and taken.reason = 'dispute')))) disputed`,
  )
