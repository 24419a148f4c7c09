import { sql } from '#db/sql.ts'
import { atomically, atSavepoint, rows, type Scope, type Transaction } from '#db/scope.ts'
import { DomainError } from '#errors.ts'
import type { Booking, BookingChange } from './booking.ts'
import { changeBooking } from './change-booking.ts'

export const bulkActions = ['confirm', 'cancel', 'check_in', 'check_out'] as const
export type BulkAction = (typeof bulkActions)[number]

const changes: Record<BulkAction, BookingChange> = {
  confirm: { status: 'confirmed' },
  cancel: { status: 'cancelled' },
  check_in: { status: 'checked_in' },
  check_out: { status: 'checked_out' },
}

interface BookingOutcome {
  readonly id: string
  readonly status: string | null
  readonly error: DomainError | null
}

/** Changes each booking by the rules of a single change. A refused booking stays as it is, and the others change. */
export const changeBookings = (
  scope: Scope,
  ids: readonly string[],
  action: BulkAction,
  reason: Booking['cancellationReason'],
): Promise<BookingOutcome[]> =>
  atomically(scope, async (transaction) => {
    const change = { ...changes[action], ...(reason && { cancellationReason: reason }) }
    await lockAll(transaction, ids)
    const outcomes: BookingOutcome[] = []
    for (const id of ids) outcomes.push(await changeEach(transaction, id, change))
    return outcomes
  })

async function changeEach(
  transaction: Transaction,
  id: string,
  change: BookingChange,
): Promise<BookingOutcome> {
  try {
    const { json } = await atSavepoint(transaction, (inner) => changeBooking(inner, id, undefined, change))
    return { id, status: (JSON.parse(json) as Booking).status, error: null }
  } catch (error) {
    if (error instanceof DomainError) return { id, status: null, error }
    throw error
  }
}

/**
 * Takes the locks of `lockBooking` for all bookings, kind by kind and each in order: a single change that holds the
 * first of its locks waits for a unit, and would deadlock with this transaction if that had locked the unit first.
 */
async function lockAll(transaction: Transaction, ids: readonly string[]): Promise<void> {
  const { orgId } = transaction
  const sorted = ids.toSorted()
  await rows(
    transaction,
    sql`
      select pg_advisory_xact_lock(hashtextextended(${`${orgId} `}::text || booking.id, 12))
      from unnest(${sorted}::text[]) booking (id)`,
  )
  await rows(
    transaction,
    sql`
      select 1
      from units unit
      where unit.org_id = ${orgId}
        and unit.id in (
          select booking.unit_id
          from bookings booking
          where booking.org_id = ${orgId}
            and booking.id = any(${sorted}::uuid[])
        )
      order by unit.id
      for no key update`,
  )
}
