import { sql } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import {
  deleteBlocks,
  insertBlocks,
  recordBlocks,
  type BlockedNight,
} from '#features/inventory/calendar/blocks-of-sources.ts'
import type { RoomsOfStay } from './place-lines.ts'

/*
 * A booking of the PMS that does not fit has sold its nights all the same: they must not be sold again, here or at a PMS.
 * While its conflict is open, its rooms are blocked on the nights of the stay. The source of these blocks is the conflict.
 */

/** The stay of a booking that does not fit, and what its booking here has of it. */
export interface StayInConflict extends RoomsOfStay {
  readonly externalId: string
  readonly before: RoomsOfStay | undefined
}

/** What `takeBlocks` has removed. */
export interface TakenBlocks {
  readonly own: readonly BlockedNight[]
  readonly others: readonly BlockedNight[]
}

/**
 * Removes the blocks of all conflicts of these units, and of those of this booking, until `putBlocks`: bookings of the PMS are
 * placed as if no other one waited, because two that wait would keep each other out of a room that has become free.
 */
export async function takeBlocks(
  transaction: Transaction,
  targetId: string,
  pmsBookingId: string,
  unitIds: readonly string[],
): Promise<TakenBlocks> {
  const conflicts = await rows(
    transaction,
    sql<{ id: string; is_own: boolean }>`
      select id, channel_target_id = ${targetId} and pms_booking_id = ${pmsBookingId} as is_own
      from booking_conflicts
      where org_id = ${transaction.orgId}
        and status = 'open'
        and reason = 'no_room'
        and (unit_id = any(${unitIds}::uuid[])
          or channel_target_id = ${targetId} and pms_booking_id = ${pmsBookingId})`,
  )
  const own = new Set(conflicts.flatMap(({ id, is_own }) => (is_own ? [id] : [])))
  const blocks = await deleteBlocks(
    transaction,
    conflicts.map(({ id }) => id),
  )
  return {
    own: blocks.filter(({ source }) => own.has(source)),
    others: blocks.filter(({ source }) => !own.has(source)),
  }
}

/** Blocks the rooms of the conflicts that are open after a booking was applied. What has changed is pushed. */
export async function putBlocks(
  transaction: Transaction,
  targetId: string,
  taken: TakenBlocks,
  stays: readonly StayInConflict[],
): Promise<void> {
  const conflicts = stays.length > 0 ? await listOpenConflicts(transaction, targetId, stays) : []
  const own = stays.flatMap((stay) => {
    const conflict = conflicts.find(({ external_id }) => external_id === stay.externalId)
    // A person has dismissed it.
    return conflict ? nightsOf(conflict.id, stay) : []
  })
  await insertBlocks(transaction, [...taken.others, ...own])
  const [before, after] = [countRooms(taken.own), countRooms(own)]
  const changed = [...taken.own, ...own].filter((one) => before.get(keyOf(one)) !== after.get(keyOf(one)))
  await recordBlocks(transaction, changed)
}

const keyOf = ({ unit_id, night }: BlockedNight) => `${unit_id} ${night}`

/** Several lines of the booking may block the same night of a unit. */
function countRooms(blocks: readonly BlockedNight[]): Map<string, number> {
  const rooms = new Map<string, number>()
  for (const block of blocks) rooms.set(keyOf(block), (rooms.get(keyOf(block)) ?? 0) + block.blocked)
  return rooms
}

/** The rooms of a unit, by night, that are blocked for its open conflicts. */
export const blocksOfConflicts = ({ orgId }: Transaction, unitId: string) => sql<{
  night: string
  rooms: number
}>`
  select block.night, sum(block.blocked)::int as rooms
  from calendar_blocks block
  where block.org_id = ${orgId}
    and block.unit_id = ${unitId}
    and block.source in (
      select conflict.id::text
      from booking_conflicts conflict
      where conflict.org_id = ${orgId}
        and conflict.unit_id = ${unitId}
        and conflict.status = 'open')
  group by block.night`

const listOpenConflicts = (transaction: Transaction, targetId: string, stays: readonly StayInConflict[]) =>
  rows(
    transaction,
    sql<{ id: string; external_id: string }>`
      select id, external_id
      from booking_conflicts
      where org_id = ${transaction.orgId}
        and channel_target_id = ${targetId}
        and external_id = any(${stays.map(({ externalId }) => externalId)}::text[])
        and status = 'open'`,
  )

/** Rooms that the booking here has on a night are counted with it. */
function nightsOf(conflictId: string, { before, ...stay }: StayInConflict): BlockedNight[] {
  const reason = `The booking ${stay.externalId} of the PMS does not fit.`.slice(0, 255)
  const nights: BlockedNight[] = []
  for (let night = nightOf(stay.arrival); night < nightOf(stay.departure); night++) {
    const isBooked = before && nightOf(before.arrival) <= night && night < nightOf(before.departure)
    const blocked = stay.rooms - (isBooked ? before.rooms : 0)
    if (blocked > 0)
      nights.push({ source: conflictId, unit_id: stay.unitId, night: dateOf(night), blocked, reason })
  }
  return nights
}
