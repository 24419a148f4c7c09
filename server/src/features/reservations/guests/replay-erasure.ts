import { randomUUID } from 'node:crypto'
import { atomically, type Scope } from '#db/scope.ts'
import type { Vault } from '#secrets/vault.ts'
import { enqueue } from '#queue/job.ts'
import { EraseGuest } from './jobs.ts'
import { insertErasure, organizationExists } from './queries.ts'
import type { JournalEntry } from './erasure-journal.ts'
import { sealPlan } from './erasure-plan.ts'

/**
 * Repeats an erasure by the ids of its bookings. It is a new erasure: the restored database may hold the old one as
 * completed, and the guest too. False when the organization does not exist.
 */
export const replayErasure = (
  { database }: Pick<Scope, 'database'>,
  vault: Vault,
  { org_id: orgId, subject, subject_hash: subjectHash, bookings }: JournalEntry,
): Promise<boolean> => {
  const actor = { type: 'system', id: 'replay', name: 'Replay of erasures' } as const
  const scope: Scope = { orgId, accountId: null, actor, traceparent: null, database }
  return atomically(scope, async (transaction) => {
    if (!(await organizationExists(transaction))) return false
    const id = randomUUID()
    const plan = sealPlan(vault, orgId, id, { subject: null, knownBookings: bookings, found: null })
    await insertErasure(transaction, { id, subject, subjectHash, plan })
    await enqueue(transaction, EraseGuest, [{ payload: { erasureId: id } }])
    return true
  })
}
