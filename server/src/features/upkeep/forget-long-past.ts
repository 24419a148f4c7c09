import { atomically } from '#db/scope.ts'
import { events } from '#events.ts'
import { forgetGuests } from '../guests/forget-guests.ts'
import { guestsToForget } from './queries.ts'
import { scopeOf, type Keeper } from './keeper.ts'

const atOnce = 500
/** What is left is done ten minutes later: nobody waits for it, and everybody for the database. */
const mostBatches = 20

/** Guests whose stay is so long past that only the figures are needed are forgotten. Answers how many were. */
export async function forgetLongPast(keeper: Keeper, usualDays: number): Promise<number> {
  let forgotten = 0
  for (let batch = 0; batch < mostBatches; batch++) {
    const found = await guestsToForget(keeper.database, usualDays, atOnce)
    for (const [orgId, those] of Map.groupBy(found, ({ org_id }) => org_id)) {
      const scope = scopeOf(keeper, orgId)
      const ids = those.map(({ booking_id }) => booking_id)
      const bookings = await atomically(scope, (transaction) =>
        forgetGuests(transaction, ids, { actor: scope.actor, tells: false }),
      )
      events.guestsExpired({ orgId, bookings })
      forgotten += bookings
    }
    if (found.length < atOnce) break
  }
  return forgotten
}
