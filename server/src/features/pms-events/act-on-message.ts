import { isConnectionLoss } from '#db/connect.ts'
import { atomically, type Scope } from '#db/scope.ts'
import { Failure } from '#errors.ts'
import { events } from '#events.ts'
import { PmsFailure } from '#outside/pms/pms-failure.ts'
import type { NoticeBody } from '#outside/pms/pms-notice.ts'
import type { PmsDirectory } from '#outside/pms/pms.ts'
import { enqueue, oneOfThem, type Run } from '#queue/job.ts'
import { raiseAlerts, resolveAlerts } from '../alerts/queries.ts'
import { lookForTarget, type TargetConnection } from '../channel-targets/queries.ts'
import type { ApplyNotice } from './booking-notice.ts'
import { effectOf } from './effects.ts'
import { ActOnMessage } from './message-jobs.ts'
import { hasFailed, lookForWaiting, settleMessage, type MessageToActOn } from './queries.ts'
import { waitsMs } from './webhook-message.ts'

export interface Acting {
  readonly pms: PmsDirectory
  readonly applyNotice: ApplyNotice
}

/** Does what a message asks for, once; what cannot be done is tried again, and at last a person hears of it. */
export async function actOnMessage(
  scope: Scope,
  acting: Acting,
  messageId: string,
  body: NoticeBody,
  run: Pick<Run, 'reportAnswer'>,
): Promise<void> {
  // What belongs to no organization is kept, and nobody's stock is touched.
  if (scope.orgId === '') return
  const message = await lookForWaiting(scope, messageId)
  const target = message && (await lookForTarget(scope, message.channel_target_id))
  if (!message || !target) return
  try {
    const notice = acting.pms.provider(message.source).notices.read(body)
    const occurredAt = message.occurred_at ?? message.received_at
    const effect = effectOf(message.kind, acting.applyNotice)
    if (effect) await effect(scope, { target, kind: message.kind, notice, body, occurredAt })
    if (effect === acting.applyNotice) run.reportAnswer(true)
    await settle(scope, message, effect ? 'processed' : 'ignored')
  } catch (error) {
    if (isConnectionLoss(error)) throw error
    if (error instanceof PmsFailure && error.code === 'timeout') run.reportAnswer(false)
    await settleFailure(scope, message, target, body, error as Error)
  }
}

const settle = (scope: Scope, message: MessageToActOn, status: 'processed' | 'ignored') =>
  atomically(scope, async (transaction) => {
    const { id, channel_target_id: targetId, attempts, version } = message
    await settleMessage(transaction, id, status, null)
    const isFirst = attempts === 0 && version === 1
    if (!isFirst && !(await hasFailed(transaction, targetId)))
      await resolveAlerts(transaction, 'sync.failed', { targetId, itself: true })
  })

const settleFailure = (
  scope: Scope,
  message: MessageToActOn,
  target: TargetConnection,
  body: NoticeBody,
  error: Error,
) =>
  atomically(scope, async (transaction) => {
    const { id, kind, attempts } = message
    const words = wordsFor(error)
    const wait = error instanceof PmsFailure && !error.retryable ? undefined : waitsMs[attempts]
    await settleMessage(transaction, id, wait === undefined ? 'failed' : 'received', words)
    if (wait !== undefined) {
      const asked = ((error as { retryAfter?: Date | null }).retryAfter?.getTime() ?? 0) - Date.now()
      const afterMs = Math.max(wait * (0.75 + Math.random() / 2), asked)
      return await enqueue(transaction, oneOfThem(ActOnMessage, kind), [
        { payload: { messageId: id, targetId: target.id, body }, afterMs },
      ])
    }
    events.webhookFailed({ orgId: scope.orgId, messageId: id, kind, error })
    await raiseAlerts(transaction, [
      {
        account_id: target.account_id,
        kind: 'sync.failed',
        channel_target_id: target.id,
        message: `${target.name}: a message of the PMS (${kind}) could not be processed: ${words}`,
        hint: 'Look at the message under /api/v1/webhook-messages, mend what is wrong, and replay it.',
        details: { webhook_message_id: id },
      },
    ])
  })

/** Our own failures speak for people; of others only the log tells, for they may quote a guest. */
const wordsFor = (error: Error) =>
  error instanceof PmsFailure || error instanceof Failure
    ? error.message
    : 'An error that we did not foresee. It is in the log of the worker.'
