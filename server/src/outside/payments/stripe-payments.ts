import Stripe from 'stripe'
import { PaymentsFailure } from './payments-failure.ts'
import { intentStatuses } from './payments-states.ts'
import {
  NotTrusted,
  type Call,
  type Notice,
  type Payments,
  type PaymentTruth,
  type RefundReason,
  type RefundTruth,
} from './payments.ts'
import { fromVendor, toVendor } from './stripe-amounts.ts'
import { inOurWords } from './stripe-failures.ts'

interface Settings {
  /** The provider's own address when it is null. */
  readonly url: string | null
  readonly apiKey: string
  readonly webhookSecrets: readonly string[]
  /** For all that one of our questions needs of the provider. */
  readonly patienceMs?: number
}

const timeoutMs = 10_000
const healthTimeoutMs = 2_000
/** A lookup reads this many pages at most; an intent asked for a minute ago is on the first. */
const mostPages = 20

/** Stripe, or whatever speaks like it, behind its own library. */
export function stripePayments({ url, apiKey, webhookSecrets, patienceMs = 60_000 }: Settings): Payments {
  const stripe = new Stripe(apiKey, {
    ...(url && hostOf(url)),
    timeout: timeoutMs,
    // Our jobs try again, where it is seen and counted, with a key that outlives the process. What the library still
    // repeats once, a connection that was closed, it repeats with that same key.
    maxNetworkRetries: 0,
    telemetry: false,
  })
  const { paymentIntents, refunds, balance } = stripe
  const within = <T>(call: () => Promise<T>) => inOurWords(patienceMs, call)

  const withRefunds = async (intent: Stripe.PaymentIntent, call: Call) =>
    truthOf(
      intent,
      intent.amount_received > 0
        ? (await refunds.list({ payment_intent: intent.id, limit: 100 }, headed(call))).data
        : [],
    )

  return {
    isConfigured: true,

    open: ({ ourId, orgId, bookingId, amount, currency, captureMethod }, key, call) =>
      within(async () =>
        truthOf(
          await paymentIntents.create(
            {
              amount: toVendor(amount, currency),
              currency,
              capture_method: captureMethod,
              metadata: { payment_intent_id: ourId, org_id: orgId, booking_id: bookingId },
            },
            { ...headed(call), idempotencyKey: key },
          ),
        ),
      ),

    find: (reference, call) =>
      within(async () => withRefunds(await paymentIntents.retrieve(reference, {}, headed(call)), call)),

    findOpened: ({ ourId, askedAt }, call) =>
      within(async () => {
        // A clock here that is ahead of theirs must not hide it.
        const since = Math.floor(askedAt.getTime() / 1_000) - 300
        let after: string | undefined
        for (let page = 0; page < mostPages; page++) {
          const { data, has_more } = await paymentIntents.list(
            { created: { gte: since }, limit: 100, ...(after && { starting_after: after }) },
            headed(call),
          )
          const found = data.find(({ metadata }) => metadata?.['payment_intent_id'] === ourId)
          if (found) return await withRefunds(found, call)
          after = data.at(-1)?.id
          if (!has_more || !after) return null
        }
        throw new PaymentsFailure('unreachable', 'There are too many payments to look through.')
      }),

    cancel: (reference, key, call) =>
      within(async () =>
        truthOf(await paymentIntents.cancel(reference, {}, { ...headed(call), idempotencyKey: key })),
      ),

    capture: ({ reference, amount, currency }, key, call) =>
      within(async () =>
        truthOf(
          await paymentIntents.capture(
            reference,
            amount === null ? {} : { amount_to_capture: toVendor(amount, currency) },
            { ...headed(call), idempotencyKey: key },
          ),
        ),
      ),

    refund: ({ ourId, orgId, reference, amount, currency, reason }, key, call) =>
      within(async () =>
        refundTruthOf(
          await refunds.create(
            {
              payment_intent: reference,
              amount: toVendor(amount, currency),
              ...(vendorReasons[reason] && { reason: vendorReasons[reason] }),
              metadata: { payment_refund_id: ourId, org_id: orgId },
            },
            { ...headed(call), idempotencyKey: key },
          ),
        ),
      ),

    async readNotice(body, signature) {
      for (const secret of signature === undefined ? [] : webhookSecrets)
        try {
          return noticeOf(stripe.webhooks.constructEvent(body, signature!, secret))
        } catch (error) {
          if (!(error instanceof Stripe.errors.StripeSignatureVerificationError))
            throw new NotTrusted('It is no event.', error)
        }
      throw new NotTrusted('The signature of the notice is missing, wrong or too old.')
    },

    reachable: () =>
      balance.retrieve({}, { timeout: healthTimeoutMs }).then(
        () => true,
        () => false,
      ),
  }
}

