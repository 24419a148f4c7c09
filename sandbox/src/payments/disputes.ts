import type { Events } from './deliveries.ts'
import { ApiError, unexpectedState } from './errors.ts'
import { newId, type Intent } from './intent.ts'
import type { Dispute, DisputeStatus, Ledger } from './store.ts'

export type Disputes = ReturnType<typeof openDisputes>

const statuses: readonly string[] = [
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'needs_response',
  'under_review',
  'won',
  'lost',
] satisfies DisputeStatus[]

const isInquiry = (status: DisputeStatus) => status.startsWith('warning_')
const isClosed = (status: DisputeStatus) => ['won', 'lost', 'warning_closed'].includes(status)

/** Whether the bank has taken the money: during a dispute and after a lost one, but not for an inquiry. */
export const isWithdrawn = ({ status }: Dispute) => !isInquiry(status) && status !== 'won'

/** The bank of a guest disputes a charge, or asks about it, and decides later. */
export function openDisputes(ledger: Ledger, events: Events) {
  return {
    /** `amount`, `reason`, `status` and `due_by`, in seconds since 1970, have defaults. */
    open(intent: Intent, given: Record<string, unknown>): Dispute {
      const charge = intent.latest_charge === null ? undefined : ledger.charges.get(intent.latest_charge)
      if (intent.status !== 'succeeded' || !charge)
        throw unexpectedState('This PaymentIntent does not have a successful charge to dispute.', intent)
      const created = Math.floor(Date.now() / 1_000)
      const dispute: Dispute = {
        id: newId('dp'),
        object: 'dispute',
        amount: Number(given['amount'] ?? charge.amount_captured),
        charge: charge.id,
        created,
        currency: intent.currency,
        evidence_details: {
          due_by: Number(given['due_by'] ?? created + 7 * 86_400),
          has_evidence: false,
          past_due: false,
          submission_count: 0,
        },
        is_charge_refundable: false,
        livemode: false,
        metadata: {},
        payment_intent: intent.id,
        reason: typeof given['reason'] === 'string' ? given['reason'] : 'fraudulent',
        status: statusOf(given['status'] ?? 'needs_response'),
      }
      ledger.write({ charge: { ...charge, disputed: true } })
      const opened = write(dispute)
      events.publish('charge.dispute.created', opened)
      if (isWithdrawn(opened)) events.publish('charge.dispute.funds_withdrawn', opened)
      return opened
    },

    /** Evidence was submitted, an inquiry became a dispute, or the bank has decided. */
    move(before: Dispute, status: unknown): Dispute {
      const moved = write({ ...before, status: statusOf(status) })
      events.publish(isClosed(moved.status) ? 'charge.dispute.closed' : 'charge.dispute.updated', moved)
      if (isWithdrawn(moved) !== isWithdrawn(before))
        events.publish(`charge.dispute.funds_${isWithdrawn(moved) ? 'withdrawn' : 'reinstated'}`, moved)
      return moved
    },
  }

  function write(dispute: Dispute): Dispute {
    const written = { ...dispute, is_charge_refundable: !isWithdrawn(dispute) }
    ledger.write({ dispute: written })
    return written
  }
}

function statusOf(given: unknown): DisputeStatus {
  if (!statuses.includes(String(given)))
    throw new ApiError(`status is one of ${statuses.join(', ')}`, { param: 'status' })
  return given as DisputeStatus
}
