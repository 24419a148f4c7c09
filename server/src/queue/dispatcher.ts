import type { PgBoss } from 'pg-boss'
import { openFairShares } from './fair-shares.ts'
import { slotMs, type ClaimedJob, type Run } from './job.ts'
import { claimJobs } from './queries.ts'

/** Hands out the jobs of one queue to one process. */
export interface Dispatcher {
  /** Looks for work now: some has come, or may have. */
  wake(): void
  /** Takes nothing more, lets what runs end for so long, and gives the rest back. */
  close(graceMs: number): Promise<void>
}

export type Verdict = 'completed' | { readonly failed: string }

export interface Work {
  readonly boss: PgBoss
  readonly name: string
  /** So many jobs run at once. */
  readonly concurrency: number
  /** Works a job; whatever happens, it answers. */
  readonly run: (job: ClaimedJob, run: Run) => Promise<Verdict>
  readonly trouble: (error: Error) => void
}

/**
 * Jobs whose time comes later announce themselves to nobody, and a notification can be missed. Where there was work a
 * moment ago there is more to come, and most of it waits for its time: there we look at each slot of the clock.
 */
const lookEveryMs = 500
const momentMs = 5_000
/** A queue takes a job away from whoever shows no sign of life for 10 s. */
const signEveryMs = 3_000
/**
 * One look serves all free places of a process. With places that look for themselves, each notification and each tick
 * costs a statement for every place of every process, which is most of what an idle machine did.
 */
export function dispatch({ boss, name, concurrency, run, trouble }: Work): Dispatcher {
  // By attempt, not by id: a job that was taken from us may come back while we still work on it.
  const running = new Map<ClaimedJob, AbortController>()
  const ended: { job: ClaimedJob; verdict: Verdict }[] = []
  const shares = openFairShares(concurrency)
  let isWanted = true
  let looking: Promise<void> | undefined
  /** Whether jobs may wait for the end of another one of their organization or resource. */
  let hasLeftOut = false
  let isSettling = false
  let workedAt = -Infinity
  let lookedAt = -Infinity
  let isOver = false
  let isClosed = false
  let emptied: (() => void) | undefined

  const wake = () => {
    isWanted = true
    look()
  }
  const mayTake = () => isWanted && !isOver && running.size < concurrency
  const look = () => {
    if (!looking && mayTake()) looking = take()
  }
  const take = async () => {
    try {
      while (mayTake()) {
        isWanted = false
        lookedAt = performance.now()
        const allowance = shares.allowance()
        hasLeftOut = allowance.fullOrgs.length + allowance.busyResources.length > 0
        const { jobs, found } = await claimJobs(boss, name, allowance)
        hasLeftOut ||= found > jobs.length
        if (jobs.length > 0) workedAt = performance.now()
        isWanted ||= found === allowance.batchSize
        for (const job of jobs) void start(job)
      }
    } catch (error) {
      trouble(error as Error)
    } finally {
      // Together with the last look at what is wanted: nobody is turned away in between.
      looking = undefined
    }
  }

  const start = async (job: ClaimedJob) => {
    const control = new AbortController()
    for (const [other, before] of running) if (other.id === job.id) before.abort(takenOver())
    running.set(job, control)
    shares.start(job)
    const { promise: tooLate, resolve } = Promise.withResolvers<Verdict>()
    const late = setTimeout(() => {
      const failed = 'The job has run for too long.'
      control.abort(new Error(failed))
      resolve({ failed })
    }, job.expireInSeconds * 1_000)
    const verdict = await Promise.race([
      run(job, {
        jobId: job.id,
        signal: control.signal,
        isSlow: shares.isSlow(job),
        reportAnswer: (inTime) => shares.report(job, inTime),
      }),
      tooLate,
    ])
    clearTimeout(late)
    ended.push({ job, verdict })
    await settle()
  }

  /** What has ended while a statement was on its way goes with the next one. */
  const settle = async () => {
    if (isSettling || isClosed) return
    isSettling = true
    try {
      while (ended.length > 0) {
        const settled = ended.slice()
        const completed = settled.flatMap(({ job, verdict }) => (verdict === 'completed' ? [job] : []))
        // Each names the attempt that was worked: one that was given to another worker is left alone.
        if (completed.length > 0) await boss.complete(name, completed)
        for (const { job, verdict } of settled)
          if (verdict !== 'completed') await boss.fail(name, job, { message: verdict.failed })
        ended.splice(0, settled.length)
        for (const { job } of settled) {
          running.delete(job)
          shares.end(job)
        }
        isWanted ||= hasLeftOut
      }
    } catch (error) {
      // The places stay taken, and the next tick tries again.
      trouble(error as Error)
    } finally {
      isSettling = false
    }
    if (running.size === 0) emptied?.()
    look()
  }

  const showLife = async () => {
    const held = [...running].flatMap(([job, control]) => (control.signal.aborted ? [] : [job]))
    if (held.length === 0) return
    // Its types do not say that the library tells which.
    const { settled } = (await boss.touch(name, held)) as { settled?: string[] }
    const ours = new Set(settled)
    for (const job of settled ? held : [])
      // What has ended meanwhile is no longer there to be touched, and nobody listens to its signal.
      if (!ours.has(job.id)) running.get(job)?.abort(takenOver())
  }

  let ticks: NodeJS.Timeout
  const tick = () => {
    // Just after the next whole slot, when what is due then is due.
    ticks = setTimeout(tick, slotMs - (Date.now() % slotMs) + 1)
    const now = performance.now()
    // What could not be settled is tried again.
    void settle()
    if (now - workedAt < momentMs || now - lookedAt >= lookEveryMs) wake()
  }
  tick()
  const signs = setInterval(() => void showLife().catch(trouble), signEveryMs)
  wake()

  return {
    wake,
    async close(graceMs) {
      isOver = true
      await looking
      if (running.size > 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        emptied = resolve
        const late = setTimeout(resolve, graceMs)
        await promise
        clearTimeout(late)
      }
      clearTimeout(ticks)
      clearInterval(signs)
      isClosed = true
      if (running.size === 0) return
      const stopped = 'The worker stopped.'
      // Given back before they are told to end, so that whoever comes next finds them.
      await boss.fail(name, [...running.keys()], { message: stopped }).catch(trouble)
      for (const control of running.values()) control.abort(new Error(stopped))
    },
  }
}

const takenOver = () => new Error('Another worker has taken the job over.')
