import Stripe from 'stripe'
import { PaymentsFailure } from './payments-failure.ts'
import {
  intentStatuses,
  UntrustedEvent,
  type CallContext,
  type PaymentEvent,
  type OpenedPayment,
  type Payments,
  type ProviderPayment,
  type RefundReason,
} from './payments.ts'
import { fromStripeAmount, toStripeAmount } from './stripe-amounts.ts'
import { toProviderDispute } from './stripe-disputes.ts'
import { callStripe, toCode } from './stripe-failures.ts'
import { toProviderRefund } from './stripe-refunds.ts'
import { createdSince, listPayments } from './stripe-reversals.ts'

interface StripeOptions {
  /** Null for Stripe itself. */
  readonly url: string | null
  readonly apiKey: string
  readonly webhookSecrets: readonly string[]
  /** The limit for one method of the port, which may make several requests. */
  readonly operationTimeoutMs?: number
}

const requestTimeoutMs = 10_000
const healthTimeoutMs = 2_000
/** A lookup reads at most this many pages; a payment created a minute ago is on the first one. */
const maxPages = 20

/** Payments by Stripe, or by a server with the same API. */
export function stripePayments({
  url,
  apiKey,
  webhookSecrets,
  operationTimeoutMs = 60_000,
}: StripeOptions): Payments {
  const stripe = new Stripe(apiKey, {
    ...(url && serverAt(url)),
    timeout: requestTimeoutMs,
    // Our jobs retry, visibly and with a stored idempotency key. The library still repeats a request once when its
    // connection was closed, with the same key.
    maxNetworkRetries: 0,
    telemetry: false,
  })
  const { paymentIntents, refunds, disputes, balance } = stripe
  const attempt = <T>(call: () => Promise<T>) => callStripe(operationTimeoutMs, call)

  const findPayment = async (reference: string, call: CallContext): Promise<ProviderPayment> => {
    const options = requestOptions(call)
    const intent = await paymentIntents.retrieve(reference, { expand: ['latest_charge'] }, options)
    const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null
    const query = { payment_intent: reference, limit: 100 }
    return {
      ...toProviderPayment(
        intent,
        intent.amount_received > 0 ? (await refunds.list(query, options)).data : [],
      ),
      disputes: charge?.disputed ? (await disputes.list(query, options)).data.map(toProviderDispute) : [],
    }
  }

  return {
    isConfigured: true,

    open: ({ ourId, orgId, bookingId, amount, currency, captureMethod }, key, call) =>
      attempt(async () =>
        toProviderPayment(
          await paymentIntents.create(
            {
              amount: toStripeAmount(amount, currency),
              currency,
              capture_method: captureMethod,
              metadata: { payment_intent_id: ourId, org_id: orgId, booking_id: bookingId },
            },
            { ...requestOptions(call), idempotencyKey: key },
          ),
        ),
      ),

    find: (reference, call) => attempt(() => findPayment(reference, call)),

    findOpened: ({ ourId, requestedAt }, call) =>
      attempt(async () => {
        // Five minutes earlier, because our clock may be ahead of Stripe's.
        const since = Math.floor(requestedAt.getTime() / 1_000) - 300
        let after: string | undefined
        for (let page = 0; page < maxPages; page++) {
          const { data, has_more } = await paymentIntents.list(
            { created: { gte: since }, limit: 100, ...(after && { starting_after: after }) },
            requestOptions(call),
          )
          const found = data.find(({ metadata }) => metadata?.['payment_intent_id'] === ourId)
          if (found) return await findPayment(found.id, call)
          after = data.at(-1)?.id
          if (!has_more || !after) return null
        }
        throw new PaymentsFailure(
          'unreachable',
          `The payment was not among the last ${maxPages * 100} of the provider.`,
        )
      }),

    listOpened: (since, call) =>
      attempt(async () => {
        const found: OpenedPayment[] = []
        for await (const intent of paymentIntents.list(createdSince(since), requestOptions(call))) {
          const { id: reference, status, metadata } = intent
          const { payment_intent_id: ourId, org_id: orgId, booking_id: bookingId } = metadata
          if (ourId && orgId && bookingId && status !== 'canceled')
            found.push({ reference, status, ourId, orgId, bookingId })
        }
        return found
      }),

    listDisputed: (since, call) =>
      attempt(() => listPayments(disputes.list(createdSince(since), requestOptions(call)))),

    listRefunded: (since, call) =>
      attempt(() => listPayments(refunds.list(createdSince(since), requestOptions(call)))),

    cancel: (reference, key, call) =>
      attempt(async () =>
        toProviderPayment(
          await paymentIntents.cancel(reference, {}, { ...requestOptions(call), idempotencyKey: key }),
        ),
      ),

    capture: ({ reference, amount, currency }, key, call) =>
      attempt(async () =>
        toProviderPayment(
          await paymentIntents.capture(
            reference,
            amount === null ? {} : { amount_to_capture: toStripeAmount(amount, currency) },
            { ...requestOptions(call), idempotencyKey: key },
          ),
        ),
      ),

    refund: ({ ourId, orgId, reference, amount, currency, reason }, key, call) =>
      attempt(async () =>
        toProviderRefund(
          await refunds.create(
            {
              payment_intent: reference,
              amount: toStripeAmount(amount, currency),
              ...(stripeReasons[reason] && { reason: stripeReasons[reason] }),
              metadata: { payment_refund_id: ourId, org_id: orgId },
            },
            { ...requestOptions(call), idempotencyKey: key },
          ),
        ),
      ),

    async parseEvent(body, signature) {
      for (const secret of signature === undefined ? [] : webhookSecrets)
        try {
          return toPaymentEvent(stripe.webhooks.constructEvent(body, signature!, secret))
        } catch (error) {
          if (!(error instanceof Stripe.errors.StripeSignatureVerificationError))
            throw new UntrustedEvent('The body is not an event.', error)
        }
      throw new UntrustedEvent('The signature of the event is missing, wrong or too old.')
    },

    isReachable: () =>
      balance.retrieve({}, { timeout: healthTimeoutMs }).then(
        () => true,
        () => false,
      ),
  }
}

