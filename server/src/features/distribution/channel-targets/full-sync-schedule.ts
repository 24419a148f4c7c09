import { Cron } from 'croner'
import { semanticError } from '#errors.ts'

/** A full sync calls the PMS for the whole property, so two of them are at least this far apart. */
const minIntervalMs = 3_600_000
/** A schedule with two runs in one hour has two in every hour that it runs in, so three runs include such a pair. */
const comparedRuns = 3

const parse = (cron: string) => new Cron(cron, { mode: '5-part', timezone: 'UTC' })

/** The next run of a schedule, in UTC. */
export const nextFullSync = (cron: string): Date => {
  const next = parse(cron).nextRun()
  if (!next) throw new Error(`The schedule ${cron} has no next run.`)
  return next
}

/** @throws Invalid when it is no cron expression, never runs, or runs more often than once an hour */
export function assertFullSyncSchedule(cron: string): void {
  const runs = nextRuns(cron)
  if (!runs)
    throw scheduleError(
      'must be a cron expression with five fields, such as "0 3 * * *" for 03:00 UTC each day',
      'wrong_format',
    )
  if (runs.length === 0) throw scheduleError(`never runs: no date matches ${cron}`, 'never_due')
  const isTooOften = runs.some((run, at) => at > 0 && run.getTime() - runs[at - 1]!.getTime() < minIntervalMs)
  if (isTooOften) throw scheduleError('may run at most once an hour', 'too_often')
}

function nextRuns(cron: string): Date[] | undefined {
  try {
    return parse(cron).nextRuns(comparedRuns)
  } catch {
    return undefined
  }
}

const scheduleError = (problem: string, code: string) =>
  semanticError('config/full_sync_cron', `full_sync_cron ${problem}.`, code)
