import Stripe from 'stripe'
import { PaymentsFailure } from './payments-failure.ts'

/** A code of the provider, as the API shows it. */
export const toCode = (code: string) => code.replace(/[^a-z0-9_]/gi, '_').slice(0, 64)

/**
 * Makes a call with an overall time limit, and converts errors of Stripe. The library restarts its own timeout with every
 * byte it receives, so a response that trickles in would never end.
 */
export async function callStripe<T>(timeoutMs: number, call: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    const rejectLate = () =>
      reject(new PaymentsFailure('unreachable', 'The payment provider did not respond in time.'))
    timer = setTimeout(rejectLate, timeoutMs)
  })
  try {
    return await Promise.race([call(), timeout])
  } catch (error) {
    throw error instanceof Stripe.errors.StripeError ? toPaymentsFailure(error) : error
  } finally {
    clearTimeout(timer)
  }
}

function toPaymentsFailure(error: InstanceType<typeof Stripe.errors.StripeError>): PaymentsFailure {
  const { errors } = Stripe
  // Stripe's message can quote the request, so only its code is kept.
  const reason = error.decline_code ?? error.code ?? null
  const isReplayed = error.headers?.['idempotent-replayed'] === 'true'
  if (error instanceof errors.StripeConnectionError)
    return new PaymentsFailure('unreachable', 'The payment provider does not respond.', {
      cause: error.detail,
    })
  if (error instanceof errors.StripeIdempotencyError || (isReplayed && (error.statusCode ?? 0) >= 500))
    return new PaymentsFailure('spent_key', 'The provider has stored a failure for this idempotency key.', {
      reason,
    })
  if (error.statusCode === 409 || error.statusCode === 429)
    return new PaymentsFailure('busy', 'The payment provider asked to try again later.', {
      reason,
      retryAfterMs: parseRetryAfterMs(error.headers?.['retry-after']),
    })
  if (error instanceof errors.StripeAuthenticationError || error instanceof errors.StripePermissionError)
    return new PaymentsFailure('not_accepted', 'The payment provider does not accept PAYMENTS_API_KEY.', {
      reason,
    })
  if (error.statusCode === 404)
    return new PaymentsFailure('missing', 'The provider has no such payment.', { reason })
  if (error.statusCode && error.statusCode < 500)
    return new PaymentsFailure('refused', 'The payment provider rejected the request.', { reason })
  return new PaymentsFailure('unreachable', 'The payment provider failed.', { reason })
}

function parseRetryAfterMs(header: string | undefined): number | null {
  const seconds = Number(header)
  return header !== undefined && Number.isFinite(seconds)
    ? Math.min(Math.max(seconds, 0), 3_600) * 1_000
    : null
}
