import { atomically, type Scope } from '#db/scope.ts'
import { events } from '#telemetry/log.ts'
import { PaymentsFailure } from '#integrations/payments/payments-failure.ts'
import {
  isFinal,
  type IntentStatus,
  type CallContext,
  type Payments,
  type ProviderPayment,
} from '#integrations/payments/payments.ts'
import { enqueue } from '#queue/job.ts'
import type { Vault } from '#secrets/vault.ts'
import { ConfirmPaid, SettleCancellation } from '#features/reservations/bookings/jobs.ts'
import { notifyChanges } from '#features/messaging/events/changed-records.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'
import { chooseDispute, secondsToNextCheck } from './dispute.ts'
import { secretPlace } from './payment-intent.ts'
import { saveProviderDisputes } from './record-disputes.ts'
import { saveProviderRefunds } from './record-refunds.ts'
import {
  claimIntent,
  closeIntent,
  lockIntentState,
  postponeIntent,
  saveProviderPayment,
  type ClaimedIntent,
} from './queries.ts'
import { mayKeyBeForgotten, retryDelayMs } from './jobs.ts'

export interface PaymentContext {
  readonly payments: Payments
  readonly vault: Vault
}

/**
 * Sends the request of a payment to the provider and saves the resulting state. It can run at any time and repeatedly:
 * requests carry an idempotency key of the row, and a state that was read earlier than the saved one is ignored.
 */
export async function settlePayment(
  scope: Scope,
  { payments, vault }: PaymentContext,
  intentId: string,
): Promise<void> {
  const intent = await claimIntent(scope, intentId)
  if (!intent) return
  if (intent.requested === 'cancel' && intent.provider_reference === null && intent.attempts === 1)
    return await closeUnopened(scope, intent, null)
  try {
    const payment = await callProvider(scope, payments, intent)
    await applyProviderPayment(scope, vault, intent, payment)
  } catch (error) {
    if (!(error instanceof PaymentsFailure)) throw error
    if (!error.isRetryable && intent.provider_reference === null)
      return await closeUnopened(scope, intent, error.reason ?? error.code)
    if (error.code === 'not_accepted')
      events.paymentProviderRejected({ orgId: scope.orgId, intentId, code: error.code })
    const waitMs = error.retryAfterMs ?? retryDelayMs(intent.attempts)
    await postponeIntent(
      scope,
      intentId,
      waitMs,
      error.code === 'spent_key' && intent.provider_reference === null,
    )
  }
}

/** After a failed key, and when the key may be forgotten, an existing payment is looked for first. */
async function callProvider(
  scope: Scope,
  payments: Payments,
  intent: ClaimedIntent,
): Promise<ProviderPayment> {
  const { id, booking_id: bookingId, amount, currency, capture_method: captureMethod } = intent
  const call: CallContext = { traceparent: scope.traceparent }
  if (intent.provider_reference !== null)
    return await performRequest(payments, intent, intent.provider_reference, call)
  const request = {
    ourId: id,
    orgId: scope.orgId,
    bookingId,
    amount,
    currency,
    captureMethod,
    requestedAt: new Date(intent.created_at),
  }
  const isLookedFor = intent.key_number > 1 || mayKeyBeForgotten(intent.age_seconds)
  const existing = isLookedFor ? await payments.findOpened(request, call) : null
  const key = intent.key_number > 1 ? `${id}:${intent.key_number}` : id
  const opened = existing ?? (await payments.open(request, key, call))
  // It was cancelled before it was known whether it had been opened.
  return intent.requested === 'cancel'
    ? await performRequest(payments, intent, opened.reference, call)
    : opened
}

