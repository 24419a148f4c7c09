import { dateOf } from '../dates.ts'
import type { Account } from './account.ts'
import type { Clock } from './clock.ts'
import type { Deliveries } from './deliveries.ts'
import type { Change } from './inventory.ts'
import { hears } from './webhook.ts'

const maxNights = 1_000

/** Applies changes of one property, and tells those who listen to `ari` which nights they are about. */
export const openNightNotices =
  (account: Account, deliveries: Deliveries, clock: Clock) =>
  (propertyId: string, changes: readonly Change[]): void => {
    for (const change of changes) account.apply(change)
    const listening = [...account.webhooks.values()].filter((webhook) => hears(webhook, 'ari', propertyId))
    if (listening.length === 0 || changes.length === 0) return
    const payload = changes.flatMap(nightsOf).slice(0, maxNights)
    const timestamp = new Date(clock.nowMs()).toISOString()
    for (const webhook of listening)
      deliveries.send(webhook, {
        event: 'ari',
        ...(webhook.send_data ? { payload } : {}),
        property_id: propertyId,
        user_id: null,
        timestamp,
      })

    function nightsOf({ of, from, to }: Change) {
      const name = account.room_types.has(of) ? 'room_type_id' : 'rate_plan_id'
      return Array.from({ length: to - from + 1 }, (_, at) => ({ [name]: of, date: dateOf(from + at) }))
    }
  }
