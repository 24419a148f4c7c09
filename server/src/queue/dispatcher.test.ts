import assert from 'node:assert/strict'
import { afterEach, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '#db/sql.ts'
import { atomically, type Scope } from '#db/scope.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { connectWorkerQueue } from '#resources.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { enqueue, job } from './job.ts'
import { jobChannel } from './queries.ts'
import type { WorkerQueue } from './queue.ts'

/** Which process runs the jobs of a queue, when, and how many at a time. No other worker runs here. */

const { world } = shareWorld()
let scope: Scope
let owner: ReturnType<typeof openOwner>
let queues: WorkerQueue[] = []
const TestJob = job<{ name: string }>({ name: 'test.job', queue: 'webhooks', key: ({ name }) => name })
const QuietJob = job({ ...TestJob, name: 'test.quiet', queue: 'notifications' })

before(async () => {
  owner = openOwner(world.databaseUrl)
  const { database } = world.resources
  const actor = { type: 'system' as const, id: 'test', name: 'test' }
  scope = { orgId: world.home.id, accountId: null, actor, traceparent: null, database }
  world.defer(() => owner.close())
})
afterEach(async () => {
  for (const queue of queues) await queue.close(5_000)
  queues = []
  await query(sql`delete from queue.jobs`)
})

const query = async (statement: Parameters<typeof owner.pipelined>[1][number]) =>
  (await owner.pipelined({ orgId: null }, [statement]))[0] as Record<string, unknown>[]

const enqueueAll = (names: readonly string[]) =>
  atomically(scope, (transaction) =>
    enqueue(
      transaction,
      TestJob,
      names.map((name) => ({ payload: { name } })),
    ),
  )

type RunJob = Parameters<WorkerQueue['work']>[2]
const nameOf = ({ data }: Parameters<RunJob>[0]) => (data.payload as { name: string }).name

async function startWorker(concurrency: number, run: RunJob): Promise<WorkerQueue> {
  const queue = await connectWorkerQueue(world.config)
  queues.push(queue)
  queue.work('webhooks', concurrency, run)
  return queue
}

/** Jobs that have completed are deleted. */
const listJobs = async () =>
  (await query(sql`select data -> 'payload' ->> 'name' as name, attempts, heartbeat_at is not null as is_running
    from queue.jobs order by 1`)) as { name: string; attempts: number; is_running: boolean }[]

const untilCompleted = () => until(listJobs, (jobs) => jobs.length === 0)

suite('the dispatcher', () => {
  test('runs each job once, at most as many at a time as the organization may have slots', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `job ${at}`)
    const seen: string[] = []
    let [active, maxActive] = [0, 0]
    await enqueueAll(names)
    await startWorker(7, async (job) => {
      maxActive = Math.max(maxActive, ++active)
      await sleep(5 + 20 * Math.random())
      active--
      seen.push(nameOf(job))
      return 'completed'
    })
    await untilCompleted()
    assert.equal(maxActive, 4)
    assert.deepEqual(seen.toSorted(), names.toSorted())
  })

  test('no job is run by two processes', async () => {
    const names = Array.from({ length: 80 }, (_, at) => `job ${at}`)
    const seen: string[][] = [[], []]
    for (const mine of seen)
      await startWorker(5, async (job) => {
        await sleep(5)
        mine.push(nameOf(job))
        return 'completed'
      })
    for (let at = 0; at < names.length; at += 8) await enqueueAll(names.slice(at, at + 8))
    await untilCompleted()
    assert.deepEqual(seen.flat().toSorted(), names.toSorted())
  })

  test('new jobs notify the workers, for notifying queues only and not before they are due', async () => {
    const received: string[] = []
    const { database } = world.resources
    const listener = await database.listen({ [jobChannel]: (name) => received.push(name) }, () => {})
    try {
      await atomically(scope, (transaction) =>
        enqueue(transaction, QuietJob, [{ payload: { name: 'quiet' } }]),
      )
      await atomically(scope, (transaction) =>
        enqueue(transaction, TestJob, [{ payload: { name: 'later' }, afterMs: 60_000 }]),
      )
      await enqueueAll(['now', 'too'])
      await until(
        async () => received,
        ({ length }) => length > 0,
      )
      assert.deepEqual(received, ['webhooks'])
    } finally {
      await listener.stop()
    }
  })

  test('a job of a queue without notifications is found by polling', async () => {
    const seen: string[] = []
    const queue = await connectWorkerQueue(world.config)
    queues.push(queue)
    queue.work('notifications', 1, async (job) => {
      seen.push(nameOf(job))
      return 'completed'
    })
    await atomically(scope, (transaction) =>
      enqueue(transaction, QuietJob, [{ payload: { name: 'unnotified' } }]),
    )
    await until(
      async () => seen,
      (names) => names.includes('unnotified'),
    )
  })

  test('a failed job is retried, and other jobs continue', async () => {
    const tries: string[] = []
    await enqueueAll(['bad', 'good'])
    await startWorker(2, async (job) => {
      tries.push(nameOf(job))
      const isFirst = tries.filter((name) => name === 'bad').length === 1
      return nameOf(job) === 'bad' && isFirst ? 'failed' : 'completed'
    })
    await untilCompleted()
    assert.deepEqual(tries.toSorted(), ['bad', 'bad', 'good'])
  })

  test('the heartbeat of a job that runs for long is renewed in time, so it stays with its worker', async () => {
    let runs = 0
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    await enqueueAll(['long'])
    await startWorker(1, async (_, { signal }) => {
      runs++
      await ended
      assert.equal(signal.aborted, false)
      return 'completed'
    })
    const ageOfHeartbeat = async () => {
      const [row] = await query(
        sql`select extract(epoch from now() - heartbeat_at)::float8 as age from queue.jobs`,
      )
      return row?.['age'] as number | null
    }
    await until(ageOfHeartbeat, (age) => age !== null)
    // Without a renewal the job would be released six seconds later.
    await query(sql`update queue.jobs set heartbeat_at = now() - interval '4 seconds'`)
    await until(ageOfHeartbeat, (age) => age !== null && age < 3)
    end()
    await untilCompleted()
    assert.equal(runs, 1)
  })

  test('a job that another worker has claimed is aborted, and its result is ignored', async () => {
    const aborted: boolean[] = []
    const second: number[] = []
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const { promise: taken, resolve: take } = Promise.withResolvers<void>()
    await enqueueAll(['taken'])
    await startWorker(4, async ({ attempts }, { signal }) => {
      if (attempts > 1) {
        second.push(attempts)
        take()
        await ended
        await sleep(500)
        return 'completed'
      }
      // As the supervision of the queue does without a heartbeat.
      await query(sql`update queue.jobs set heartbeat_at = null`)
      // The job may be claimed again before the result of that statement arrives.
      if (!signal.aborted)
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      aborted.push(signal.aborted)
      // A heartbeat may be rejected before another worker has claimed the job; until then this worker can still fail it.
      await taken
      end()
      return 'failed'
    })
    await untilCompleted()
    assert.deepEqual([aborted, second], [[true], [2]])
  })

  test('on close it claims nothing more, waits for running jobs, and returns unfinished ones', async () => {
    const started: string[] = []
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    // One transaction each: jobs of the same transaction have no defined order.
    for (const name of ['quick', 'slow', 'next']) await enqueueAll([name])
    const queue = await startWorker(3, async (job, { signal }) => {
      started.push(nameOf(job))
      const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      await (nameOf(job) === 'slow' ? stopped : mayEnd)
      return 'completed'
    })
    await until(
      async () => started,
      ({ length }) => length === 2,
    )
    const closed = queue.close(4_000)
    end()
    await closed
    queues = []
    assert.deepEqual(await listJobs(), [
      { name: 'next', attempts: 0, is_running: false },
      { name: 'slow', attempts: 1, is_running: false },
    ])
    assert.equal(started.length, 2)
  })
})