/** Performs the request on a payment that exists at the provider. If it is refused, the current state is returned. */
async function performRequest(
  payments: Payments,
  intent: ClaimedIntent,
  reference: string,
  call: CallContext,
): Promise<ProviderPayment> {
  const { id, requested, currency, capture_amount: amount } = intent
  const payment = await payments.find(reference, call)
  try {
    if (requested === 'cancel' && !isFinal(payment.status) && payment.status !== 'processing')
      return await payments.cancel(reference, `${id}:cancel`, call)
    if (requested === 'capture' && payment.status === 'requires_capture')
      return await payments.capture({ reference, amount, currency }, `${id}:capture:${amount ?? 'all'}`, call)
  } catch (error) {
    if (!(error instanceof PaymentsFailure) || error.code !== 'refused') throw error
    return await payments.find(reference, call)
  }
  return payment
}

async function applyProviderPayment(
  scope: Scope,
  vault: Vault,
  { id, now, age_seconds }: ClaimedIntent,
  payment: ProviderPayment,
): Promise<void> {
  await atomically(scope, async (transaction) => {
    const known = await lockIntentState(transaction, id, now)
    if (!known || (known.is_stale && known.has_secret)) return
    const status = known.is_stale ? known.status : nextStatus(known.status, payment.status)
    const disputes = payment.disputes ?? []
    const dispute = chooseDispute(disputes, known.dispute, now)
    const clientSecret =
      known.has_secret || payment.clientSecret === null
        ? null
        : vault.seal(payment.clientSecret, secretPlace(scope.orgId, id))
    const written = await saveProviderPayment(transaction, {
      id,
      payment,
      status,
      clientSecret,
      seenAt: now,
      nextCheckSeconds: secondsToNextRead(status, age_seconds) ?? secondsToNextCheck(dispute),
    })
    notifyChanges(transaction, { payment_intent: [id] })
    const subject = { accountId: known.account_id, subjectId: id }
    const data = { payment_intent: JSON.parse(written!.json) as object }
    if (status === 'succeeded' && known.status !== 'succeeded') {
      await recordEvents(transaction, [{ type: 'payment.succeeded', ...subject, data }])
      // Refund it if the booking has ended, or confirm a booking that waited for it.
      const next = known.booking_has_ended
        ? SettleCancellation
        : known.booking_is_pending
          ? ConfirmPaid
          : null
      if (next) await enqueue(transaction, next, [{ payload: { bookingId: known.booking_id } }])
    }
    if (payment.failure && payment.failure.attempt !== known.failed_attempt)
      await recordEvents(transaction, [{ type: 'payment.failed', ...subject, data }])
    // After the payment itself: one read can report a payment that was refunded or disputed meanwhile.
    await saveProviderRefunds(transaction, id, known, payment.refunds)
    await saveProviderDisputes(transaction, id, known, disputes, dispute)
  })
}

/** A final status never changes: a late response may be older. */
const nextStatus = (known: IntentStatus, reported: IntentStatus) => (isFinal(known) ? known : reported)

/**
 * When to read an open payment again if no notice arrives: after a tenth of its age, because most guests pay soon and the
 * room is held for them meanwhile.
 */
function secondsToNextRead(status: IntentStatus, ageSeconds: number): number | undefined {
  const most = maxSeconds[status]
  return most && Math.min(most, Math.max(60, ageSeconds / 10))
}

const maxSeconds: Partial<Record<IntentStatus, number>> = {
  requires_payment_method: 3_600,
  requires_confirmation: 3_600,
  requires_action: 600,
  processing: 600,
  requires_capture: 3_600,
}

async function closeUnopened(scope: Scope, { id }: ClaimedIntent, failureCode: string | null): Promise<void> {
  await atomically(scope, async (transaction) => {
    const known = await lockIntentState(transaction, id, new Date(0).toISOString())
    const closed = await closeIntent(transaction, id, failureCode)
    if (!known || !closed) return
    notifyChanges(transaction, { payment_intent: [id] })
    if (failureCode === null) return
    const data = { payment_intent: JSON.parse(closed.json) as object }
    await recordEvents(transaction, [
      { type: 'payment.failed', accountId: known.account_id, subjectId: id, data },
    ])
  })
}
