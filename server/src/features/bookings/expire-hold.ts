import { atomically, type Scope } from '#db/scope.ts'
import { updateBooking } from './queries.ts'
import { recordChange } from './record-change.ts'
import { lockBooking } from './stay-queries.ts'

/** Gives the rooms of a pending booking back once its time is over; one that has been decided stays as it is. */
export const expireHold = (scope: Scope, id: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const found = await lockBooking(transaction, id, null)
    if (found?.fields.status !== 'pending' || !found.hold_is_over) return
    const { fields: before } = found
    const after = { ...before, status: 'expired' as const, holdExpiresAt: null }
    const row = await updateBooking(transaction, { ...after, revisedAt: null })
    await recordChange(transaction, { before, after: { ...row.fields, spaceId: before.spaceId } })
  })
