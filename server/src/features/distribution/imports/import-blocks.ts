import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import { DomainError } from '#errors.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import { changeCalendar } from '#features/inventory/calendar/change-calendar.ts'
import { readUnits } from '#features/inventory/calendar/queries.ts'
import { updateUnit } from '#features/inventory/units/save-unit.ts'
import { blocksOfConflicts } from '#features/distribution/pms-bookings/conflict-blocks.ts'
import { toBlocks } from './calendar-values.ts'
import { endWait, listUnits, type Item, type UnitContent } from './item-queries.ts'
import { importOrigin } from './make-unit.ts'
import { lockImport, updateImport, type ImportState } from './queries.ts'

const unitsPerStep = 25

/** Blocks the nights that the PMS keeps closed without a booking, and puts the units on sale. */
export async function importBlocks(
  scope: Scope,
  { id, channel_target_id: targetId }: ImportState,
): Promise<void> {
  const units = await listUnits(scope, id, 'blocks', unitsPerStep)
  for (const unit of units)
    await inRunningImport(scope, id, async (transaction) => {
      await openUnit(transaction, unit)
      await endWait(transaction, targetId, unit)
    }).catch(async (error: unknown) => {
      // The unit was changed meanwhile, so that our values do not fit any more; the preflight shows what differs.
      if (!(error instanceof DomainError)) throw error
      await atomically(scope, (transaction) => endWait(transaction, targetId, unit))
    })
  if (units.length === 0)
    await inRunningImport(scope, id, (transaction) => updateImport(transaction, id, { stage: 'photos' }))
}

const inRunningImport = (scope: Scope, id: string, work: (transaction: Transaction) => Promise<unknown>) =>
  atomically(scope, async (transaction) => {
    const current = await lockImport(transaction, id)
    if (current?.status === 'running' && current.stage === 'blocks') await work(transaction)
  })

async function openUnit(transaction: Transaction, { record_id, content }: Item<UnitContent>): Promise<void> {
  const unit = (await readUnits(transaction, [record_id!])).get(record_id!)
  if (!unit) return
  const taken = await listBookedRooms(transaction, unit.id)
  const blocks = toBlocks(content.rooms ?? [], { unit_id: unit.id, quantity: unit.quantity }, taken)
  const coming = blocks.filter(({ date_to }) => nightOf(date_to) >= unit.today)
  if (coming.length > 0) await changeCalendar(transaction, coming, importOrigin)
  await updateUnit(transaction, unit.id, undefined, (fields) =>
    fields.status === 'inactive' ? { ...fields, status: 'active' } : fields,
  )
}

/** The rooms by night of bookings, and of bookings that do not fit. */
async function listBookedRooms(transaction: Transaction, unitId: string): Promise<Map<string, number>> {
  const today = Math.floor(Date.now() / 86_400_000)
  const nights = await rows(
    transaction,
    sql<{ night: string; booked: number }>`
      select taken.night, (taken.booked + coalesce(waiting.rooms, 0))::int as booked
      from nights_taken(${transaction.orgId}, array[${unitId}::uuid], ${dateOf(today - 2)}::date, date '2400-01-01') taken
      left join (${blocksOfConflicts(transaction, unitId)}) waiting
        on waiting.night = taken.night
      where taken.booked > 0
        or waiting.rooms > 0`,
  )
  return new Map(nights.map(({ night, booked }) => [night, booked]))
}
