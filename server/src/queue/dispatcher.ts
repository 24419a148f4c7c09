import type { PgBoss } from 'pg-boss'
import { openFairShares } from './fair-shares.ts'
import { tickMs, type ClaimedJob, type JobRun } from './job.ts'
import { claimJobs } from './queries.ts'

/** Claims and runs the jobs of one queue in one process. */
export interface Dispatcher {
  /** Polls now, because a job was added or may have been. */
  wake(): void
  /** Claims no more jobs, waits up to `graceMs` for running ones, and returns the rest to the queue. */
  close(graceMs: number): Promise<void>
}

export type JobResult = 'completed' | { readonly failed: string }

export interface DispatcherOptions {
  readonly boss: PgBoss
  readonly name: string
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
/** The queue takes a job away from a worker that sends no heartbeat for 10 s. */
const heartbeatMs = 3_000

/**
 * One poll serves all free slots of a process. If each slot polled for itself, every notification and every tick would
 * cost one statement per slot and process, which was most of the load of an idle machine.
 */
export function startDispatcher({ boss, name, concurrency, run, onError }: DispatcherOptions): Dispatcher {
  // Keyed by attempt, not by id: a job that was taken away may be claimed again while the first attempt still runs.
  const running = new Map<ClaimedJob, AbortController>()
  const finished: { job: ClaimedJob; result: JobResult }[] = []
  const shares = openFairShares(concurrency)
  let isPollRequested = true
  let polling: Promise<void> | undefined
  /** Whether jobs may wait for another job of their organization or resource to end. */
  let hasSkippedJobs = false
  let isSaving = false
  let lastJobAt = -Infinity
  let lastPollAt = -Infinity
  let isClosing = false
  let isClosed = false
  let onIdle: (() => void) | undefined

  const wake = () => {
    isPollRequested = true
    pollIfNeeded()
  }
  const canClaim = () => isPollRequested && !isClosing && running.size < concurrency
  const pollIfNeeded = () => {
    if (!polling && canClaim()) polling = poll()
  }
  const poll = async () => {
    try {
      while (canClaim()) {
        isPollRequested = false
        lastPollAt = performance.now()
        const allowance = shares.allowance()
        hasSkippedJobs = allowance.fullOrgs.length + allowance.busyResources.length > 0
        const { jobs, found } = await claimJobs(boss, name, allowance)
        hasSkippedJobs ||= found > jobs.length
        if (jobs.length > 0) lastJobAt = performance.now()
        isPollRequested ||= found === allowance.batchSize
        for (const job of jobs) void start(job)
      }
    } catch (error) {
      onError(error as Error)
    } finally {
      // In the same turn as the last check of canClaim(), so that no request to poll is lost in between.
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
      const failed = 'The job has run for too long.'
      controller.abort(new Error(failed))
      resolve({ failed })
    }, job.expireInSeconds * 1_000)
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
        const completed = batch.flatMap(({ job, result }) => (result === 'completed' ? [job] : []))
        // Each statement names the attempt: a job that another worker has claimed since is left alone.
        if (completed.length > 0) await boss.complete(name, completed)
        for (const { job, result } of batch)
          if (result !== 'completed') await boss.fail(name, job, { message: result.failed })
        finished.splice(0, batch.length)
        for (const { job } of batch) {
          running.delete(job)
          shares.end(job)
        }
        isPollRequested ||= hasSkippedJobs
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

  const sendHeartbeats = async () => {
    const jobs = [...running].flatMap(([job, controller]) => (controller.signal.aborted ? [] : [job]))
    if (jobs.length === 0) return
    // The library returns the ids that it has touched, although its types do not say so.
    const { settled } = (await boss.touch(name, jobs)) as { settled?: string[] }
    if (!settled) return
    const touched = new Set(settled)
    // A job that has finished meanwhile is not touched either; aborting its signal has no effect.
    for (const job of jobs) if (!touched.has(job.id)) running.get(job)?.abort(takenOverError())
  }

  let tickTimer: NodeJS.Timeout
  const tick = () => {
    // Just after the next whole tick of the clock, when the jobs of that tick are due.
    tickTimer = setTimeout(tick, tickMs - (Date.now() % tickMs) + 1)
    const now = performance.now()
    // Retries results that could not be saved.
    void saveResults()
    if (now - lastJobAt < busyAfterWorkMs || now - lastPollAt >= idlePollMs) wake()
  }
  tick()
  const heartbeatTimer = setInterval(() => void sendHeartbeats().catch(onError), heartbeatMs)
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
      const message = 'The worker stopped.'
      // Returned to the queue before they are aborted, so that another worker finds them.
      await boss.fail(name, [...running.keys()], { message }).catch(onError)
      for (const controller of running.values()) controller.abort(new Error(message))
    },
  }
}

const takenOverError = () => new Error('Another worker has claimed the job.')
