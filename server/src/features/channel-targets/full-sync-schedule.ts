import { Cron } from 'croner'
import { semanticError } from '#errors.ts'

/** A full sync costs the PMS as many calls as a whole property has, so that two of them keep this distance. */
const minDistanceMs = 3_600_000
/** Runs that are less than an hour apart lie in one hour, so that of three in a row two are such a pair. */
const comparedRuns = 3

const parse = (cron: string) => new Cron(cron, { mode: '5-part', timezone: 'UTC' })

/** The next time after another that a schedule names, in UTC. */
export const nextFullSync = (cron: string, after = new Date()): Date => {
  const next = parse(cron).nextRun(after)
  if (!next) throw new Error(`The schedule ${cron} never comes.`)
  return next
}

/** @throws Invalid when it is no schedule, never comes, or comes more often than once an hour */
export function assertFullSyncSchedule(cron: string): void {
  const runs = runsOf(cron)
  if (!runs)
    throw refused(
      'must be a cron expression of five fields, such as 0 3 * * *: at 03:00 UTC each day',
      'wrong_format',
    )
  if (runs.length === 0) throw refused(`never comes: no day is as ${cron} says`, 'never_due')
  const isTooOften = runs.some((run, at) => at > 0 && run.getTime() - runs[at - 1]!.getTime() < minDistanceMs)
  if (isTooOften) throw refused('may come once an hour at most', 'too_often')
}

function runsOf(cron: string): Date[] | undefined {
  try {
    return parse(cron).nextRuns(comparedRuns)
  } catch {
    return undefined
  }
}

const refused = (what: string, code: string) =>
  semanticError('config/full_sync_cron', `full_sync_cron ${what}.`, code)
