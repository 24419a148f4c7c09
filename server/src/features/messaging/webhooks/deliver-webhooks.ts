import { setTimeout as sleep } from 'node:timers/promises'
import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import type { Egress } from '#egress/egress.ts'
import { events } from '#telemetry/log.ts'
import { continueTrace } from '#telemetry/tracing.ts'
import { enqueue, type JobRun } from '#queue/job.ts'
import type { Vault } from '#secrets/vault.ts'
import { raiseAlerts } from '#features/messaging/alerts/queries.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'
import { DeliverWebhooks } from './jobs.ts'
import { retryDelayMs } from './retry-policy.ts'
import {
  claimDeliveries,
  claimEndpoint,
  hasDueDeliveries,
  releaseDelivery,
  releaseEndpoint,
  saveDeliveryResult,
  type ClaimedDelivery,
  type EndpointRow,
} from './send-queries.ts'
import { sendWebhook, type DeliveryResult } from './send-webhook.ts'
import { placeOf } from './webhook-endpoint.ts'

export interface DeliveryResources {
  readonly egress: Egress
  readonly vault: Vault
}

/** Deliveries to one endpoint at a time, over all workers; one while the endpoint times out. */
const maxParallel = 8
/** A run that takes longer leaves the rest to the next one, so that other endpoints get their turn. */
const maxRunMs = 20_000
const claimIntervalMs = 500

/**
 * Sends the due deliveries of an endpoint. Only one run at a time does so: an endpoint that hangs occupies one worker,
 * however many deliveries wait for it.
 */
export async function deliverWebhooks(
  scope: Scope,
  { egress, vault }: DeliveryResources,
  endpointId: string,
  { jobId: run, signal, isSlow, reportResponse }: JobRun,
): Promise<void> {
  const endpoint = await claimEndpoint(scope, endpointId, run)
  if (!endpoint) return
  const secrets = [endpoint.secret, endpoint.previous_secret].flatMap((sealed) =>
    sealed ? [vault.open<string>(sealed, placeOf(scope.orgId, endpointId))] : [],
  )
  const deadline = performance.now() + maxRunMs
  const active = new Set<Promise<void>>()
  const errors: unknown[] = []
  let parallel = isSlow ? 1 : maxParallel
  const send = (delivery: ClaimedDelivery) => {
    const sent = deliverOne(scope, egress, { ...endpoint, secrets }, delivery, signal)
      .then(({ timedOut, status }) => {
        if (!timedOut && status === null) return
        parallel = timedOut ? 1 : maxParallel
        reportResponse(!timedOut)
      })
      .catch((error: unknown) => void errors.push(error))
      .finally(() => active.delete(sent))
    active.add(sent)
  }
  try {
    do {
      const free = parallel - active.size
      if (free > 0 && performance.now() < deadline && !signal.aborted && errors.length === 0)
        (await claimDeliveries(scope, endpointId, run, free)).forEach(send)
      if (active.size > 0) await Promise.race([...active, sleep(claimIntervalMs)])
    } while (active.size > 0)
  } finally {
    await Promise.all(active)
    await releaseEndpoint(scope, endpointId, run)
  }
  if (errors.length > 0) throw errors[0]
  // The job of a delivery that became due while this run ended found the endpoint claimed.
  if (await hasDueDeliveries(scope, endpointId))
    await atomically(scope, (transaction) =>
      enqueue(transaction, DeliverWebhooks, [{ payload: { endpointId } }]),
    )
}

async function deliverOne(
  scope: Scope,
  egress: Egress,
  { id, url, secrets }: EndpointRow & { secrets: readonly string[] },
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const { event_id: eventId, occurred_at: occurredAt, event } = delivery
  const message = { url, secrets, eventId, occurredAt, event }
  const result = await continueTrace(delivery.traceparent, () => sendWebhook(egress, message, signal)).catch(
    async (error: unknown) => {
      await releaseDelivery(scope, delivery)
      throw error
    },
  )
  const { outcome, retryAfterMs, status } = result
  const retryInMs = outcome === 'failed' ? retryDelayMs(delivery.attempts, retryAfterMs) : null
  await atomically(scope, async (transaction) => {
    const disabled = await saveDeliveryResult(transaction, { id, url }, delivery, result, retryInMs)
    if (disabled) await reportDisabled(transaction, { id, ...disabled, error: result.error })
  })
  const facts = { orgId: scope.orgId, endpointId: id, eventId, attempt: delivery.attempts, status }
  if (outcome === 'delivered') events.webhookDelivered(facts)
  else if (retryInMs !== null) events.webhookDeliveryRetried(facts)
  else events.webhookDeliveryFailed({ ...facts, isGone: outcome === 'gone' })
  return result
}

interface DisabledEndpoint {
  readonly id: string
  readonly account_id: string | null
  readonly json: string
  readonly error: string | null
}

async function reportDisabled(
  transaction: Transaction,
  { id, account_id, json, error }: DisabledEndpoint,
): Promise<void> {
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
      message: `A webhook endpoint was disabled: ${error}`,
      hint: 'Ask the partner to fix the endpoint. Then set it to active and replay the events that it missed.',
      details: { webhook_endpoint_id: id },
    },
  ])
}
