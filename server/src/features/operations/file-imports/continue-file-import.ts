import { atomically, atSavepoint, type Scope, type Transaction } from '#db/scope.ts'
import { enqueue, type JobRun } from '#queue/job.ts'
import { requiredFields } from './import-fields.ts'
import type { ImportKind } from './file-import.ts'
import { importBookings } from './import-bookings.ts'
import { importRates } from './import-rates.ts'
import { importUnits } from './import-units.ts'
import type { RowImporter } from './import-rows.ts'
import { ContinueFileImport } from './jobs.ts'
import { getFileImport, lockFileImport, updateFileImport, type FileImportState } from './queries.ts'
import { listRowsToPlan, listRowsToRun, markRepeatedRows, saveResults } from './file-rows.ts'

/** Then another job continues, so that other work of the queue has its turn. */
const maxRunMs = 10_000

/** A step holds the units of its rows until it ends: a colleague who changes one of them waits for at most four seconds. */
const importers: Record<ImportKind, { importRows: RowImporter; rowsPerStep: number }> = {
  units: { importRows: importUnits, rowsPerStep: 50 },
  rates: { importRows: importRates, rowsPerStep: 250 },
  bookings: { importRows: importBookings, rowsPerStep: 50 },
}

/** Continues an import step by step. Each step commits what it made together with what is done. */
export async function continueFileImport(
  scope: Scope,
  importId: string,
  run: Pick<JobRun, 'signal'>,
): Promise<void> {
  const until = performance.now() + maxRunMs
  while (!run.signal.aborted) {
    const state = await getFileImport(scope, importId)
    if (!state || (state.status !== 'planning' && state.status !== 'running')) return
    if (performance.now() > until)
      return await atomically(scope, (transaction) =>
        enqueue(transaction, ContinueFileImport, [{ payload: { importId } }]),
      )
    // What is made belongs to the person who imports.
    const acting = { ...scope, actor: state.actor, accountId: state.account_id }
    await (state.status === 'planning' ? planRows(acting, state) : runRows(acting, state.id))
  }
}

/** Plans the next rows by making them in a transaction that is rolled back. */
async function planRows(scope: Scope, state: FileImportState): Promise<void> {
  const { importRows, rowsPerStep } = importers[state.kind]
  const missing = requiredFields(state.kind).filter(
    (name) => !state.mapping.some(({ field }) => field === name),
  )
  const found = missing.length > 0 ? [] : await listRowsToPlan(scope, state, rowsPerStep)
  const results = await rehearse(scope, (transaction) => importRows(transaction, state, found))
  await atomically(scope, async (transaction) => {
    const current = await lockFileImport(transaction, state.id)
    // Cancelled, mapped again, or planned by another run.
    if (current?.version !== state.version || current.status !== 'planning') return
    if (missing.length > 0) {
      const error_message = `No column is mapped to ${missing.join(', ')}.`
      return void (await updateFileImport(transaction, state.id, { status: 'failed', error_message }))
    }
    await saveResults(transaction, state.id, results, false)
    const last = found.at(-1)
    const isEnd = found.length < rowsPerStep
    if (isEnd) await markRepeatedRows(transaction, state.id)
    await updateFileImport(transaction, state.id, {
      ...(isEnd && { status: 'planned' }),
      ...(last && { planned_to: last.position }),
    })
  })
}

const runRows = (scope: Scope, id: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const state = await lockFileImport(transaction, id)
    if (state?.status !== 'running') return
    const { importRows, rowsPerStep } = importers[state.kind]
    const found = await listRowsToRun(transaction, state, rowsPerStep)
    await saveResults(transaction, id, await importRows(transaction, state, found), true)
    await updateFileImport(transaction, id, found.length === 0 ? { status: 'completed' } : {})
  })

class RolledBack extends Error {}

/** Runs the work, and undoes what it wrote. */
async function rehearse<T>(scope: Scope, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  let result: { value: T } | undefined
  try {
    await atomically(scope, async (transaction) => {
      result = { value: await atSavepoint(transaction, work) }
      throw new RolledBack()
    })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
  return result!.value
}
