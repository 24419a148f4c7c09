import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { PmsFailure } from '#outside/pms/pms-failure.ts'
import type { Call } from '#outside/pms/pms-call.ts'
import type { PmsConnection, Provider } from '#outside/pms/pms.ts'
import type { TaskState } from '#outside/pms/pms-task.ts'
import type { Run } from '#queue/job.ts'
import { connectTarget, providerOf } from '../channel-targets/connect-target.ts'
import type { TargetConnection } from '../channel-targets/queries.ts'
import { beginChecks, takeChecks, type Check } from './check-queries.ts'
import { scheduleChecks } from './check-jobs.ts'
import { maxPendingChecks } from './check-timing-queries.ts'
import { differencesBetween } from './differences.ts'
import { budgetsOf, openGate } from './gate.ts'
import { nightsOfAll, unitLinkOf } from './deliver-pushes.ts'
import { preparePushes } from './prepare-pushes.ts'
import type { Engine } from './push-target.ts'
import { settleReadBack, type Found } from './settle-read-back.ts'
import { holdTarget } from './target-queries.ts'

/** After this time a job leaves the rest to the next one. */
const jobMs = 30_000

/**
 * Learns whether the PMS has what it took: by the tasks that it named, or by reading it back. Takes no push's place: it
 * runs beside them, uses only calls that the budget can spare, and a push meanwhile makes its result void.
 */
export async function readTargetBack(
  scope: Scope,
  engine: Engine,
  targetId: string,
  run: Run,
): Promise<void> {
  const begun = performance.now()
  for (;;) {
    const isLast: boolean = run.signal.aborted || performance.now() > begun + jobMs
    const turn = await atomically(scope, async (transaction) => {
      await holdTarget(transaction, targetId)
      const target = await beginChecks(transaction, targetId)
      if (!target) return null
      const checks = isLast
        ? []
        : await takeChecks(transaction, targetId, engine, providerOf(engine, target).unitsPerRead)
      if (checks.length === 0) await scheduleChecks(transaction, targetId)
      return checks.length === 0 ? null : { target, checks }
    })
    if (!turn) return
    const found = await lookAt(scope, engine, turn.target, turn.checks, run)
    await atomically(scope, (transaction) => settleReadBack(transaction, targetId, run, found, engine))
  }
}

async function lookAt(
  scope: Scope,
  engine: Engine,
  target: TargetConnection,
  checks: readonly Check[],
  run: Run,
): Promise<Found[]> {
  const provider = providerOf(engine, target)
  const pushes = await atomically(scope, (transaction: Transaction) =>
    preparePushes(transaction, target.id, provider, checks),
  )
  const gate = openGate(scope, {
    id: target.id,
    budgets: budgetsOf(provider.budgets, target.config),
    failures: 0,
    signal: run.signal,
    lastsMs: jobMs,
    isBackground: true,
  })
  const asked = checks.map((check, at) => ({ check, push: pushes[at]! }))
  try {
    const connection = connectTarget(engine, scope.orgId, target)
    const call = { gate, signal: run.signal, traceparent: scope.traceparent }
    return await findAll(connection, provider, asked, call)
  } catch (failure) {
    if (!(failure instanceof PmsFailure)) throw failure
    return asked.map((one) => ({ ...one, failure, result: 'unasked', differences: null }))
  } finally {
    await gate.settled()
  }
}

type Asked = Pick<Found, 'check' | 'push'>

async function findAll(
  connection: PmsConnection,
  provider: Provider,
  asked: readonly Asked[],
  call: Call,
): Promise<Found[]> {
  const found: Found[] = []
  const toRead: Asked[] = []
  const tasks = new Set(asked.flatMap(({ check }) => check.tasks.filter((task) => task !== '')))
  const states = tasks.size > 0 ? await connection.taskStates?.([...tasks], call) : undefined
  for (const one of asked) {
    const state = taskStateOf(one, states)
    if (state instanceof PmsFailure)
      found.push({ ...one, failure: state, result: 'failed', differences: null })
    else if (state === 'pending' && one.check.failed_checks < maxPendingChecks)
      found.push({ ...one, failure: null, result: 'late', differences: null })
    else if (state === 'completed')
      found.push({ ...one, failure: null, result: 'verified', differences: null })
    else toRead.push(one)
  }
  if (toRead.length === 0) return found
  const pushes = toRead.map(({ push }) => push)
  const shown = await connection.read(pushes.map(unitLinkOf), nightsOfAll(pushes), call)
  for (const one of toRead) {
    const differences = differencesBetween(one.push, shown.get(one.check.external_id!) ?? null, provider)
    const result = differences.length === 0 ? 'verified' : 'late'
    found.push({ ...one, failure: null, result, differences })
  }
  return found
}

/** What the tasks say of a listing: a failure that concerns it, or how far they are; `unknown` asks for a look. */
function taskStateOf(
  { check, push }: Asked,
  states: ReadonlyMap<string, TaskState> | undefined,
): PmsFailure | 'pending' | 'completed' | 'unknown' {
  const own = new Set([check.external_id, ...push.links.map(({ externalId }) => externalId)])
  let state: 'pending' | 'completed' | 'unknown' = check.tasks.length === 0 ? 'unknown' : 'completed'
  for (const task of check.tasks) {
    const known = states?.get(task) ?? { state: 'unknown' }
    if (known.state === 'failed') {
      const { externalIds, failure } = known
      if (externalIds.length === 0 || externalIds.some((id) => own.has(id))) return failure
    } else if (known.state === 'pending') state = 'pending'
    else if (known.state === 'unknown' && state === 'completed') state = 'unknown'
  }
  return state
}