function hostOf(url: string) {
  const { protocol, hostname, port } = new URL(url)
  const scheme = protocol === 'http:' ? ('http' as const) : ('https' as const)
  return { protocol: scheme, host: hostname, port: port || (scheme === 'http' ? 80 : 443) }
}

const headed = ({ traceparent }: Call) => (traceparent ? { headers: { traceparent } } : {})

const vendorReasons: Partial<Record<RefundReason, 'duplicate' | 'fraudulent' | 'requested_by_customer'>> = {
  requested_by_guest: 'requested_by_customer',
  cancellation: 'requested_by_customer',
  duplicate: 'duplicate',
  fraudulent: 'fraudulent',
}

/** @throws PaymentsFailure when what came back is no payment */
function truthOf(intent: Stripe.PaymentIntent, refunds: readonly Stripe.Refund[] = []): PaymentTruth {
  const { id, currency, amount_received: received, client_secret, last_payment_error: failure } = intent
  const status = intentStatuses.find((one) => one === intent.status)
  if (typeof id !== 'string' || status === undefined || !Number.isSafeInteger(received))
    throw new PaymentsFailure('unreachable', 'What the provider answers is no payment.')
  return {
    reference: id,
    status,
    clientSecret: client_secret,
    amountReceived: fromVendor(received, currency),
    failure: failure
      ? {
          code: word(failure.decline_code ?? failure.code ?? 'declined'),
          attempt: failure.charge ?? failure.code ?? 'declined',
        }
      : null,
    refunds: refunds.map(refundTruthOf),
  }
}

const refundStates = ['pending', 'succeeded', 'failed', 'canceled'] as const

function refundTruthOf({
  id,
  amount,
  currency,
  status,
  metadata,
  failure_reason,
}: Stripe.Refund): RefundTruth {
  if (typeof id !== 'string' || !Number.isSafeInteger(amount))
    throw new PaymentsFailure('unreachable', 'What the provider answers is no refund.')
  return {
    reference: id,
    ourId: metadata?.['payment_refund_id'] ?? null,
    amount: fromVendor(amount, currency),
    // What asks the guest for something is on its way too.
    status: refundStates.find((one) => one === status) ?? 'pending',
    failureCode: failure_reason ? word(failure_reason) : null,
  }
}

const word = (code: string) => code.replace(/[^a-z0-9_]/gi, '_').slice(0, 64)

/** @throws when it is no event: whoever knows the secret may still say anything. */
function noticeOf({ id, type, created, data }: Stripe.Event): Notice {
  const object = data.object as { object?: string; id?: string; payment_intent?: unknown; metadata?: object }
  const { payment_intent_id: ourId } = (object.metadata ?? {}) as { payment_intent_id?: unknown }
  const isIntent = object.object === 'payment_intent'
  const reference = isIntent ? object.id : object.payment_intent
  const isTimed = Number.isInteger(created) && created >= 0 && created < 2 ** 32
  if (!isText(id) || !isText(type) || !isTimed) throw new Error('An event has an id, a type and a time.')
  return {
    id,
    type,
    occurredAt: new Date(created * 1_000),
    reference: isText(reference) ? reference : null,
    ourId: isText(ourId) ? ourId : null,
  }
}

/** Text that can be stored. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed()
