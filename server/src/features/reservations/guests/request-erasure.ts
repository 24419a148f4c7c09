import { randomUUID } from 'node:crypto'
import { atomically, type Scope } from '#db/scope.ts'
import type { SecretKey } from '#config/secrets.ts'
import type { Vault } from '#secrets/vault.ts'
import { enqueue } from '#queue/job.ts'
import type { StoredRecord } from '#db/records.ts'
import { EraseGuest } from './jobs.ts'
import { findErasure, insertErasure, assertBookingExists } from './queries.ts'
import { parseSubject, type GuestSubject } from './guest.ts'
import { hashSubject, sealPlan } from './erasure-plan.ts'

/** The vault seals the plan; the key makes the hash that remains after the erasure. */
export interface ErasureSecrets {
  readonly vault: Vault
  readonly key: SecretKey
}

/** Inserts an erasure and enqueues its job. */
export const requestErasure = (
  scope: Scope,
  { vault, key }: ErasureSecrets,
  input: GuestSubject,
): Promise<StoredRecord & { id: string }> =>
  atomically(scope, async (transaction) => {
    const { orgId } = transaction
    const id = randomUUID()
    const subject = parseSubject(input)
    await assertBookingExists(transaction, subject)
    await insertErasure(transaction, {
      id,
      subject: subject.kind,
      subjectHash: hashSubject(key, orgId, subject),
      plan: sealPlan(vault, orgId, id, { subject, found: null }),
    })
    await enqueue(transaction, EraseGuest, [{ payload: { erasureId: id } }])
    return { id, ...(await findErasure(transaction, id)) }
  })
