import { sql } from 'kysely'
import { rows, type Transaction } from '#db/scope.ts'

/** The rooms that a booking has, or is to have. */
export interface RoomsOfStay {
  readonly unitId: string
  readonly arrival: string
  readonly departure: string
  readonly rooms: number
}

/** How many rooms of each unit are free, by its nights; a night that is not named is free altogether. */
export interface FreeRooms {
  readonly unit_id: string
  readonly quantity: number
  readonly nights: readonly { readonly night: string; readonly free: number }[]
}

/** The units must be locked. */
export const loadFreeRooms = (transaction: Transaction, stays: readonly RoomsOfStay[]) =>
  rows(
    transaction,
    sql<FreeRooms>`select u.id as unit_id, u.quantity,
        (select coalesce(json_agg(json_build_object('night', t.night, 'free', u.quantity - t.booked - t.blocked)), '[]')
          from nights_taken(u.org_id, array[u.id], s.first_night, s.last_night) t) as nights
      from units u join (select unit_id, min(arrival) as first_night, max(departure) - 1 as last_night
        from jsonb_to_recordset(${JSON.stringify(stays.map(asRow))}::jsonb)
          as r (unit_id uuid, arrival date, departure date) group by unit_id) s on s.unit_id = u.id
      where u.org_id = ${transaction.orgId}`,
  )

const asRow = ({ unitId, arrival, departure }: RoomsOfStay) => ({ unit_id: unitId, arrival, departure })

/** What these bookings have now, by their external ids; nothing of one that takes no room. */
export async function loadRoomsTaken(
  transaction: Transaction,
  targetId: string,
  externalIds: readonly string[],
): Promise<Map<string, RoomsOfStay>> {
  const found = await rows(
    transaction,
    sql<
      RoomsOfStay & { external_id: string }
    >`select external_id, unit_id as "unitId", arrival, departure, rooms from bookings
      where org_id = ${transaction.orgId} and channel_target_id = ${targetId}
        and external_id = any(${externalIds}::text[]) and deleted_at is null
        and status in ('pending', 'confirmed', 'checked_in', 'checked_out')`,
  )
  return new Map(found.map(({ external_id, ...stay }) => [external_id, stay]))
}

/** From here on the rooms of changed bookings are counted once, by `countRoomsNow` or with the commit. */
export const countRoomsLater = (transaction: Transaction) =>
  rows(transaction, sql`set constraints bookings_still_fit_rooms deferred`)

export const countRoomsNow = (transaction: Transaction) =>
  rows(transaction, sql`set constraints bookings_still_fit_rooms immediate`)
