import { atomically, type Scope } from '#db/scope.ts'
import { events } from '#events.ts'
import { PaymentsFailure } from '#outside/payments/payments-failure.ts'
import { isFinal, type IntentStatus } from '#outside/payments/payments-states.ts'
import type { Call, Payments, PaymentTruth } from '#outside/payments/payments.ts'
import { enqueue } from '#queue/job.ts'
import type { Vault } from '#secrets.ts'
import { ConfirmPaid, SettleCancellation } from '../bookings/booking-jobs.ts'
import { recordEvents } from '../events/record-events.ts'
import { placeOf } from './payment-intent.ts'
import { recordRefunds } from './record-refunds.ts'
import {
  claimIntent,
  closeIntent,
  lockKnown,
  putOffIntent,
  writeTruth,
  type ClaimedIntent,
} from './settle-queries.ts'
import { waitBefore } from './waits.ts'

export interface Means {
  readonly payments: Payments
  readonly vault: Vault
}

/**
 * Brings one payment to the provider, or its truth to us. Safe at any time and however often: what is asked carries
 * the key of the row, and what is heard is applied in the order in which it was asked for.
 */
export async function settlePayment(
  scope: Scope,
  { payments, vault }: Means,
  intentId: string,
): Promise<void> {
  const intent = await claimIntent(scope, intentId)
  if (!intent) return
  if (intent.requested === 'cancel' && intent.provider_reference === null && intent.attempts === 1)
    return await close(scope, intent, null)
  try {
    const truth = await bringAbout(scope, payments, intent)
    await apply(scope, vault, intent, truth)
  } catch (error) {
    if (!(error instanceof PaymentsFailure)) throw error
    if (!error.passes && intent.provider_reference === null)
      return await close(scope, intent, error.reason ?? error.code)
    if (error.code === 'not_accepted')
      events.paymentsRefused({ orgId: scope.orgId, intentId, code: error.code })
    const waitMs = error.retryAfterMs ?? waitBefore(intent.attempts)
    await putOffIntent(
      scope,
      intentId,
      waitMs,
      error.code === 'spent_key' && intent.provider_reference === null,
    )
  }
}

/** The provider forgets keys after a day: then, and when a key was spoilt, what was made is looked for first. */
const keyLifeMs = 23 * 3_600_000

async function bringAbout(scope: Scope, payments: Payments, intent: ClaimedIntent): Promise<PaymentTruth> {
  const { id, booking_id: bookingId, amount, currency, capture_method: captureMethod, created_at } = intent
  const call: Call = { traceparent: scope.traceparent }
  if (intent.provider_reference !== null)
    return await carryOut(payments, intent, intent.provider_reference, call)
  const wanted = {
    ourId: id,
    orgId: scope.orgId,
    bookingId,
    amount,
    currency,
    captureMethod,
    askedAt: new Date(created_at),
  }
  const isLate = Date.now() - wanted.askedAt.getTime() > keyLifeMs
  const before = intent.key_number > 1 || isLate ? await payments.findOpened(wanted, call) : null
  return (
    before ?? (await payments.open(wanted, intent.key_number > 1 ? `${id}:${intent.key_number}` : id, call))
  )
}

/** What was asked of a payment that the provider knows; one that cannot be done is answered by the state it is in. */
async function carryOut(
  payments: Payments,
  intent: ClaimedIntent,
  reference: string,
  call: Call,
): Promise<PaymentTruth> {
  const { id, requested, currency, capture_amount: amount } = intent
  const truth = await payments.find(reference, call)
  try {
    if (requested === 'cancel' && !isFinal(truth.status) && truth.status !== 'processing')
      return await payments.cancel(reference, `${id}:cancel`, call)
    if (requested === 'capture' && truth.status === 'requires_capture')
      return await payments.capture({ reference, amount, currency }, `${id}:capture:${amount ?? 'all'}`, call)
  } catch (error) {
    if (!(error instanceof PaymentsFailure) || error.code !== 'refused') throw error
    return await payments.find(reference, call)
  }
  return truth
}

async function apply(
  scope: Scope,
  vault: Vault,
  { id, now }: ClaimedIntent,
  truth: PaymentTruth,
): Promise<void> {
  await atomically(scope, async (transaction) => {
    const known = await lockKnown(transaction, id, now)
    if (!known || (known.is_overtaken && known.has_secret)) return
    const status = known.is_overtaken ? known.status : later(known.status, truth.status)
    const clientSecret =
      known.has_secret || truth.clientSecret === null
        ? null
        : vault.seal(truth.clientSecret, placeOf(scope.orgId, id))
    const written = await writeTruth(transaction, {
      id,
      truth,
      status,
      clientSecret,
      seenAt: now,
      nextLookSeconds: nextLookSeconds[status] ?? null,
    })
    const json = await recordRefunds(transaction, id, known, truth.refunds)
    const subject = { accountId: known.account_id, subjectId: id }
    const data = { payment_intent: JSON.parse(json ?? written!.json) as object }
    if (status === 'succeeded' && known.status !== 'succeeded') {
      await recordEvents(transaction, [{ type: 'payment.succeeded', ...subject, data }])
      // Paid at the last moment for a stay that will not be, or for one that only waited for this.
      const next = known.booking_has_ended
        ? SettleCancellation
        : known.booking_is_pending
          ? ConfirmPaid
          : null
      if (next) await enqueue(transaction, next, [{ payload: { bookingId: known.booking_id } }])
    }
    if (truth.failure && truth.failure.attempt !== known.failed_attempt)
      await recordEvents(transaction, [{ type: 'payment.failed', ...subject, data }])
  })
}

/** Nothing leads back out of an end, whatever an answer says that was on its way for long. */
const later = (known: IntentStatus, heard: IntentStatus) => (isFinal(known) ? known : heard)

/** Notices bring changes at once; these are for when none comes. What waits for a guest is looked up each hour. */
const nextLookSeconds: Partial<Record<IntentStatus, number>> = {
  requires_payment_method: 3_600,
  requires_confirmation: 3_600,
  requires_action: 600,
  processing: 600,
  requires_capture: 3_600,
}

async function close(scope: Scope, { id }: ClaimedIntent, failureCode: string | null): Promise<void> {
  await atomically(scope, async (transaction) => {
    const known = await lockKnown(transaction, id, new Date(0).toISOString())
    const closed = await closeIntent(transaction, id, failureCode)
    if (!known || !closed || failureCode === null) return
    const data = { payment_intent: JSON.parse(closed.json) as object }
    await recordEvents(transaction, [
      { type: 'payment.failed', accountId: known.account_id, subjectId: id, data },
    ])
  })
}
