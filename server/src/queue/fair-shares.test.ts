import assert from 'node:assert/strict'
import { afterEach, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql, type Statement } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { atomically, type Scope } from '#db/scope.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { connectWorkerQueue, openQueueDatabase } from '#resources.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { startDispatcher } from './dispatcher.ts'
import { openFairShares } from './fair-shares.ts'
import { enqueue, job } from './job.ts'
import { claimJobs } from './queries.ts'
import type { WorkerQueue } from './queue.ts'

/** How the slots of a worker are divided between organizations and external resources. */

const { world } = shareWorld()
let owner: ReturnType<typeof openOwner>
let queue: WorkerQueue | undefined
const Call = job<{ name: string; resource: string }>({
  name: 'test.call',
  queue: 'webhooks',
  key: ({ name }) => name,
  resource: ({ resource }) => resource,
})

before(async () => {
  owner = openOwner(world.databaseUrl)
  world.defer(() => owner.close())
})
afterEach(async () => {
  await queue?.close(5_000)
  queue = undefined
  await owner.pipelined({ orgId: null }, [sql`delete from queue.jobs`])
})

function enqueueCalls(orgId: string, names: readonly string[], resourceOf = (name: string) => name) {
  const { database } = world.resources
  const actor = { type: 'system' as const, id: 'test', name: 'test' }
  const scope: Scope = { orgId, accountId: null, actor, traceparent: null, database }
  return atomically(scope, (transaction) =>
    enqueue(
      transaction,
      Call,
      names.map((name) => ({ payload: { name, resource: resourceOf(name) } })),
    ),
  )
}

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name} ${at}`)

/** A worker whose jobs hang until they are released. */
async function startWorker(slots: number) {
  const running = new Map<string, (inTime: boolean) => void>()
  const ended: string[] = []
  queue = await connectWorkerQueue(world.config)
  queue.work('webhooks', slots, async ({ data }, { reportResponse: reportAnswer }) => {
    const { name } = data.payload as { name: string }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    running.set(name, resolve)
    reportAnswer(await promise)
    running.delete(name)
    ended.push(name)
    return 'completed'
  })
  const release = (inTime = true, matches: (name: string) => boolean = () => true) => {
    for (const [name, end] of running) if (matches(name)) end(inTime)
  }
  return { running, ended, release }
}
type Worker = Awaited<ReturnType<typeof startWorker>>

const untilRunning = ({ running }: Worker, count: number, matches: (name: string) => boolean = () => true) =>
  until(
    async () => [...running.keys()].filter(matches),
    ({ length }) => length === count,
  )
/** Waits until nothing more is claimed: a job of an organization without a slot comes after all that could come before. */
const untilNothingClaimed = async (worker: Worker) => {
  await enqueueCalls(world.away.id, ['last'])
  await untilRunning(worker, 1, (name) => name === 'last')
}

suite('fair shares', () => {
  test('a long backlog of one organization leaves half of the slots to others', async () => {
    await enqueueCalls(world.away.id, numbered('backlog', 60))
    const worker = await startWorker(8)
    await untilRunning(worker, 4)
    await enqueueCalls(world.home.id, numbered('other', 30))
    for (let taken = 0; taken < 30; taken = worker.ended.length) {
      await until(
        async () => [...worker.running.keys()],
        (names) => names.some((name) => name.startsWith('other')),
      )
      worker.release(true, (name) => name.startsWith('other'))
      await until(
        async () => worker.ended,
        ({ length }) => length > taken,
      )
    }
    assert.deepEqual(worker.ended.toSorted(), numbered('other', 30).toSorted())
    assert.equal(worker.running.size, 4)
    worker.release()
  })

  test('an organization continues as its own slots become free', async () => {
    await enqueueCalls(world.home.id, numbered('mine', 20))
    const worker = await startWorker(8)
    for (let ended = 0; ended < 20; ended = worker.ended.length) {
      await untilRunning(worker, Math.min(4, 20 - ended))
      worker.release()
      await until(
        async () => worker.ended.length,
        (count) => count > ended,
      )
    }
    assert.equal(worker.ended.length, 20)
  })

  test('a resource that timed out gets one slot until it responds in time; other jobs of its organization continue', async () => {
    const worker = await startWorker(16)
    const isOfHost = (name: string) => name.startsWith('host')
    const hosted = (count: number, from = 0) =>
      enqueueCalls(world.home.id, numbered('host', from + count).slice(from), () => 'host')
    await hosted(6)
    await untilRunning(worker, 6, isOfHost)
    worker.release(false)
    await until(
      async () => worker.ended.length,
      (count) => count === 6,
    )
    await hosted(6, 6)
    await untilRunning(worker, 1, isOfHost)
    await enqueueCalls(world.home.id, numbered('healthy', 5))
    await untilRunning(worker, 5, (name) => name.startsWith('healthy'))
    await untilNothingClaimed(worker)
    assert.equal([...worker.running.keys()].filter(isOfHost).length, 1)
    worker.release(true)
    await untilRunning(worker, 5, isOfHost)
    worker.release()
  })
})

suite('polls that pass over jobs', () => {
  test('take a tenth of the time at most, while jobs end and others start', async () => {
    const passMs = 200
    const database = await openQueueDatabase(world.config, () => {})
    world.defer(() => database.close())
    let passes = 0
    const fullOrgs = [world.home.id]
    const isPass = (statement: Statement) =>
      statement.values.some((value) => isDeepStrictEqual(value, fullOrgs))
    const slow: Pick<Database, 'pipelined'> = {
      pipelined: (async (context: { orgId: null }, statements: [Statement]) => {
        if (isPass(statements[0])) await sleep(passMs, passes++)
        return await database.pipelined(context, statements)
      }) as never,
    }
    await enqueueCalls(world.home.id, numbered('mine', 60))
    const startedAt = performance.now()
    let ended = 0
    const run = async () => {
      await sleep(10)
      ended++
      return 'completed' as const
    }
    const options = { name: 'webhooks', concurrency: 8, onError: assert.ifError } as const
    const dispatcher = startDispatcher({ ...options, database: slow as Database, run })
    await until(
      async () => ended,
      (count) => count === 60,
    )
    await dispatcher.close(5_000)
    const maxPasses = 1 + (performance.now() - startedAt) / (10 * passMs)
    assert.ok(passes >= 1 && passes <= maxPasses, `${passes} passes, at most ${maxPasses}`)
  })
})

suite('a claim', () => {
  test('reads the oldest jobs only, however many wait and whatever the statistics say', async () => {
    const database = await openQueueDatabase(world.config, () => {})
    world.defer(() => database.close())
    /** Claims one job, and counts the jobs that are read for it. */
    const claimOne = async () => {
      let read = 0
      const measured: Pick<Database, 'pipelined'> = {
        pipelined: ((context: { orgId: null }, [claim]: [Statement]) =>
          database.transaction(context, async ({ run }) => {
            const claimed = await run(claim)
            const [count] = await run(
              sql<{ read: number }>`select idx_tup_fetch::int as read from pg_stat_xact_all_tables
                where relid = 'queue.jobs'::regclass`,
            )
            read = count!.read
            return [claimed]
          })) as never,
      }
      const allowance = { batchSize: 1, fullOrgs: [], busyResources: [], slowResources: [] }
      const { jobs } = await claimJobs(measured as Database, 'webhooks', allowance)
      return { claimed: jobs.length, read }
    }
    const analyze = () => owner.pipelined({ orgId: null }, [{ text: 'analyze queue.jobs' }])
    await analyze()
    assert.equal((await claimOne()).claimed, 0)
    await enqueueCalls(world.home.id, numbered('waiting', 3_000))
    const before = await claimOne()
    await analyze()
    for (const { claimed, read } of [before, await claimOne()]) {
      assert.equal(claimed, 1)
      assert.ok(read >= 1 && read < 20, `${read} jobs are read`)
    }
  })
})

suite('openFairShares', () => {
  const holder = (org_id: string) => ({ org_id, resource: null })
  /** Fills the slots of one organization after another. */
  const divide = (slots: number, orgs: readonly string[]) => {
    const shares = openFairShares(slots)
    const held = new Map(orgs.map((org) => [org, 0]))
    let taken = 0
    for (const org of orgs)
      while (taken < slots && !shares.allowance().fullOrgs.includes(org)) {
        const { batchSize } = shares.allowance()
        assert.ok(batchSize >= 1 && batchSize <= 10 && taken + batchSize <= slots)
        for (let n = 0; n < batchSize; n++) shares.start(holder(org))
        taken += batchSize
        held.set(org, held.get(org)! + batchSize)
      }
    return [...held.values()]
  }

  test('each organization gets half of the free slots, and one without a slot gets the next free one', () => {
    assert.deepEqual(divide(20, ['a', 'b', 'c', 'd', 'e', 'f']), [10, 5, 3, 1, 1, 0])
    assert.deepEqual(divide(4, ['a', 'b', 'c']), [2, 1, 1])
    assert.deepEqual(divide(1, ['a', 'b']), [1, 0])
  })

  test('the number of slow resources that are remembered is bounded', () => {
    const shares = openFairShares(10)
    for (let n = 0; n < 5_000; n++) shares.report({ org_id: 'a', resource: `resource ${n}` }, false)
    assert.equal(shares.allowance().slowResources.length, 1_000)
    assert.ok(shares.isSlow({ org_id: 'a', resource: 'resource 4999' }))
  })
})
