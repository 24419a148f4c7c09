import { pino, type Logger } from 'pino'
import { metrics } from './metrics.ts'
import { shownError } from './shown-error.ts'

/** What happens, one function each: the only place that writes the log. No secret and no guest data goes in. */

let log: Logger = pino({ level: 'silent' })

export function logTo(level: string, process: string): void {
  log = pino(
    {
      level,
      base: { process },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => shownError(error) },
    },
    openLog(),
  )
}

/** What cannot be written, as on a full disk, waits for the next line, and beyond this nobody reads it any more. */
const mostWaitingBytes = 4 * 1_048_576

/** A log that cannot be written is no reason to stop working, nor to hang at the end. */
function openLog() {
  const log = pino.destination({ dest: 1, sync: false, maxLength: mostWaitingBytes })
  const { flushSync } = log
  // At the end of a process the library would try to write what waits until it succeeds.
  log.on('error', () => void (log.flushSync = () => {}))
  log.on('write', () => void (log.flushSync = flushSync))
  return log
}

interface Request {
  requestId: string
  traceId?: string | undefined
  orgId?: string | undefined
  method: string
  route: string
  status: number
  ms: number
  /** The answer has no end of its own. */
  isStream?: boolean
  /** Whoever asked did not wait for the whole answer. */
  wasLeft?: boolean
}

/** Something that happened to a record, after it was committed. */
interface Happened {
  type: string
  orgId: string
  subjectId: string | null
  traceId?: string | undefined
}

interface Delivery {
  orgId: string
  endpointId: string
  eventId: string
  attempt: number
  status: number | null
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
  traceId?: string | undefined
  notificationId: string
  kind: string
  channel: string
  attempt: number
  code?: string
}

interface Job {
  job: string
  jobId: string
  orgId: string
  traceId: string
}

/** The log is named when it is written: it changes when the process begins. */
const happened =
  (sentence: string, level: 'debug' | 'info' | 'warn' = 'info') =>
  (facts: Happened): void => {
    metrics.eventHappened(facts.type)
    log[level](facts, sentence)
  }

export const events = {
  guestErased: (facts: { orgId: string; erasureId: string; bookings: number }) =>
    log.info(facts, 'guest erased'),
  guestsExpired: (facts: { orgId: string; bookings: number }) =>
    log.info(facts, 'guests of long past stays forgotten'),
  sealingKeyMissing: (facts: { key: string; kinds: readonly string[]; values: number }) =>
    log.error(
      facts,
      'a key that sealed stored values is not among SECRET_KEYS: put it back, or they stay closed',
    ),
  started: (facts: object) => log.info(facts, 'started'),
  stopped: () => log.info('stopped'),
  requestAnswered: (facts: Request) => {
    metrics.requestAnswered({ ...facts, ms: facts.isStream ? null : facts.ms })
    log.info(facts, 'request answered')
  },
  requestFailed: ({ error, ...facts }: Partial<Request> & { error: unknown }) =>
    log.error({ ...facts, err: error }, 'request failed'),
  databaseTrouble: (error: Error) => log.warn({ err: error }, 'database trouble'),
  queueTrouble: (error: unknown) => log.error({ err: error }, 'queue trouble'),
  jobFailed: ({ error, ...facts }: Job & { error: unknown }) =>
    log.error({ ...facts, err: error }, 'job failed'),
  bookingCreated: happened('booking created'),
  bookingUpdated: happened('booking updated'),
  bookingCancelled: happened('booking cancelled'),
  bookingConflicted: happened('a booking of a PMS does not fit', 'warn'),
  paymentSucceeded: happened('payment succeeded'),
  paymentFailed: happened('payment failed', 'warn'),
  paymentRefunded: happened('payment refunded'),
  spaceChanged: happened('space changed'),
  unitChanged: happened('unit changed'),
  calendarHeld: happened('nights of an imported calendar are held', 'warn'),
  listingStale: happened('a listing has not been synced for long', 'warn'),
  targetFailing: happened('a target is failing', 'warn'),
  endpointDisabled: happened('a webhook endpoint was switched off', 'warn'),
  identityConflict: happened('a second identity has the e-mail address of a member', 'warn'),
  identityConflictUnsaved: (facts: { orgId: string; error: unknown }) =>
    log.error({ orgId: facts.orgId, err: facts.error }, 'a conflict of identities cannot be reported'),
  syncTold: happened('sync told', 'debug'),
  mediaStored: (facts: { orgId: string; mediaId: string; traceId?: string | undefined }) =>
    log.info(facts, 'media stored'),
  webhookDelivered: (facts: Delivery) => {
    metrics.deliveryEnded('delivered')
    log.info(facts, 'webhook delivered')
  },
  webhookRetried: (facts: Delivery) => {
    metrics.deliveryEnded('retried')
    log.warn(facts, 'webhook will be tried again')
  },
  webhookGivenUp: (facts: Delivery & { isGone: boolean }) => {
    metrics.deliveryEnded(facts.isGone ? 'gone' : 'failed')
    log.error(facts, 'webhook given up')
  },
  limitRefused: (facts: { requestId: string; orgId?: string | undefined; limit: string }) =>
    log.info(facts, 'request refused by a limit'),
  /** Once for each change of the state, not for each request that was let through. */
  limitStoreLost: (error: unknown) => {
    metrics.limitStoreAnswers(false)
    log.error({ err: error }, 'the store of the rate limits does not answer: every request is let through')
  },
  limitStoreBack: () => {
    metrics.limitStoreAnswers(true)
    log.info('the store of the rate limits answers again')
  },
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
  notificationSent: (facts: Message) => {
    metrics.messageEnded(facts.channel, 'sent')
    log.info(facts, 'notification sent')
  },
  notificationRetried: (facts: Message) => {
    metrics.messageEnded(facts.channel, 'retried')
    log.warn(facts, 'notification will be tried again')
  },
  notificationFailed: (facts: Message) => {
    metrics.messageEnded(facts.channel, 'failed')
    log.error(facts, 'notification failed')
  },
  paymentsRefused: (facts: { orgId: string; intentId: string; code: string }) =>
    log.error(facts, 'the payment provider does not accept us'),
  refundRefused: (facts: { orgId: string; refundId: string; code: string }) =>
    log.error(facts, 'the payment provider refuses a refund'),
  identityTrouble: (error: unknown) => log.warn({ err: error }, 'identity provider trouble'),
}
