import { randomUUID } from 'node:crypto'
import { atomically, type Scope } from '#db/scope.ts'
import type { SecretKey } from '#settings.ts'
import type { Vault } from '#secrets.ts'
import { enqueue } from '#queue/job.ts'
import type { Stored } from '#http/replies.ts'
import { EraseGuest } from './erasure-job.ts'
import { findErasure, insertErasure } from './erasure-queries.ts'
import { subjectOf, type GuestSubject } from './guest.ts'
import { refuseUnknownBooking } from './find-queries.ts'
import { hashOf, sealPlan } from './plan.ts'

/** What seals whom an erasure is about, and what makes the hash that is left of it. */
export interface Keeping {
  readonly vault: Vault
  readonly key: SecretKey
}

/** Has a guest forgotten: the request, and the job that does it. */
export const requestErasure = (
  scope: Scope,
  { vault, key }: Keeping,
  given: GuestSubject,
): Promise<Stored & { id: string }> =>
  atomically(scope, async (transaction) => {
    const { orgId } = transaction
    const id = randomUUID()
    const subject = subjectOf(given)
    await refuseUnknownBooking(transaction, subject)
    await insertErasure(transaction, {
      id,
      subject: subject.kind,
      subjectHash: hashOf(key, orgId, subject),
      plan: sealPlan(vault, orgId, id, { subject, found: null }),
    })
    await enqueue(transaction, EraseGuest, [{ payload: { erasureId: id } }])
    return { id, ...(await findErasure(transaction, id)) }
  })
