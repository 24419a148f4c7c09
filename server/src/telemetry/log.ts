import { constants, fstatSync, openSync } from 'node:fs'
import { pino, type Logger } from 'pino'
import { metrics } from './metrics.ts'
import { serializeError } from './serialize-error.ts'

/** The only place that writes the log, one function for each event. No secret and no guest data is logged. */

let log: Logger = pino({ level: 'silent' })

export function startLog(level: string, process: string): void {
  log = pino(
    {
      level,
      base: { process },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => serializeError(error) },
    },
    openDestination(),
  )
}

/** Lines that cannot be written, as on a full disk, are buffered up to this size and then dropped. */
const maxBufferedBytes = 4 * 1_048_576

/** A log that cannot be written neither stops the process nor delays its exit. */
function openDestination() {
  let isExiting = false
  let exitRetries = 10
  const log = pino.destination({
    dest: stdoutDescriptor(),
    sync: false,
    maxLength: maxBufferedBytes,
    // A full pipe is tried again every 100 ms, at the end for a second.
    retryEAGAIN: () => !isExiting || exitRetries-- > 0,
  })
  const { flushSync } = log
  const flushAtExit = () => {
    isExiting = true
    try {
      flushSync.call(log)
    } catch {
      // The pipe is not read.
    }
  }
  log.flushSync = flushAtExit
  // On exit pino retries the buffered lines until they are written, which on a full disk is never.
  log.on('error', () => void (log.flushSync = () => {}))
  log.on('write', () => void (log.flushSync = flushAtExit))
  return log
}

/**
 * A pipe is opened again for this process alone, not blocking: a write to a full pipe would otherwise block a thread for which
 * exit() waits, so that SIGTERM would not end a process whose log is not read.
 */
