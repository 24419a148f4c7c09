import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { atomically, type Scope } from '#db/scope.ts'
import { openOwner } from '#features/provisioning/provision.ts'
import { openWork } from '#resources.ts'
import { until } from '../../test/stock.ts'
import { openWorld, type World } from '../../test/world.ts'
import { openFairShares } from './fair-shares.ts'
import { enqueue, job } from './job.ts'
import type { WorkerQueue } from './queue.ts'

/** How the places of a worker are divided between organizations, and between the things outside that they wait for. */

let world: World
let owner: ReturnType<typeof openOwner>
let queue: WorkerQueue | undefined
const Call = job<{ name: string; resource: string }>({
  name: 'test.call',
  queue: 'webhooks',
  key: ({ name }) => name,
  resource: ({ resource }) => resource,
})

before(async () => {
  world = await openWorld()
  owner = openOwner(world.databaseUrl)
})
afterEach(async () => {
  await queue?.close(5_000)
  queue = undefined
  await owner.pipelined({ orgId: null }, [sql`delete from pgboss.job where name = 'webhooks'`])
})
after(async () => {
  await owner.close()
  await world[Symbol.asyncDispose]()
})

function ask(orgId: string, names: readonly string[], resourceOf = (name: string) => name) {
  const { database, outbox } = world.resources
  const actor = { type: 'system' as const, id: 'test', name: 'test' }
  const scope: Scope = { orgId, accountId: null, actor, traceparent: null, database, outbox }
  return atomically(scope, (transaction) =>
    enqueue(
      transaction,
      Call,
      names.map((name) => ({ payload: { name, resource: resourceOf(name) } })),
    ),
  )
}

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name} ${at}`)

/** A worker with so many places, whose jobs hang until they are released. */
async function work(places: number) {
  const running = new Map<string, (inTime: boolean) => void>()
  const ended: string[] = []
  queue = await openWork(world.config)
  queue.work('webhooks', places, async ({ data }, { reportAnswer }) => {
    const { name } = data.payload as { name: string }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    running.set(name, resolve)
    reportAnswer(await promise)
    running.delete(name)
    ended.push(name)
    return 'completed'
  })
  const release = (inTime = true, isMeant: (name: string) => boolean = () => true) => {
    for (const [name, end] of running) if (isMeant(name)) end(inTime)
  }
  return { running, ended, release }
}
type Worker = Awaited<ReturnType<typeof work>>

const runs = ({ running }: Worker, count: number, isMeant: (name: string) => boolean = () => true) =>
  until(
    async () => [...running.keys()].filter(isMeant),
    ({ length }) => length === count,
  )
/** Nothing more is taken: a job of an organization that has no place yet comes after all that could come before. */
const nothingMore = async (worker: Worker) => {
  await ask(world.away.id, ['last'])
  await runs(worker, 1, (name) => name === 'last')
}

suite('fair shares', () => {
  test('a long backlog of one organization leaves half of the places to others', async () => {
    await ask(world.away.id, numbered('backlog', 60))
    const worker = await work(8)
    await runs(worker, 4)
    await ask(world.home.id, numbered('other', 30))
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

  test('an organization goes on as its own places become free', async () => {
    await ask(world.home.id, numbered('mine', 20))
    const worker = await work(8)
    for (let ended = 0; ended < 20; ended = worker.ended.length) {
      await runs(worker, Math.min(4, 20 - ended))
      worker.release()
      await until(
        async () => worker.ended.length,
        (count) => count > ended,
      )
    }
    assert.equal(worker.ended.length, 20)
  })

  test('what timed out gets one place until it answers in time; others of its organization go on', async () => {
    const worker = await work(16)
    const isOfHost = (name: string) => name.startsWith('host')
    const hosted = (count: number, from = 0) =>
      ask(world.home.id, numbered('host', from + count).slice(from), () => 'host')
    await hosted(6)
    await runs(worker, 6, isOfHost)
    worker.release(false)
    await until(
      async () => worker.ended.length,
      (count) => count === 6,
    )
    await hosted(6, 6)
    await runs(worker, 1, isOfHost)
    await ask(world.home.id, numbered('healthy', 5))
    await runs(worker, 5, (name) => name.startsWith('healthy'))
    await nothingMore(worker)
    assert.equal([...worker.running.keys()].filter(isOfHost).length, 1)
    worker.release(true)
    await runs(worker, 5, isOfHost)
    worker.release()
  })
})

suite('the division', () => {
  const holder = (groupId: string) => ({ groupId, groupTier: null })
  /** Takes all that one organization after another may have. */
  const shared = (places: number, orgs: readonly string[]) => {
    const shares = openFairShares(places)
    const held = new Map(orgs.map((org) => [org, 0]))
    let taken = 0
    for (const org of orgs)
      while (taken < places && !shares.allowance().fullOrgs.includes(org)) {
        const { batchSize } = shares.allowance()
        assert.ok(batchSize >= 1 && batchSize <= 10 && taken + batchSize <= places)
        for (let n = 0; n < batchSize; n++) shares.start(holder(org))
        taken += batchSize
        held.set(org, held.get(org)! + batchSize)
      }
    return [...held.values()]
  }

  test('each organization gets half of what is free, and one with no place the next free one', () => {
    assert.deepEqual(shared(20, ['a', 'b', 'c', 'd', 'e', 'f']), [10, 5, 3, 1, 1, 0])
    assert.deepEqual(shared(4, ['a', 'b', 'c']), [2, 1, 1])
    assert.deepEqual(shared(1, ['a', 'b']), [1, 0])
  })

  test('resources that time out without end are forgotten at last', () => {
    const shares = openFairShares(10)
    for (let n = 0; n < 5_000; n++) shares.report({ groupId: 'a', groupTier: `resource ${n}` }, false)
    assert.equal(shares.allowance().slowResources.length, 1_000)
    assert.ok(shares.isSlow({ groupId: 'a', groupTier: 'resource 4999' }))
  })
})
