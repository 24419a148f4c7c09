import { atomically, type Scope } from '#db/scope.ts'
import { semanticError } from '#errors.ts'
import { enqueue, job } from '#queue/job.ts'
import { DeliverWebhooks } from './delivery-job.ts'
import { holdActive } from './delivery-queries.ts'
import { countReplayed, replayNext, type ReplayPlace } from './replay-queries.ts'
import type { WebhookReplayInput } from './webhook-delivery.ts'

/** Makes some deliveries of a replay due, and asks for the rest. */
export const ReplayPeriod = job<{ endpointId: string; wish: WebhookReplayInput; after: ReplayPlace | null }>({
  name: 'replay-period',
  queue: 'webhooks',
})

const mostAtOnce = 500

/** Has the events of a period sent again; answers how many they are. @throws NotFound, Conflict, Invalid */
export const replayPeriod = (scope: Scope, endpointId: string, wish: WebhookReplayInput): Promise<number> =>
  atomically(scope, async (transaction) => {
    if (Date.parse(wish.from) >= Date.parse(wish.to)) throw semanticError('to', 'to must be later than from.')
    await holdActive(transaction, endpointId)
    const count = await countReplayed(transaction, endpointId, wish)
    await enqueue(transaction, ReplayPeriod, [{ payload: { endpointId, wish, after: null } }])
    return count
  })

export const replaySome = (
  scope: Scope,
  endpointId: string,
  wish: WebhookReplayInput,
  after: ReplayPlace | null,
): Promise<void> =>
  atomically(scope, async (transaction) => {
    const place = await replayNext(transaction, endpointId, wish, { after, most: mostAtOnce })
    await enqueue(transaction, DeliverWebhooks, [{ payload: { endpointId } }])
    if (place) await enqueue(transaction, ReplayPeriod, [{ payload: { endpointId, wish, after: place } }])
  })
