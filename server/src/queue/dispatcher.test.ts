import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { atomically, type Scope } from '#db/scope.ts'
import { openOwner } from '#features/provisioning/provision.ts'
import { openResources, openWork } from '#resources.ts'
import { until } from '../../test/stock.ts'
import { openWorld, type World } from '../../test/world.ts'
import { enqueue, job } from './job.ts'
import { channel, prepareQueue, type WorkerQueue } from './queue.ts'

/** Who gets the jobs of a queue, when, and how many at once. Nobody else works this one here. */

let world: World
let scope: Scope
let owner: ReturnType<typeof openOwner>
let queues: WorkerQueue[] = []
const Errand = job<{ name: string }>({ name: 'test.errand', queue: 'webhooks', key: ({ name }) => name })
const Letter = job({ ...Errand, name: 'test.letter', queue: 'notifications' })

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

const ask = (names: readonly string[]) =>
  atomically(scope, (transaction) =>
    enqueue(
      transaction,
      Errand,
      names.map((name) => ({ payload: { name } })),
    ),
  )

type Run = Parameters<WorkerQueue['work']>[2]
const nameOf = ({ data }: Parameters<Run>[0]) => (data.payload as { name: string }).name

async function work(concurrency: number, run: Run): Promise<WorkerQueue> {
  const queue = await openWork(world.config)
  queues.push(queue)
  queue.work('webhooks', concurrency, run)
  return queue
}

const statesOf = async () =>
  (await query(sql`select data -> 'payload' ->> 'name' as name, state, retry_count as tries from pgboss.job
    where name = 'webhooks' order by 1`)) as { name: string; state: string; tries: number }[]

const settled = () =>
  until(statesOf, (jobs) => jobs.length > 0 && jobs.every(({ state }) => state === 'completed'), 20)

suite('the dispatcher', () => {
  test('runs as many at once as the organization may, all once, and takes the next as one ends', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `errand ${at}`)
    const seen: string[] = []
    let [now, most] = [0, 0]
    await ask(names)
    await work(7, async (job) => {
      most = Math.max(most, ++now)
      await sleep(5 + 20 * Math.random())
      now--
      seen.push(nameOf(job))
      return 'completed'
    })
    await settled()
    assert.equal(most, 4)
    assert.deepEqual(seen.toSorted(), names.toSorted())
  })

  test('of two processes no job is run by both', async () => {
    const names = Array.from({ length: 80 }, (_, at) => `errand ${at}`)
    const seen: string[][] = [[], []]
    for (const mine of seen)
      await work(5, async (job) => {
        await sleep(5)
        mine.push(nameOf(job))
        return 'completed'
      })
    for (let at = 0; at < names.length; at += 8) await ask(names.slice(at, at + 8))
    await settled()
    assert.deepEqual(seen.flat().toSorted(), names.toSorted())
  })

  test('the library tells of a new job where we listen', async () => {
    const heard: string[] = []
    const listener = await world.resources.database.listen(
      { [channel]: (name) => heard.push(name) },
      () => {},
    )
    try {
      await ask(['errand'])
      await until(
        async () => heard,
        ({ length }) => length > 0,
        10,
      )
      // What nobody waits for wakes nobody, although an earlier version wanted it.
      await query(sql`update pgboss.queue set notify = true`)
      await prepareQueue(world.databaseUrl)
      const { database, outbox, close } = await openResources(world.config, 'api')
      await atomically({ ...scope, database, outbox }, async (transaction) => {
        await enqueue(transaction, Letter, [{ payload: { name: 'letter' } }])
        await enqueue(transaction, Errand, [{ payload: { name: 'another' } }])
      }).finally(close)
      await until(
        async () => heard,
        ({ length }) => length > 1,
        10,
      )
      assert.deepEqual(heard, ['webhooks', 'webhooks'])
    } finally {
      await listener.stop()
    }
  })

  test('a job that wakes nobody is found all the same', async () => {
    const seen: string[] = []
    const queue = await openWork(world.config)
    queues.push(queue)
    queue.work('notifications', 1, async (job) => {
      seen.push(nameOf(job))
      return 'completed'
    })
    await atomically(scope, (transaction) =>
      enqueue(transaction, Letter, [{ payload: { name: 'unannounced' } }]),
    )
    await until(
      async () => seen,
      (names) => names.includes('unannounced'),
    )
  })

  test('a job that fails is tried again, and the others go on', async () => {
    const tries: string[] = []
    await ask(['bad', 'good'])
    await work(2, async (job) => {
      tries.push(nameOf(job))
      const isFirst = tries.filter((name) => name === 'bad').length === 1
      return nameOf(job) === 'bad' && isFirst ? { failed: 'not today' } : 'completed'
    })
    const jobs = await settled()
    assert.deepEqual(jobs, [
      { name: 'bad', state: 'completed', tries: 1 },
      { name: 'good', state: 'completed', tries: 0 },
    ])
    assert.deepEqual(tries.toSorted(), ['bad', 'bad', 'good'])
  })

  test('a job that takes longer than a sign of life lasts stays where it is', async () => {
    let runs = 0
    await ask(['long'])
    await work(1, async (_, { signal }) => {
      runs++
      await sleep(14_000)
      assert.equal(signal.aborted, false)
      return 'completed'
    })
    assert.deepEqual(await settled(), [{ name: 'long', state: 'completed', tries: 0 }])
    assert.equal(runs, 1)
  })

  test('a job that another has taken over is told to end, and its end changes nothing', async () => {
    const told: boolean[] = []
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const { promise: taken, resolve: take } = Promise.withResolvers<void>()
    await ask(['taken'])
    await work(4, async ({ retryCount }, { signal }) => {
      if (retryCount > 0) {
        take()
        await ended
        await sleep(500)
        return 'completed'
      }
      // As the watch of the queue does when no sign of life came.
      await query(sql`update pgboss.job set state = 'retry' where name = 'webhooks'`)
      // It may be taken before the answer of that statement is here.
      if (!signal.aborted)
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      told.push(signal.aborted)
      // A sign of life may be refused before anybody has taken it, and then it is still ours to fail.
      await taken
      end()
      return { failed: 'too late to say' }
    })
    assert.deepEqual(await settled(), [{ name: 'taken', state: 'completed', tries: 1 }])
    assert.deepEqual(told, [true])
  })

  test('closed, it lets what runs end, gives back what does not, and takes nothing more', async () => {
    const begun: string[] = []
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    // One after another: jobs of one transaction have no order among themselves.
    for (const name of ['quick', 'slow', 'next']) await ask([name])
    const queue = await work(3, async (job, { signal }) => {
      begun.push(nameOf(job))
      const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      await (nameOf(job) === 'slow' ? stopped : mayEnd)
      return 'completed'
    })
    await until(
      async () => begun,
      ({ length }) => length === 2,
      10,
    )
    const closed = queue.close(5_000)
    end()
    await closed
    queues = []
    const states = await statesOf()
    assert.deepEqual(
      states.map(({ name, state }) => `${name} ${state}`),
      ['next created', 'quick completed', 'slow retry'],
    )
    assert.equal(begun.length, 2)
  })
})
