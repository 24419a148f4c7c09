import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, semanticError, unknownReference } from '#errors.ts'
import type { StoredRecord } from '#db/records.ts'
import { enqueue } from '#queue/job.ts'
import { getTargetConnection } from '#features/distribution/channel-targets/queries.ts'
import type { ImportInput } from './import.ts'
import { restartReading } from './item-queries.ts'
import { ContinueImport, ImportPhotos } from './jobs.ts'
import {
  findImport,
  getOpenImport,
  insertImport,
  lockImport,
  updateImport,
  type ImportChange,
} from './queries.ts'

/** Plans an import; nothing is made before it is run. @throws Conflict, Invalid */
export const createImport = (scope: Scope, input: ImportInput): Promise<StoredRecord & { id: string }> =>
  atomically(scope, async (transaction) => {
    const { channel_target_id: targetId, include = ['bookings', 'photos'] } = input
    const target = await getTargetConnection(transaction, targetId)
    if (!target) throw unknownReference('channel_target_id', 'channel target')
    if ((target.config.provider ?? 'generic') === 'generic')
      throw semanticError('channel_target_id', 'Only a target at Channex or Hostaway can be imported from.')
    const created = await insertImport(transaction, { targetId, include })
    if (!created) {
      const open = await getOpenImport(transaction, targetId)
      throw new Conflict(
        'already-exists',
        `The target has an import that is not finished${open ? `: ${open.id}` : ''}. Run or cancel that one.`,
      )
    }
    await enqueue(transaction, ContinueImport, [{ payload: { importId: created.id } }])
    return { id: created.id, ...(await findImport(transaction, created.id)) }
  })

/** Makes what was planned, or continues an import that failed. @throws NotFound, Conflict */
export const runImport = (scope: Scope, id: string): Promise<StoredRecord> =>
  changeImport(scope, id, 'run', async (transaction, current) => {
    const open = await getOpenImport(transaction, current.channel_target_id)
    if (open && open.id !== id)
      throw new Conflict(
        'invalid-status-transition',
        `The target has a later import that is not finished: ${open.id}. Run or cancel that one.`,
      )
    await enqueue(transaction, ContinueImport, [{ payload: { importId: id } }])
    if (!current.has_started && current.status !== 'planned') return { status: 'planning' }
    if (current.include.includes('photos'))
      await enqueue(transaction, ImportPhotos, [{ payload: { importId: id } }])
    if (current.status === 'running') return {}
    // The PMS may have changed since the plan, or since the run that failed.
    await restartReading(transaction, id)
    return { status: 'running', stage: 'plan', cursor: null }
  })

/** Stops an import; what it has made stays. @throws NotFound, Conflict */
export const cancelImport = (scope: Scope, id: string): Promise<StoredRecord> =>
  changeImport(scope, id, 'cancelled', () => Promise.resolve({ status: 'cancelled' }))

type Current = NonNullable<Awaited<ReturnType<typeof lockImport>>>

const changeImport = (
  scope: Scope,
  id: string,
  verb: string,
  change: (transaction: Transaction, current: Current) => Promise<ImportChange>,
): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const current = await lockImport(transaction, id)
    if (!current) throw new NotFound('import', id)
    if (current.status === 'completed' || current.status === 'cancelled')
      throw new Conflict(
        'invalid-status-transition',
        `An import that is ${current.status} cannot be ${verb}.`,
      )
    await updateImport(transaction, id, await change(transaction, current))
    return await findImport(transaction, id)
  })
