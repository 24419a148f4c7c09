import { atomically, type Scope } from '#db/scope.ts'
import { Undelivered } from '#errors.ts'
import { events } from '#events.ts'
import type { Mail } from '#outside/mail/mail.ts'
import type { Sms } from '#outside/sms/sms.ts'
import { enqueue } from '#queue/job.ts'
import { parseTraceparent } from '#telemetry.ts'
import { mostAttempts, waitMs } from './notification.ts'
import {
  claimNotification,
  heldNotification,
  settleNotification,
  type Claimed,
  type Outcome,
} from './queries.ts'
import { render } from './render.ts'
import { SendNotification } from './send-job.ts'

export interface Means {
  readonly mail: Mail
  readonly sms: Sms
  /** Where the console is. */
  readonly publicUrl: string
  /** Chooses how much of the added wait is taken. */
  readonly chance?: () => number
}

/** Longer than any attempt takes, so that a worker that was killed is told from one that still sends. */
const leaseMs = 20_000

/**
 * One attempt. It is counted before it is made: a worker that is killed in the middle may have sent the message, and
 * the repetition bears the same Message-ID (a mail), or is looked for first (an SMS).
 */
export async function sendNotification(scope: Scope, means: Means, id: string): Promise<void> {
  const claimed = await claimNotification(scope, id, leaseMs)
  if (!claimed) return await leaveOrWait(scope, id)
  const outcome = await attempt(means, claimed)
  await settle(scope, claimed, outcome)
}

async function attempt({ mail, sms, publicUrl, chance }: Means, claimed: Claimed): Promise<Outcome> {
  const { subject, html, text, sms: body } = render(claimed, publicUrl)
  const { id, recipient: to, attempts } = claimed
  try {
    const { providerId } =
      claimed.channel === 'email'
        ? await mail.send({ to, subject, text, html, messageId: `${id}@${new URL(publicUrl).hostname}` })
        : await sms.send({ to, body, triedSince: attempts > 1 ? new Date(claimed.created_at) : null })
    return { status: 'sent', providerId }
  } catch (error) {
    if (!(error instanceof Undelivered)) throw error
    const { code, message, retryable } = error
    if (!retryable || attempts >= mostAttempts) return { status: 'failed', code, message }
    return { status: 'queued', code, message, retryInMs: waitMs(attempts, chance?.()) }
  }
}

async function settle(scope: Scope, { id, kind, channel, attempts }: Claimed, outcome: Outcome) {
  await atomically(scope, async (transaction) => {
    await settleNotification(transaction, id, outcome)
    if (outcome.retryInMs !== undefined)
      await enqueue(transaction, SendNotification, [
        { payload: { notificationId: id }, afterMs: outcome.retryInMs },
      ])
  })
  const traceId = parseTraceparent(scope.traceparent)?.traceId
  const facts = { orgId: scope.orgId, traceId, notificationId: id, kind, channel, attempt: attempts }
  if (outcome.status === 'sent') events.notificationSent(facts)
  else if (outcome.status === 'queued') events.notificationRetried({ ...facts, code: outcome.code! })
  else events.notificationFailed({ ...facts, code: outcome.code! })
}

/** Settled, or in the hands of a worker that may have died: then somebody looks again once its time is over. */
async function leaveOrWait(scope: Scope, id: string): Promise<void> {
  const held = await heldNotification(scope, id)
  if (!held) return
  const { claimed_until: until, is_over: isOver } = held
  await atomically(scope, async (transaction) => {
    if (isOver && held.attempts >= mostAttempts)
      await settleNotification(transaction, id, {
        status: 'failed',
        code: 'interrupted',
        message: 'Workers were stopped at every attempt; it is not known whether one of them arrived.',
      })
    else
      await enqueue(transaction, SendNotification, [
        { payload: { notificationId: id }, at: isOver ? null : new Date(until!) },
      ])
  })
}
