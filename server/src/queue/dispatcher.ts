import type { Database } from '#db/connect.ts'
import { openFairShares } from './fair-shares.ts'
import { tickMs, type JobRun, type QueueName } from './job.ts'
import {
  claimJobs,
  deleteJobs,
  releaseJobs,
  retryJobs,
  sendHeartbeats,
  type Allowance,
  type ClaimedJob,
} from './queries.ts'

/** Claims and runs the jobs of one queue in one process. */
export interface Dispatcher {
  /** Polls now, because a job was added or may have been. */
  wake(): void
  /** Claims no more jobs, waits up to `graceMs` for running ones, and returns the rest to the queue. */
  close(graceMs: number): Promise<void>
}

export type JobResult = 'completed' | 'failed'

export interface DispatcherOptions {
  readonly database: Database
  readonly name: QueueName
  /** The number of jobs that run at the same time. */
  readonly concurrency: number
  /** Runs a job. Never rejects. */
  readonly run: (job: ClaimedJob, run: JobRun) => Promise<JobResult>
  readonly onError: (error: Error) => void
}

/**
 * Delayed jobs send no notification when they become due, and notifications can be missed, so an idle queue is polled
 * twice a second. For 5 s after a job it is polled at each tick, because more jobs are likely to become due then.
 */
const idlePollMs = 500
const busyAfterWorkMs = 5_000
/** Polls that find only jobs for which no slot is free, perhaps many, take a tenth of the time at most. */
const minPauseShare = 10
/** The queue takes a job away from a worker that sends no heartbeat for 10 s. */
const heartbeatMs = 3_000
const maxRunMs = 600_000

/**
 * One poll serves all free slots of a process. If each slot polled for itself, every notification and every tick would
 * cost one statement per slot and process, which was most of the load of an idle machine.
 */