function serverAt(url: string) {
  const { protocol, hostname, port, pathname } = new URL(url)
  const scheme = protocol === 'http:' ? ('http' as const) : ('https' as const)
  const httpClient = Stripe.createNodeHttpClient()
  const base = pathname.replace(/\/$/, '')
  if (base) {
    // The library has no option for a path that precedes its own.
    const makeRequest = httpClient.makeRequest.bind(httpClient)
    httpClient.makeRequest = (host, onPort, path, ...others) =>
      makeRequest(host, onPort, base + path, ...others)
  }
  const host = hostname.replace(/^\[|\]$/g, '')
  return { protocol: scheme, host, port: port || (scheme === 'http' ? 80 : 443), httpClient }
}

const requestOptions = ({ traceparent }: CallContext) => (traceparent ? { headers: { traceparent } } : {})

const stripeReasons: Partial<Record<RefundReason, 'duplicate' | 'fraudulent' | 'requested_by_customer'>> = {
  requested_by_guest: 'requested_by_customer',
  cancellation: 'requested_by_customer',
  duplicate: 'duplicate',
  fraudulent: 'fraudulent',
}

/** @throws PaymentsFailure when the response is not a payment */
function toProviderPayment(
  intent: Stripe.PaymentIntent,
  refunds: readonly Stripe.Refund[] = [],
): ProviderPayment {
  const { id, currency, amount_received: received, client_secret, last_payment_error: failure } = intent
  const status = intentStatuses.find((one) => one === intent.status)
  if (typeof id !== 'string' || status === undefined || !Number.isSafeInteger(received))
    throw new PaymentsFailure('unreachable', 'The response of the provider is not a payment.')
  return {
    reference: id,
    status,
    clientSecret: client_secret,
    amountReceived: fromStripeAmount(received, currency),
    failure: failure
      ? {
          code: toCode(failure.decline_code ?? failure.code ?? 'declined'),
          attempt: failure.charge ?? failure.code ?? 'declined',
        }
      : null,
    refunds: refunds.map(toProviderRefund),
    disputes: null,
  }
}

/** @throws when it is not an event: a valid signature does not prove a valid body. */
function toPaymentEvent({ id, type, created, data }: Stripe.Event): PaymentEvent {
  const object = data.object as { object?: string; id?: string; payment_intent?: unknown; metadata?: object }
  const { payment_intent_id: ourId } = (object.metadata ?? {}) as { payment_intent_id?: unknown }
  const isIntent = object.object === 'payment_intent'
  const reference = isIntent ? object.id : object.payment_intent
  const isTimed = Number.isInteger(created) && created >= 0 && created < 2 ** 32
  if (!isText(id) || !isText(type) || !isTimed)
    throw new Error('An event must have an id, a type and a creation time.')
  return {
    id,
    type,
    occurredAt: new Date(created * 1_000),
    reference: isText(reference) ? reference : null,
    ourId: isText(ourId) ? ourId : null,
  }
}

/** Text that PostgreSQL can store. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed()
