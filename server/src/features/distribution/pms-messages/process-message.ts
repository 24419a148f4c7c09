import { isConnectionLoss } from '#db/connect.ts'
import { atomically, type Scope } from '#db/scope.ts'
import { DomainError } from '#errors.ts'
import { events } from '#telemetry/log.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import type { NoticeBody } from '#integrations/pms/pms-notice.ts'
import type { PmsDirectory } from '#integrations/pms/pms-provider.ts'
import { enqueue, jobVariant, type JobRun } from '#queue/job.ts'
import { raiseAlerts } from '#features/messaging/alerts/queries.ts'
import { getTargetConnection, type TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { resolveMessageAlert } from './complete-failed.ts'
import { effectFor, type ApplyBookingNotice } from './effects.ts'
import { ProcessMessage, retryDelaysMs } from './jobs.ts'
import { getWaitingMessage, recordAttempt, type WaitingMessage } from './queries.ts'

export interface MessageContext {
  readonly pms: PmsDirectory
  readonly applyNotice: ApplyBookingNotice
}

/** Applies a message once. What fails is retried; after the last retry an alert is raised. */
export async function processMessage(
  scope: Scope,
  context: MessageContext,
  messageId: string,
  body: NoticeBody,
  run: Pick<JobRun, 'reportResponse'>,
): Promise<void> {
  // A message that belongs to no organization is stored and has no effect.
  if (scope.orgId === '') return
  const message = await getWaitingMessage(scope, messageId)
  const target = message && (await getTargetConnection(scope, message.channel_target_id))
  if (!message || !target) return
  try {
    const notice = context.pms.getProvider(message.source).noticeReader.parse(body)
    const occurredAt = message.occurred_at ?? message.received_at
    const effect = effectFor(message.kind, context.applyNotice)
    if (effect) await effect(scope, { target, kind: message.kind, notice, body, occurredAt })
    if (effect === context.applyNotice) run.reportResponse(true)
    await completeMessage(scope, message, effect ? 'processed' : 'ignored')
  } catch (error) {
    if (isConnectionLoss(error)) throw error
    if (error instanceof PmsFailure && error.code === 'timeout') run.reportResponse(false)
    await recordFailure(scope, message, target, body, error as Error)
  }
}

const completeMessage = (scope: Scope, message: WaitingMessage, status: 'processed' | 'ignored') =>
  atomically(scope, async (transaction) => {
    const { id, channel_target_id: targetId, attempts, version } = message
    await recordAttempt(transaction, id, status, null)
    const isFirstAttempt = attempts === 0 && version === 1
    if (!isFirstAttempt) await resolveMessageAlert(transaction, targetId)
  })

const recordFailure = (
  scope: Scope,
  message: WaitingMessage,
  target: TargetConnection,
  body: NoticeBody,
  error: Error,
) =>
  atomically(scope, async (transaction) => {
    const { id, kind, attempts } = message
    const description = describeError(error)
    const delayMs = error instanceof PmsFailure && !error.retryable ? undefined : retryDelaysMs[attempts]
    await recordAttempt(transaction, id, delayMs === undefined ? 'failed' : 'received', description)
    if (delayMs !== undefined) {
      const { retryAfter } = error as { retryAfter?: Date | null }
      const jitteredMs = delayMs * (0.75 + Math.random() / 2)
      const afterMs = Math.max(jitteredMs, (retryAfter?.getTime() ?? 0) - Date.now())
      return await enqueue(transaction, jobVariant(ProcessMessage, kind), [
        { payload: { messageId: id, targetId: target.id, body }, afterMs },
      ])
    }
    events.pmsMessageFailed({ orgId: scope.orgId, messageId: id, kind, error })
    await raiseAlerts(transaction, [
      {
        account_id: target.account_id,
        kind: 'sync.failed',
        channel_target_id: target.id,
        message: `${target.name}: a message of the PMS (${kind}) could not be processed: ${description}`,
        hint: 'Open the message under /api/v1/webhook-messages, fix the cause, and replay the message.',
        details: { webhook_message_id: id },
      },
    ])
  })

/** Other errors are described in the log only, because they may quote a guest. */
const describeError = (error: Error) =>
  error instanceof PmsFailure || error instanceof DomainError
    ? error.message
    : 'An unexpected error occurred. The log of the worker has the details.'
