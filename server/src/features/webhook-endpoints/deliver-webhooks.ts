import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { atomically, type Scope } from '#db/scope.ts'
import type { Egress } from '#egress.ts'
import { events } from '#events.ts'
import { enqueue, type Run } from '#queue/job.ts'
import type { Vault } from '#secrets.ts'
import { raiseAlerts } from '../alerts/queries.ts'
import { recordEvents } from '../events/record-events.ts'
import { DeliverWebhooks } from './delivery-job.ts'
import { retryInMs } from './schedule.ts'
import {
  claimDeliveries,
  endRun,
  giveBack,
  isDue,
  settleDelivery,
  takeRun,
  type Claimed,
  type Receiver,
} from './send-queries.ts'
import { sendWebhook, type Outcome } from './send-webhook.ts'
import { placeOf } from './webhook-endpoint.ts'

/** What sending reaches for. */
export interface Reach {
  readonly egress: Egress
  readonly vault: Vault
}

/** As many are sent side by side to one endpoint, by all workers together; one, while it does not answer in time. */
const maxParallel = 8
/** A run that was busy for so long leaves the rest to the next one, so that others have their turn. */
const longestRunMs = 20_000
const lookEveryMs = 500

/**
 * Sends what is due for an endpoint, by one run at a time: however many jobs ask for one that hangs, and however much
 * waits for it, one worker is busy with it.
 */
export async function deliverWebhooks(
  scope: Scope,
  { egress, vault }: Reach,
  endpointId: string,
  { signal: stopping, isSlow, reportAnswer }: Pick<Run, 'signal' | 'isSlow' | 'reportAnswer'>,
): Promise<void> {
  const run = randomUUID()
  const receiver = await takeRun(scope, endpointId, run)
  if (!receiver) return
  const secrets = [receiver.secret, receiver.previous_secret].flatMap((sealed) =>
    sealed ? [vault.open<string>(sealed, placeOf(scope.orgId, endpointId))] : [],
  )
  const until = performance.now() + longestRunMs
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []
  let parallel = isSlow ? 1 : maxParallel
  const send = (delivery: Claimed) => {
    const sent = deliverOne(scope, egress, { ...receiver, secrets }, delivery, stopping)
      .then(({ timedOut, status }) => {
        if (!timedOut && status === null) return
        parallel = timedOut ? 1 : maxParallel
        reportAnswer(!timedOut)
      })
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underWay.delete(sent))
    underWay.add(sent)
  }
  try {
    do {
      const free = parallel - underWay.size
      if (free > 0 && performance.now() < until && !stopping.aborted && failures.length === 0)
        (await claimDeliveries(scope, endpointId, run, free)).forEach(send)
      if (underWay.size > 0) await Promise.race([...underWay, sleep(lookEveryMs)])
    } while (underWay.size > 0)
  } finally {
    await Promise.all(underWay)
    await endRun(scope, endpointId, run)
  }
  if (failures.length > 0) throw failures[0]
  // Also what came while this was ending: its job found the endpoint taken.
  if (await isDue(scope, endpointId))
    await atomically(scope, (transaction) =>
      enqueue(transaction, DeliverWebhooks, [{ payload: { endpointId } }]),
    )
}

async function deliverOne(
  scope: Scope,
  egress: Egress,
  { id, url, secrets }: Receiver & { secrets: readonly string[] },
  delivery: Claimed,
  stopping: AbortSignal,
): Promise<Outcome> {
  const { event_id: eventId, type, occurred_at: occurredAt, data } = delivery
  const outcome = await sendWebhook(
    egress,
    { url, secrets, eventId, type, occurredAt, data },
    stopping,
  ).catch(async (error: unknown) => {
    await giveBack(scope, delivery)
    throw error
  })
  const { result, askedMs, status } = outcome
  const waitMs = result === 'failed' ? retryInMs(delivery.attempts, askedMs) : null
  await atomically(scope, async (transaction) => {
    const switchedOff = await settleDelivery(transaction, id, delivery, outcome, waitMs)
    if (!switchedOff) return
    const { json, account_id } = switchedOff
    await recordEvents(transaction, [
      {
        ...{ type: 'webhook.disabled', accountId: account_id, subjectId: id },
        data: { webhook_endpoint: JSON.parse(json) as object },
      },
    ])
    await raiseAlerts(transaction, [
      {
        account_id,
        kind: 'webhook.disabled',
        message: `A webhook endpoint was switched off: ${outcome.error}`,
        hint: 'Ask the partner behind it; then set the endpoint to active, and replay the time that it missed.',
        details: { webhook_endpoint_id: id },
      },
    ])
  })
  const facts = { orgId: scope.orgId, endpointId: id, eventId, attempt: delivery.attempts, status }
  if (result === 'delivered') events.webhookDelivered(facts)
  else if (waitMs !== null) events.webhookRetried(facts)
  else events.webhookGivenUp({ ...facts, isGone: result === 'gone' })
  return outcome
}
