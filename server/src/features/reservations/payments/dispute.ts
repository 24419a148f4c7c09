import { Type, type Static } from 'typebox'
import { disputeStatuses, type ProviderDispute } from '#integrations/payments/payments.ts'
import { Cents, identifier, nullable, oneOf, Timestamp } from '#schema/fields.ts'

/** The dispute of a payment; of several the most urgent one. */
export const Dispute = Type.Object(
  {
    status: oneOf(...disputeStatuses),
    amount: Cents,
    reason: identifier(64),
    respond_by: nullable({ ...Timestamp, description: 'Null when no response is expected.' }),
    closed_at: nullable({ ...Timestamp, description: 'When the bank decided.' }),
  },
  {
    title: 'Dispute',
    description:
      'Answered at the provider. From `open` on, the bank has the money: a refund with the reason `dispute`.',
  },
)
export type Dispute = Static<typeof Dispute>

const byUrgency = ['open', 'inquiry', 'lost', 'won'] as const

/** The dispute that the payment shows. `seenAt` is when it was read from the provider: a dispute that was not closed before was closed then. */
export function chooseDispute(
  disputes: readonly ProviderDispute[],
  known: Dispute | null,
  seenAt: string,
): Dispute | null {
  const [found] = disputes.toSorted((a, b) => byUrgency.indexOf(a.status) - byUrgency.indexOf(b.status))
  if (!found) return known
  const { status, amount, reason, respondBy } = found
  const closedAt = known?.status === status ? known.closed_at : new Date(seenAt).toISOString()
  return {
    status,
    amount,
    reason,
    respond_by: respondBy?.toISOString() ?? null,
    closed_at: isUndecided(status) ? null : closedAt,
  }
}

const isUndecided = (status: Dispute['status']) => status === 'inquiry' || status === 'open'

/** An alert about what the bank decided stays for this long. */
export const decisionAlertDays = 30

/** In how many seconds a disputed payment is read again if no notice arrives; null when its alert has ended. */
export function secondsToNextCheck(dispute: Dispute | null): number | null {
  if (dispute && isUndecided(dispute.status)) return 3_600
  if (!dispute || dispute.closed_at === null) return null
  const alertEndsAt = Date.parse(dispute.closed_at) + decisionAlertDays * 86_400_000
  const seconds = Math.ceil((alertEndsAt - Date.now()) / 1_000)
  return seconds > 0 ? seconds : null
}
