import { atomically, type Scope } from '#db/scope.ts'
import { Conflict, semanticError, unknownReference } from '#errors.ts'
import type { PmsDirectory } from '#integrations/pms/pms-provider.ts'
import type { AcceptanceInput } from './booking-conflict.ts'
import {
  applyStored,
  assertOpen,
  assertSeen,
  auditConflict,
  closeConflict,
  lockConflict,
} from './close-conflict.ts'
import { findConflict, hasOpenConflict, type StoredConflict } from './conflict-queries.ts'
import { getUnitAsRoom } from './queries.ts'

/**
 * Applies the booking of a conflict to a unit that a person chose. The conflict is closed for this revision of the
 * booking, so that the PMS may send it again. @throws NotFound, Conflict when it is closed or the unit is full, Invalid,
 * PreconditionFailed
 */
export const acceptConflict = (
  scope: Scope,
  pms: PmsDirectory,
  id: string,
  { unit_id: unitId, updated_at }: AcceptanceInput,
): Promise<StoredConflict> =>
  atomically(scope, async (transaction) => {
    const conflict = await findConflict(transaction, id)
    assertOpen(conflict)
    assertSeen(conflict, updated_at)
    const room = await getUnitAsRoom(transaction, unitId)
    if (!room) throw unknownReference('unit_id', 'unit')
    if (conflict.calendar_feed_id)
      throw semanticError('unit_id', 'A reservation of an imported calendar cannot be moved here.')
    const result = await applyStored(transaction, pms, conflict, { externalId: conflict.external_id, room })
    if (result === 'outdated')
      throw new Conflict(
        'invalid-status-transition',
        'A newer revision of the booking has been applied since. Retry the conflict: if it stays open, it has that revision.',
      )
    await lockConflict(transaction, id)
    if (await hasOpenConflict(transaction, conflict))
      throw new Conflict('booking-conflict', 'No room of this unit is free on all nights of the booking.')
    const reason = 'Accepted in another unit.'
    await closeConflict(transaction, id, reason)
    const closed = await findConflict(transaction, id)
    auditConflict(transaction, 'booking.conflict_accepted', id, closed, reason)
    return closed
  })
