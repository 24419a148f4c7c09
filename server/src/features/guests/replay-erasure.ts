import { randomUUID } from 'node:crypto'
import { atomically, type Scope } from '#db/scope.ts'
import type { Vault } from '#secrets.ts'
import { enqueue } from '#queue/job.ts'
import { EraseGuest } from './erasure-job.ts'
import { insertErasure, isThere } from './erasure-queries.ts'
import type { JournalLine } from './journal.ts'
import { sealPlan } from './plan.ts'

/**
 * Has the bookings of a former erasure forgotten again, by their names alone. Each time it is an erasure of its own:
 * what was restored may hold the old one as completed, and the guest all the same. False when nobody is there.
 */
export const replayErasure = (
  { database, outbox }: Pick<Scope, 'database' | 'outbox'>,
  vault: Vault,
  { org_id: orgId, subject, subject_hash: subjectHash, bookings }: JournalLine,
): Promise<boolean> => {
  const actor = { type: 'system', id: 'replay', name: 'Replay of erasures' } as const
  const scope: Scope = { orgId, accountId: null, actor, traceparent: null, database, outbox }
  return atomically(scope, async (transaction) => {
    if (!(await isThere(transaction))) return false
    const id = randomUUID()
    const plan = sealPlan(vault, orgId, id, { subject: null, known: bookings, found: null })
    await insertErasure(transaction, { id, subject, subjectHash, plan })
    await enqueue(transaction, EraseGuest, [{ payload: { erasureId: id } }])
    return true
  })
}
