import type { Transaction } from '#db/scope.ts'
import { dateOf, nightOf } from '#nights.ts'
import { doubtRooms } from '../sync-requests/doubt-rooms.ts'

/** Nights of a unit that a booking has, or had. */
export interface Stay {
  readonly unitId: string
  readonly arrival: string
  readonly departure: string
}

/** A PMS counts its own bookings, or does not, as it was told over there: the rooms of these nights are pushed anew. */
export async function doubtStays(
  transaction: Transaction,
  targetId: string,
  stays: readonly Stay[],
): Promise<void> {
  const byUnit = Map.groupBy(stays, ({ unitId }) => unitId.toLowerCase())
  for (const unitId of [...byUnit.keys()].sort()) {
    const those = byUnit.get(unitId)!
    const from = Math.min(...those.map(({ arrival }) => nightOf(arrival)))
    const to = Math.max(...those.map(({ departure }) => nightOf(departure))) - 1
    if (to >= from) await doubtRooms(transaction, { targetId, unitId, from: dateOf(from), to: dateOf(to) })
  }
}
