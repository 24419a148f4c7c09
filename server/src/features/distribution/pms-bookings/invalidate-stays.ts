import type { Transaction } from '#db/scope.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import { invalidateAvailability } from '#features/distribution/sync/schedule/invalidate-availability.ts'

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
  const byUnit = Map.groupBy(stays, ({ unitId }) => unitId.toLowerCase())
  for (const unitId of [...byUnit.keys()].sort()) {
    const unitStays = byUnit.get(unitId)!
    const from = Math.min(...unitStays.map(({ arrival }) => nightOf(arrival)))
    const to = Math.max(...unitStays.map(({ departure }) => nightOf(departure))) - 1
    if (to >= from)
      await invalidateAvailability(transaction, { targetId, unitId, from: dateOf(from), to: dateOf(to) })
  }
}
