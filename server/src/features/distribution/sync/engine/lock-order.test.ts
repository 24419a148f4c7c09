import assert from 'node:assert/strict'
import { afterEach, before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { reconcileTargets } from './schedule.ts'
import { expectStatus } from '#test/expect.ts'
import {
  clearPmsFaults,
  addPmsFault,
  addLinkedUnit,
  setPrice,
  until,
  type LinkedUnit,
} from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })
let database: ReturnType<typeof openOwner>

before(async () => {
  database = openOwner(world.databaseUrl)
  world.defer(() => database.close())
})
afterEach(() => clearPmsFaults(world))

const run = async <Row>(statement: Statement<Row>) =>
  (await database.pipelined({ orgId: null }, [statement]))[0]

async function delivered(): Promise<LinkedUnit> {
  const linked = await addLinkedUnit(owner)
  await world.settled()
  return linked
}

const within = (work: (transaction: Transaction) => Promise<unknown>) =>
  world.resources.database.transaction({ orgId: world.home.id }, (connection) =>
    work({ connection, database: world.resources.database, orgId: world.home.id } as Transaction),
  )

const somebodyWaits = () =>
  until(
    () => run(sql<{ waits: number }>`select count(*)::int as waits from pg_locks where not granted`),
    ([seen]) => seen!.waits > 0,
  )

/** Locks like a worker that claims: the lock of the target first, then its row. */
const lookAsWorker = ({ targetId }: LinkedUnit, meanwhile: () => Promise<unknown>) =>
  within(async (transaction) => {
    await rows(transaction, sql`select pg_advisory_xact_lock(target_lock(${targetId}))`)
    const work = meanwhile()
    await somebodyWaits()
    await rows(
      transaction,
      sql`select 1 from target_syncs where channel_target_id = ${targetId} for update nowait`,
    )
    return { work }
  }).then((looked) => (looked as { work: Promise<unknown> }).work)

suite('no deadlock with a worker that claims listings', () => {
  test('when a target is changed', async () => {
    const linked = await delivered()
    const path = `/api/v1/channel-targets/${linked.targetId}`
    const reply = await lookAsWorker(linked, () => owner.put(path, { channel_type: 'pms', name: 'Renamed' }))
    assert.equal(expectStatus(reply as never, 200).channel_target.name, 'Renamed')
  })

  test('when the daily read-back is scheduled', async () => {
    const linked = await delivered()
    await run(
      sql`update target_syncs set reconcile_at = now() - interval '1 minute' where channel_target_id = ${linked.targetId}`,
    )
    await lookAsWorker(linked, () => reconcileTargets(world.resources))
    assert.deepEqual(
      await run(
        sql`select from target_syncs where channel_target_id = ${linked.targetId} and reconcile_at <= now()`,
      ),
      [],
    )
  })

  test('when a circuit opens while the target is changed', async () => {
    const linked = await delivered()
    const { targetId } = linked
    await run(sql`update target_syncs set failures = 4 where channel_target_id = ${targetId}`)
    await addPmsFault(world, linked, { external_id: undefined, mode: 'down' })
    await within(async (transaction) => {
      await rows(transaction, sql`select 1 from channel_targets where id = ${targetId} for update`)
      await setPrice(owner, linked, 12_300)
      await somebodyWaits()
      const [free] = await rows(
        transaction,
        sql<{ free: boolean }>`select pg_try_advisory_xact_lock_shared(target_lock(${targetId})) as free`,
      )
      assert.equal(free!.free, true)
    })
    await until(
      () =>
        run(
          sql<{
            opened_at: string | null
          }>`select opened_at from target_syncs where channel_target_id = ${targetId}`,
        ),
      ([seen]) => seen!.opened_at !== null,
    )
  })
})
