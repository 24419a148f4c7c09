import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { atomically, type Scope } from '#db/scope.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { openResources, connectWorkerQueue } from '#resources.ts'
import { until } from '#test/linked-units.ts'
import { openWorld, type World } from '#test/world.ts'
import { enqueue, job } from './job.ts'
import { notificationChannel, prepareQueue, type WorkerQueue } from './queue.ts'

/** Which process runs the jobs of a queue, when, and how many at a time. No other worker runs here. */

let world: World
let scope: Scope
let owner: ReturnType<typeof openOwner>
let queues: WorkerQueue[] = []
const TestJob = job<{ name: string }>({ name: 'test.job', queue: 'webhooks', key: ({ name }) => name })
const QuietJob = job({ ...TestJob, name: 'test.quiet', queue: 'notifications' })

before(async () => {
  world = await openWorld()
  owner = openOwner(world.databaseUrl)
  const { database, outbox } = world.resources
  const actor = { type: 'system' as const, id: 'test', name: 'test' }
  scope = { orgId: world.home.id, accountId: null, actor, traceparent: null, database, outbox }
})
afterEach(async () => {
  for (const queue of queues) await queue.close(5_000)
  queues = []
  await query(sql`delete from pgboss.job where name = 'webhooks'`)
})
after(async () => {
  await owner.close()
  await world[Symbol.asyncDispose]()
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

const listJobs = async () =>
  (await query(sql`select data -> 'payload' ->> 'name' as name, state, retry_count as tries from pgboss.job
    where name = 'webhooks' order by 1`)) as { name: string; state: string; tries: number }[]

const untilCompleted = () =>
  until(listJobs, (jobs) => jobs.length > 0 && jobs.every(({ state }) => state === 'completed'), 20)

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

  test('the library notifies the channel that workers listen on, for notifying queues only', async () => {
    const received: string[] = []
    const listener = await world.resources.database.listen(
      { [notificationChannel]: (name) => received.push(name) },
      () => {},
    )
    try {
      await enqueueAll(['job'])
      await until(
        async () => received,
        ({ length }) => length > 0,
        10,
      )
      // Quiet queues send no notification, although an earlier version enabled it.
      await query(sql`update pgboss.queue set notify = true`)
      await prepareQueue(world.databaseUrl)
      const { database, outbox, close } = await openResources(world.config, 'api')
      await atomically({ ...scope, database, outbox }, async (transaction) => {
        await enqueue(transaction, QuietJob, [{ payload: { name: 'quiet' } }])
        await enqueue(transaction, TestJob, [{ payload: { name: 'another' } }])
      }).finally(close)
      await until(
        async () => received,
        ({ length }) => length > 1,
        10,
      )
      assert.deepEqual(received, ['webhooks', 'webhooks'])
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
      return nameOf(job) === 'bad' && isFirst ? { failed: 'temporary' } : 'completed'
    })
    const jobs = await untilCompleted()
    assert.deepEqual(jobs, [
      { name: 'bad', state: 'completed', tries: 1 },
      { name: 'good', state: 'completed', tries: 0 },
    ])
    assert.deepEqual(tries.toSorted(), ['bad', 'bad', 'good'])
  })

  test('a job that runs longer than the heartbeat timeout stays with its worker', async () => {
    let runs = 0
    await enqueueAll(['long'])
    await startWorker(1, async (_, { signal }) => {
      runs++
      await sleep(14_000)
      assert.equal(signal.aborted, false)
      return 'completed'
    })
    assert.deepEqual(await untilCompleted(), [{ name: 'long', state: 'completed', tries: 0 }])
    assert.equal(runs, 1)
  })

  test('a job that another worker has claimed is aborted, and its result is ignored', async () => {
    const aborted: boolean[] = []
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const { promise: taken, resolve: take } = Promise.withResolvers<void>()
    await enqueueAll(['taken'])
    await startWorker(4, async ({ retryCount }, { signal }) => {
      if (retryCount > 0) {
        take()
        await ended
        await sleep(500)
        return 'completed'
      }
      // As the supervision of the queue does without a heartbeat.
      await query(sql`update pgboss.job set state = 'retry' where name = 'webhooks'`)
      // The job may be claimed again before the result of that statement arrives.
      if (!signal.aborted)
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      aborted.push(signal.aborted)
      // A heartbeat may be rejected before another worker has claimed the job; until then this worker can still fail it.
      await taken
      end()
      return { failed: 'too late' }
    })
    assert.deepEqual(await untilCompleted(), [{ name: 'taken', state: 'completed', tries: 1 }])
    assert.deepEqual(aborted, [true])
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
      10,
    )
    const closed = queue.close(5_000)
    end()
    await closed
    queues = []
    const states = await listJobs()
    assert.deepEqual(
      states.map(({ name, state }) => `${name} ${state}`),
      ['next created', 'quick completed', 'slow retry'],
    )
    assert.equal(started.length, 2)
  })
})
