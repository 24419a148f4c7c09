import { atomically, type Scope } from '#db/scope.ts'
import { DeliveryError } from '#errors.ts'
import { events } from '#telemetry/log.ts'
import type { Mail } from '#integrations/mail/mail.ts'
import type { Sms } from '#integrations/sms/sms.ts'
import { enqueue } from '#queue/job.ts'
import { parseTraceparent } from '#telemetry/tracing.ts'
import { maxAttempts, retryDelayMs } from './notification.ts'
import {
  claimNotification,
  findLease,
  saveSendResult,
  type ClaimedNotification,
  type SendResult,
} from './send-queries.ts'
import { render } from './render-notification.ts'
import { SendNotification } from './jobs.ts'

export interface SendOptions {
  readonly mail: Mail
  readonly sms: Sms
  /** The address of the console. */
  readonly publicUrl: string
}

/** Longer than any attempt takes, 60 s by mail, so that a killed worker is distinguished from one that still sends. */
const leaseMs = 70_000

/**
 * Makes one attempt. The attempt is counted before it is made, because a worker that is killed may have sent the message.
 * A repeated e-mail has the same Message-ID, and before an SMS is repeated, the provider is asked for the first one.
 */
export async function sendNotification(scope: Scope, options: SendOptions, id: string): Promise<void> {
  const claimed = await claimNotification(scope, id, leaseMs)
  if (!claimed) return await retryAfterLease(scope, id)
  const result = await attempt(options, claimed)
  await saveResult(scope, claimed, result)
}

async function attempt(
  { mail, sms, publicUrl }: SendOptions,
  claimed: ClaimedNotification,
): Promise<SendResult> {
  const { subject, html, text, sms: body } = render(claimed, publicUrl)
  const { id, recipient: to, attempts } = claimed
  try {
    const { providerId } =
      claimed.channel === 'email'
        ? await mail.send({ to, subject, text, html, messageId: `${id}@${new URL(publicUrl).hostname}` })
        : await sms.send({ to, body, sentSince: attempts > 1 ? new Date(claimed.created_at) : null })
    return { status: 'sent', providerId }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    const { code, message, retryable } = error
    if (!retryable || attempts >= maxAttempts) return { status: 'failed', code, message }
    return { status: 'queued', code, message, retryInMs: retryDelayMs(attempts) }
  }
}

async function saveResult(
  scope: Scope,
  { id, kind, channel, attempts }: ClaimedNotification,
  result: SendResult,
) {
  await atomically(scope, async (transaction) => {
    const saved = await saveSendResult(transaction, { id, attempts }, result)
    if (saved && result.retryInMs !== undefined)
      await enqueue(transaction, SendNotification, [
        { payload: { notificationId: id }, afterMs: result.retryInMs },
      ])
  })
  const traceId = parseTraceparent(scope.traceparent)?.traceId
  const facts = { orgId: scope.orgId, traceId, notificationId: id, kind, channel, attempt: attempts }
  if (result.status === 'sent') events.notificationSent(facts)
  else if (result.status === 'queued') events.notificationRetried({ ...facts, code: result.code! })
  else events.notificationFailed({ ...facts, code: result.code! })
}

/**
 * The notification is done, or another worker has it. That worker may have been killed, so the job runs again when its
 * lease is over.
 */
async function retryAfterLease(scope: Scope, id: string): Promise<void> {
  const lease = await findLease(scope, id)
  if (!lease) return
  const { claimed_until: until, is_over: isOver, attempts } = lease
  await atomically(scope, async (transaction) => {
    if (isOver && attempts >= maxAttempts)
      await saveSendResult(
        transaction,
        { id, attempts },
        {
          status: 'failed',
          code: 'interrupted',
          message:
            'The worker was stopped during every attempt, so it is not known whether the message was sent.',
        },
      )
    else
      await enqueue(transaction, SendNotification, [
        { payload: { notificationId: id }, at: isOver ? null : new Date(until!) },
      ])
  })
}
