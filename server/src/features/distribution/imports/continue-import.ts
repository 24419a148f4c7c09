import { atomically, type Scope } from '#db/scope.ts'
import { PmsFailure } from '#integrations/pms/pms-failure.ts'
import { enqueue, type JobRun } from '#queue/job.ts'
import { withPms, type Connections } from '#features/distribution/pms-access/connect.ts'
import { getTargetConnection, type TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { completeIfDone } from './complete-import.ts'
import { importBlocks } from './import-blocks.ts'
import { importBookings } from './import-bookings.ts'
import { importUnits } from './import-units.ts'
import { ContinueImport } from './jobs.ts'
import { planPage } from './plan-page.ts'
import { countFailure, getImport, lockImport, updateImport, type ImportState } from './queries.ts'

/** Then another job continues, so that other work of the queue has its turn. */
const maxRunMs = 10_000
/** With the pauses between them, some five minutes. */
const maxFailures = 10
const maxPauseMs = 60_000

/**
 * Continues an import step by step. Each step commits what it made together with where it is, so after a killed worker
 * the next run goes on from there, and a step that runs twice finds its work done.
 */
export async function continueImport(
  scope: Scope,
  connections: Connections,
  importId: string,
  run: Pick<JobRun, 'signal'>,
): Promise<void> {
  const until = performance.now() + maxRunMs
  while (!run.signal.aborted) {
    const state = await getImport(scope, importId)
    if (!state || (state.status !== 'planning' && state.status !== 'running')) return
    if (state.stage === 'photos') return await completeIfDone(scope, importId)
    if (performance.now() > until) return await continueAfter(scope, importId, 0)
    const target = await getTargetConnection(scope, state.channel_target_id)
    if (!target) return
    try {
      // What is made belongs to the person who imports.
      await runStep(
        { ...scope, actor: state.actor, accountId: target.account_id },
        connections,
        target,
        state,
        run,
      )
    } catch (error) {
      if (!(error instanceof PmsFailure)) throw error
      return await handleFailure(scope, importId, error)
    }
  }
}

const runStep = (
  scope: Scope,
  connections: Connections,
  target: TargetConnection,
  state: ImportState,
  { signal }: Pick<JobRun, 'signal'>,
): Promise<void> => {
  if (state.stage === 'blocks') return importBlocks(scope, state)
  const step = state.stage === 'plan' ? planPage : state.stage === 'units' ? importUnits : importBookings
  return withPms(scope, connections, target, (access) => step(scope, target, access, state), { signal })
}

/** Our own rate limiter only delays. Other failures are retried, or end the import, which can be run again. */
async function handleFailure(scope: Scope, importId: string, failure: PmsFailure): Promise<void> {
  const waitMs = Math.max(0, (failure.retryAfter?.getTime() ?? 0) - Date.now())
  if (failure.isThrottledLocally) return await continueAfter(scope, importId, waitMs)
  const message = `${failure.message.replace(/\.?$/, '.')} ${failure.hint}`.slice(0, 1_000)
  const failures = await countFailure(scope, importId, { code: failure.code, message })
  if (failure.retryable && failures < maxFailures)
    return await continueAfter(scope, importId, Math.max(waitMs, Math.min(500 * 2 ** failures, maxPauseMs)))
  await atomically(scope, async (transaction) => {
    const current = await lockImport(transaction, importId)
    if (current?.status === 'planning' || current?.status === 'running')
      await updateImport(transaction, importId, {
        status: 'failed',
        failure: { code: failure.code, message },
      })
  })
}

const continueAfter = (scope: Scope, importId: string, afterMs: number) =>
  atomically(scope, (transaction) =>
    enqueue(transaction, ContinueImport, [{ payload: { importId }, ...(afterMs > 0 && { afterMs }) }]),
  )
