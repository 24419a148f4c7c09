import type { Transaction } from '#db/scope.ts'
import type { PmsBooking } from '#integrations/pms/pms-booking.ts'
import { adoptBookings } from '#features/reservations/bookings/adopt-bookings.ts'
import { lockUnits } from '#features/reservations/bookings/stay-queries.ts'
import type { LinkedRoom } from './queries.ts'

/** Adopts the bookings that stand for these lines already, from a target that was deleted. Returns their external ids. */
export async function adoptLines(
  transaction: Transaction,
  targetId: string,
  { id, lines }: PmsBooking,
  rooms: ReadonlyMap<string, LinkedRoom>,
): Promise<string[]> {
  await lockUnits(
    transaction,
    [...rooms.values()].map(({ unit_id }) => unit_id),
  )
  const stays = lines.flatMap(({ listing, arrival, departure }) => {
    const unitId = listing === null ? undefined : rooms.get(listing)?.unit_id
    return unitId && arrival && departure ? [{ unitId, arrival, departure }] : []
  })
  return await adoptBookings(transaction, { targetId, id, stays })
}