export function startDispatcher({
  database,
  name,
  concurrency,
  run,
  onError,
}: DispatcherOptions): Dispatcher {
  // Keyed by attempt, not by id: a job that was taken away may be claimed again while the first attempt still runs.
  const running = new Map<ClaimedJob, AbortController>()
  const finished: { job: ClaimedJob; result: JobResult }[] = []
  const shares = openFairShares(concurrency)
  let isPollRequested = true
  let polling: Promise<void> | undefined
  /** Whether jobs may wait for another job of their organization or resource to end. */
  let hasSkippedJobs = false
  /** The last poll passed over all of them: only the end of a job, or the next tick, is a reason for another one. */
  let isWaitingForSlots = false
  let hasFreedSlots = false
  let isSaving = false
  let lastJobAt = -Infinity
  let lastPollAt = -Infinity
  /** Until then no poll passes over jobs. */
  let pausedUntil = -Infinity
  let isClosing = false
  let isClosed = false
  let onIdle: (() => void) | undefined

  const wake = () => {
    isPollRequested = true
    pollIfNeeded()
  }
  /** What the next poll may claim; undefined when there is no reason for one. */
  const nextAllowance = () => {
    if (!isPollRequested || (isWaitingForSlots && !hasFreedSlots)) return
    if (isClosing || running.size >= concurrency) return
    const allowance = shares.allowance()
    return passesOver(allowance) && performance.now() < pausedUntil ? undefined : allowance
  }
  const pollIfNeeded = () => {
    const allowance = polling ? undefined : nextAllowance()
    if (allowance) polling = poll(allowance)
  }
  const poll = async (first: Allowance) => {
    try {
      for (let allowance: Allowance | undefined = first; allowance; allowance = nextAllowance()) {
        isPollRequested = false
        hasFreedSlots = false
        lastPollAt = performance.now()
        hasSkippedJobs = passesOver(allowance)
        const { jobs, found } = await claimJobs(database, name, allowance)
        const now = performance.now()
        if (hasSkippedJobs && found === 0) pausedUntil = now + minPauseShare * (now - lastPollAt)
        hasSkippedJobs ||= found > jobs.length
        if (jobs.length > 0) lastJobAt = now
        isPollRequested ||= found === allowance.batchSize
        isWaitingForSlots = hasSkippedJobs && found < allowance.batchSize
        for (const job of jobs) void start(job)
      }
    } catch (error) {
      onError(error as Error)
    } finally {
      // In the same turn as the last check of nextAllowance(), so that no request to poll is lost in between.
      polling = undefined
    }
  }

  const start = async (job: ClaimedJob) => {
    const controller = new AbortController()
    for (const [other, otherController] of running)
      if (other.id === job.id) otherController.abort(takenOverError())
    running.set(job, controller)
    shares.start(job)
    const { promise: timeout, resolve } = Promise.withResolvers<JobResult>()
    const timer = setTimeout(() => {
      const error = new Error(
        `${job.data.job} (job ${job.id}) has run for more than ${maxRunMs / 60_000} minutes.`,
      )
      controller.abort(error)
      onError(error)
      resolve('failed')
    }, maxRunMs)
    const result = await Promise.race([
      run(job, {
        jobId: job.id,
        signal: controller.signal,
        isSlow: shares.isSlow(job),
        reportResponse: (inTime) => shares.report(job, inTime),
      }),
      timeout,
    ])
    clearTimeout(timer)
    finished.push({ job, result })
    await saveResults()
  }

  /** Jobs that finish while a statement is on its way are saved with the next one. */
  const saveResults = async () => {
    if (isSaving || isClosed) return
    isSaving = true
    try {
      while (finished.length > 0) {
        const batch = finished.slice()
        const jobsWith = (wanted: JobResult) =>
          batch.flatMap(({ job, result }) => (result === wanted ? [job] : []))
        const [completed, failed] = [jobsWith('completed'), jobsWith('failed')]
        if (completed.length > 0) await deleteJobs(database, completed)
        if (failed.length > 0) await retryJobs(database, failed)
        finished.splice(0, batch.length)
        for (const { job } of batch) {
          running.delete(job)
          shares.end(job)
        }
        isPollRequested ||= hasSkippedJobs
        hasFreedSlots = true
      }
    } catch (error) {
      // The slots stay taken, and the next tick tries again.
      onError(error as Error)
    } finally {
      isSaving = false
    }
    if (running.size === 0) onIdle?.()
    pollIfNeeded()
  }

  const keepJobs = async () => {
    const jobs = [...running].flatMap(([job, controller]) => (controller.signal.aborted ? [] : [job]))
    if (jobs.length === 0) return
    const owned = await sendHeartbeats(database, jobs)
    // A job that has finished meanwhile is gone too; aborting its signal has no effect.
    for (const job of jobs) if (!owned.has(job.id)) running.get(job)?.abort(takenOverError())
  }

  let tickTimer: NodeJS.Timeout
  const tick = () => {
    // Just after the next whole tick of the clock, when the jobs of that tick are due.
    tickTimer = setTimeout(tick, tickMs - (Date.now() % tickMs) + 1)
    const now = performance.now()
    // Retries results that could not be saved.
    void saveResults()
    isWaitingForSlots = false
    if (isPollRequested || now - lastJobAt < busyAfterWorkMs || now - lastPollAt >= idlePollMs) wake()
  }
  tick()
  const heartbeatTimer = setInterval(() => void keepJobs().catch(onError), heartbeatMs)
  wake()

  return {
    wake,
    async close(graceMs) {
      isClosing = true
      await polling
      if (running.size > 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        onIdle = resolve
        const timer = setTimeout(resolve, graceMs)
        await promise
        clearTimeout(timer)
      }
      clearTimeout(tickTimer)
      clearInterval(heartbeatTimer)
      isClosed = true
      if (running.size === 0) return
      // Released before they are aborted, so that another worker finds them.
      await releaseJobs(database, [...running.keys()]).catch(onError)
      for (const controller of running.values()) controller.abort(new Error('The worker stopped.'))
    },
  }
}

const passesOver = ({ fullOrgs, busyResources }: Allowance) => fullOrgs.length + busyResources.length > 0

const takenOverError = () => new Error('Another worker has claimed the job.')
