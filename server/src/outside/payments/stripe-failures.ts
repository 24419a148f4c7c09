import Stripe from 'stripe'
import { PaymentsFailure } from './payments-failure.ts'

/**
 * The vendor's errors in our words; what is no error of the vendor stays what it is. The library's time-out begins anew
 * with every byte, so an answer that trickles in is given up here.
 */
export async function inOurWords<T>(patienceMs: number, call: () => Promise<T>): Promise<T> {
  let late: NodeJS.Timeout | undefined
  const giveUp = new Promise<never>((_resolve, reject) => {
    const tooLate = () => reject(new PaymentsFailure('unreachable', 'The payment provider takes too long.'))
    late = setTimeout(tooLate, patienceMs)
  })
  try {
    return await Promise.race([call(), giveUp])
  } catch (error) {
    throw error instanceof Stripe.errors.StripeError ? translated(error) : error
  } finally {
    clearTimeout(late)
  }
}

function translated(error: InstanceType<typeof Stripe.errors.StripeError>): PaymentsFailure {
  const { errors } = Stripe
  // The vendor's message can quote what was sent, so only its code is kept.
  const reason = error.decline_code ?? error.code ?? null
  const cause = undefined
  const isReplayed = error.headers?.['idempotent-replayed'] === 'true'
  if (error instanceof errors.StripeConnectionError)
    return new PaymentsFailure('unreachable', 'The payment provider does not answer.', {
      cause: error.detail,
    })
  if (error instanceof errors.StripeIdempotencyError || (isReplayed && (error.statusCode ?? 0) >= 500))
    return new PaymentsFailure('spent_key', 'The provider has kept a failure under this key.', { reason })
  if (error.statusCode === 409 || error.statusCode === 429)
    return new PaymentsFailure('busy', 'The payment provider asks to be called later.', {
      reason,
      retryAfterMs: waitOf(error.headers?.['retry-after']),
    })
  if (error instanceof errors.StripeAuthenticationError || error instanceof errors.StripePermissionError)
    return new PaymentsFailure('not_accepted', 'The payment provider does not accept PAYMENTS_API_KEY.', {
      reason,
    })
  if (error.statusCode === 404)
    return new PaymentsFailure('missing', 'The provider knows no such payment.', { reason })
  if (error.statusCode && error.statusCode < 500)
    return new PaymentsFailure('refused', 'The payment provider refuses this.', { reason })
  return new PaymentsFailure('unreachable', 'The payment provider failed.', { reason, cause })
}

function waitOf(header: string | undefined): number | null {
  const seconds = Number(header)
  return header !== undefined && Number.isFinite(seconds)
    ? Math.min(Math.max(seconds, 0), 3_600) * 1_000
    : null
}
