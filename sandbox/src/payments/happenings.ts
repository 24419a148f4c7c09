import type { Deliveries } from './deliveries.ts'
import { newId } from './intent.ts'
import type { Event, Ledger } from './ledger.ts'

export type Happenings = ReturnType<typeof openHappenings>

/** What happened, kept and told; the object stands in it as it was at that moment. */
export function openHappenings(ledger: Ledger, deliveries: Deliveries) {
  return {
    tell(type: string, object: object) {
      const event: Event = {
        id: newId('evt'),
        object: 'event',
        api_version: '2026-09-30.standin',
        created: Math.floor(Date.now() / 1_000),
        data: { object: structuredClone(object) },
        livemode: false,
        pending_webhooks: 1,
        request: null,
        type,
      }
      ledger.write({ event })
      deliveries.send(event)
    },
  }
}
