import { pino, type Logger } from 'pino'
import { metrics } from './metrics.ts'

/** What happens, one function each: the only place that writes the log. No secret and no guest data goes in. */

let log: Logger = pino({ level: 'silent' })

export function logTo(level: string, process: string): void {
  log = pino({ level, base: { process }, timestamp: pino.stdTimeFunctions.isoTime })
}

interface Request {
  requestId: string
  traceId?: string | undefined
  orgId?: string | undefined
  method: string
  route: string
  status: number
  ms: number
}

interface Push {
  orgId: string
  listingId: string
  jobId: string
  attempt: number
  traceId: string
  ms?: number
  code?: string
  message?: string
}

interface Message {
  orgId: string
  notificationId: string
  kind: string
  channel: string
  attempt: number
  code?: string
}

export const events = {
  started: (facts: object) => log.info(facts, 'started'),
  stopped: () => log.info('stopped'),
  requestAnswered: (facts: Request) => {
    metrics.requestAnswered(facts)
    log.info(facts, 'request answered')
  },
  requestFailed: ({ requestId, error }: { requestId: string; error: unknown }) =>
    log.error({ requestId, err: error }, 'request failed'),
  databaseTrouble: (error: Error) => log.warn({ err: error }, 'database trouble'),
  queueTrouble: (error: unknown) => log.error({ err: error }, 'queue trouble'),
  jobFailed: (facts: { job: string; jobId: string; error: unknown }) =>
    log.error({ ...facts, err: facts.error, error: undefined }, 'job failed'),
  pushCompleted: (facts: Push) => {
    metrics.pushEnded('completed')
    log.info(facts, 'push completed')
  },
  pushRetried: (facts: Push) => {
    metrics.pushEnded('retried', facts.code)
    log.warn(facts, 'push will be tried again')
  },
  pushFailed: (facts: Push) => {
    metrics.pushEnded('failed', facts.code)
    log.error(facts, 'push failed')
  },
  targetChanged: (facts: { orgId: string; targetId: string; status: string }) =>
    log.info(facts, 'target changed'),
  unsignedWebhooks: () =>
    log.warn(
      'messages of a PMS are accepted without a signature: set a webhook_secret or PMS_WEBHOOK_SECRETS',
    ),
  webhookUnrouted: (facts: { source: string; kind: string }) =>
    log.warn(facts, 'a message of a PMS names no target'),
  webhookFailed: (facts: { orgId: string; messageId: string; kind: string; error: unknown }) =>
    log.error({ ...facts, err: facts.error, error: undefined }, 'a message of a PMS cannot be processed'),
  bookingsUnheard: (facts: { orgId: string; targetId: string; code: string }) =>
    log.warn(facts, 'a PMS could not be asked for its bookings'),
  bookingUnsaved: (facts: { orgId: string; targetId: string; booking: string; error: unknown }) =>
    log.error({ ...facts, err: facts.error, error: undefined }, 'a booking of a PMS cannot be saved'),
  overdueFound: (count: number) => log.warn({ count }, 'overdue syncs enqueued again'),
  notificationSent: (facts: Message) => log.info(facts, 'notification sent'),
  notificationRetried: (facts: Message) => log.warn(facts, 'notification will be tried again'),
  notificationFailed: (facts: Message) => log.error(facts, 'notification failed'),
  paymentsRefused: (facts: { orgId: string; intentId: string; code: string }) =>
    log.error(facts, 'the payment provider does not accept us'),
  refundRefused: (facts: { orgId: string; refundId: string; code: string }) =>
    log.error(facts, 'the payment provider refuses a refund'),
  identityTrouble: (error: unknown) => log.warn({ err: error }, 'identity provider trouble'),
}
