import { handle } from '#queue/job.ts'
import { DeliverEvent } from '../events/event-jobs.ts'
import { DeliverWebhooks } from './delivery-job.ts'
import { deliverWebhooks, type Reach } from './deliver-webhooks.ts'
import { makeDeliveries } from './make-deliveries.ts'
import { ReplayPeriod, replaySome } from './replay-period.ts'

export const webhookJobs = (reach: Reach) => [
  handle(DeliverEvent, (scope, { eventId }) => makeDeliveries(scope, eventId)),
  handle(DeliverWebhooks, (scope, { endpointId }, run) => deliverWebhooks(scope, reach, endpointId, run)),
  handle(ReplayPeriod, (scope, { endpointId, wish, after }) => replaySome(scope, endpointId, wish, after)),
]
