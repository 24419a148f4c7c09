import type { Transaction } from '#db/scope.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import type { PmsBookingLine } from '#integrations/pms/pms-booking.ts'
import { invalidateAvailability } from '#features/distribution/sync/schedule/invalidate-availability.ts'
import type { LinkedRoom } from './queries.ts'

/** The nights of a unit that a booking occupies, or occupied. */
export interface Stay {
  readonly unitId: string
  readonly arrival: string
  readonly departure: string
}

/** The PMS may have counted its own booking already, so the availability of these nights is pushed again. */
export async function invalidateStays(
  transaction: Transaction,
  targetId: string,
  stays: readonly Stay[],
): Promise<void> {
  const byUnit = Map.groupBy(stays, ({ unitId }) => unitId)
  for (const unitId of [...byUnit.keys()].sort()) {
    const unitStays = byUnit.get(unitId)!
    const from = Math.min(...unitStays.map(({ arrival }) => nightOf(arrival)))
    const to = Math.max(...unitStays.map(({ departure }) => nightOf(departure))) - 1
    if (to >= from)
      await invalidateAvailability(transaction, { targetId, unitId, from: dateOf(from), to: dateOf(to) })
  }
}

type CountedLine = Pick<PmsBookingLine, 'listing' | 'arrival' | 'departure'>

/**
 * The stays whose nights a PMS may have counted again: those before and after a revision, when they differ. It is
 * independent of what the revision changes here, because a user may have made the same change before, or the booking
 * does not fit.
 */
export function listRecountedStays(
  before: readonly CountedLine[],
  after: readonly CountedLine[],
  rooms: ReadonlyMap<string, LinkedRoom>,
): Stay[] {
  const [old, now] = [before, after].map((lines) =>
    lines.flatMap(({ listing, arrival, departure }) => {
      const room = rooms.get(listing ?? '')
      return room && arrival && departure ? [{ unitId: room.unit_id, arrival, departure }] : []
    }),
  ) as [Stay[], Stay[]]
  const keyOf = (stays: Stay[]) => JSON.stringify(stays.map((stay) => JSON.stringify(stay)).sort())
  return keyOf(old) === keyOf(now) ? [] : [...old, ...now]
}