function stdoutDescriptor(): number {
  try {
    if (fstatSync(1).isFIFO()) return openSync('/dev/stdout', constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    // The pipe belongs to another user, or has no reader.
  }
  return 1
}

interface Request {
  requestId: string
  traceId?: string | undefined
  orgId?: string | undefined
  method: string
  route: string
  status: number
  ms: number
  /** The response is a stream, which ends when the client leaves. */
  isStream?: boolean
  /** The client disconnected before the whole response was sent. */
  wasLeft?: boolean
}

/** A change of a record, logged after its transaction has committed. */
interface RecordEvent {
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
  err?: unknown
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

/** Looks `log` up on each call, because `startLog` replaces it. */
const logRecordEvent =
  (sentence: string, level: 'debug' | 'info' | 'warn' = 'info') =>
  (facts: RecordEvent): void => {
    metrics.eventRecorded(facts.type)
    log[level](facts, sentence)
  }

export const events = {
  guestErased: (facts: { orgId: string; erasureId: string; bookings: number }) =>
    log.info(facts, 'guest erased'),
  guestsExpired: (facts: { orgId: string; bookings: number }) =>
    log.info(facts, 'guests of past stays erased'),
  sealingKeyMissing: (facts: { key: string; kinds: readonly string[]; values: number }) =>
    log.error(
      facts,
      'stored values are sealed with a key that is not in SECRET_KEYS: add it again, or they cannot be opened',
    ),
  started: (facts: object) => log.info(facts, 'started'),
  stopped: () => log.info('stopped'),
  requestAnswered: (facts: Request) => {
    metrics.requestAnswered({ ...facts, ms: facts.isStream ? null : facts.ms })
    log.info(facts, 'request answered')
  },
  requestFailed: ({ error, ...facts }: Partial<Request> & { error: unknown }) =>
    log.error({ ...facts, err: error }, 'request failed'),
  databaseError: (error: Error) => log.warn({ err: error }, 'database error'),
  queueError: (error: unknown) => log.error({ err: error }, 'queue error'),
  taskFailed: (task: string, error: unknown) => log.error({ task, err: error }, 'periodic task failed'),
  jobFailed: ({ error, ...facts }: Omit<Job, 'traceId'> & { traceId?: string; error: unknown }) =>
    log.error({ ...facts, err: error }, 'job failed'),
  bookingCreated: logRecordEvent('booking created'),
  bookingUpdated: logRecordEvent('booking updated'),
  bookingCancelled: logRecordEvent('booking cancelled'),
  bookingConflicted: logRecordEvent('a booking of a PMS conflicts with the inventory', 'warn'),
  paymentSucceeded: logRecordEvent('payment succeeded'),
  paymentFailed: logRecordEvent('payment failed', 'warn'),
  paymentRefunded: logRecordEvent('payment refunded'),
  paymentDisputed: logRecordEvent('payment disputed', 'warn'),
  refundFailed: logRecordEvent('refund failed', 'warn'),
  recordChanged: logRecordEvent('record changed'),
  calendarHeld: logRecordEvent('the removal of imported nights waits for a decision', 'warn'),
  calendarFailing: logRecordEvent('an imported calendar cannot be read', 'warn'),
  listingStale: logRecordEvent('a listing is stale: it has not been synced for a long time', 'warn'),
  targetFailing: logRecordEvent('a target is failing', 'warn'),
  endpointDisabled: logRecordEvent('a webhook endpoint was disabled', 'warn'),
  identityConflict: logRecordEvent('a second identity has the e-mail address of a member', 'warn'),
  identityConflictNotSaved: (facts: { orgId: string; error: unknown }) =>
    log.error({ orgId: facts.orgId, err: facts.error }, 'an identity conflict could not be saved'),
  syncStatusPublished: logRecordEvent('sync status published', 'debug'),
  mediaStored: (facts: { orgId: string; mediaId: string; traceId?: string | undefined }) =>
    log.info(facts, 'media stored'),
  webhookDelivered: (facts: Delivery) => {
    metrics.deliveryEnded('delivered')
    log.info(facts, 'webhook delivered')
  },
  webhookDeliveryRetried: (facts: Delivery) => {
    metrics.deliveryEnded('retried')
    log.warn(facts, 'webhook delivery will be retried')
  },
  webhookDeliveryFailed: (facts: Delivery & { isGone: boolean }) => {
    metrics.deliveryEnded(facts.isGone ? 'gone' : 'failed')
    log.error(facts, 'webhook delivery failed')
  },
  rateLimited: (facts: { requestId: string; orgId?: string | undefined; limit: string }) =>
    log.info(facts, 'request refused by a limit'),
  /** Logged once for each change of the state, not for each request. */
  rateLimitStoreLost: (error: unknown) => {
    metrics.setRateLimitStoreUp(false)
    log.error({ err: error }, 'the store of the rate limits does not respond: every request is let through')
  },
  rateLimitStoreRestored: () => {
    metrics.setRateLimitStoreUp(true)
    log.info('the store of the rate limits responds again')
  },
  pushCompleted: (facts: Push) => {
    metrics.pushEnded('completed')
    log.info(facts, 'push completed')
  },
  pushRetried: (facts: Push) => {
    metrics.pushEnded('retried', facts.code)
    log.warn(facts, 'push will be retried')
  },
  pushFailed: (facts: Push) => {
    metrics.pushEnded('failed', facts.code)
    log.error(facts, 'push failed')
  },
  targetChanged: (facts: { orgId: string; targetId: string; status: string }) =>
    log.info(facts, 'target changed'),
  unsignedMessagesAccepted: () =>
    log.warn(
      'messages of a PMS are accepted without a signature: set a webhook_secret or PMS_WEBHOOK_SECRETS',
    ),
  pmsMessageUnrouted: (facts: { source: string; kind: string }) =>
    log.warn(facts, 'a message of a PMS belongs to no target'),
  pmsMessageFailed: (facts: { orgId: string; messageId: string; kind: string; error: unknown }) =>
    log.error({ ...facts, err: facts.error, error: undefined }, 'a message of a PMS could not be processed'),
  bookingPollFailed: (facts: { orgId: string; targetId: string; code: string }) =>
    log.warn(facts, 'the bookings of a PMS could not be read'),
  bookingSaveFailed: (facts: { orgId: string; targetId: string; booking: string; error: unknown }) =>
    log.error({ ...facts, err: facts.error, error: undefined }, 'a booking of a PMS could not be saved'),
  overdueSyncsRequeued: (count: number) => log.warn({ count }, 'overdue syncs enqueued again'),
  notificationSent: (facts: Message) => {
    metrics.messageEnded(facts.channel, 'sent')
    log.info(facts, 'notification sent')
  },
  notificationRetried: (facts: Message) => {
    metrics.messageEnded(facts.channel, 'retried')
    log.warn(facts, 'notification will be retried')
  },
  notificationFailed: (facts: Message) => {
    metrics.messageEnded(facts.channel, 'failed')
    log.error(facts, 'notification failed')
  },
  paymentProviderRejected: (facts: { orgId: string; intentId: string; code: string }) =>
    log.error(facts, 'the payment provider rejected the call'),
  refundRejected: (facts: { orgId: string; refundId: string; code: string }) =>
    log.error(facts, 'the payment provider rejected a refund'),
  identityProviderError: (error: unknown) =>
    log.warn({ err: error }, 'the identity provider does not respond'),
}
