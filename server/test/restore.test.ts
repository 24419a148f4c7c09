import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { callerFor, type TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { openWorkshop, ownPostgres, type Cluster, type Workshop } from './own-cluster.ts'
import { startTestProcess } from './test-process.ts'
import { addBooking } from './records.ts'
import { atPms, addLinkedUnit, setPrice, until, type LinkedUnit } from './linked-units.ts'
import { followChanges } from './sync-stream.ts'
import { openWorld, type World } from './world.ts'

/** The procedure of docs/reliability.md for backups, with PostgreSQL's own tools on an installed PostgreSQL. */

const secretKeys = `test:${randomBytes(32).toString('base64')}`
let workshop: Workshop
let first: Cluster
let world: World
let owner: TestCaller
let linked: LinkedUnit

const surroundings = (databaseUrl: string) => ({
  PORT: '0',
  DATABASE_URL: databaseUrl,
  OIDC_ISSUER: world.config.identity.issuer,
  OIDC_AUDIENCE: world.config.identity.audience,
  SECRET_KEYS: secretKeys,
  GENERIC_PMS_URL: world.pms.url,
  ALLOW_PRIVATE_ADDRESSES: 'true',
  LOG_LEVEL: 'error',
})
const priceAtPms = async () => (await atPms(world, linked))?.['base_price_cents']
/** A worker needs a while to start on a busy machine. */
const reaches = (price: number) => until(priceAtPms, (seen) => seen === price, 90)
const bookingsOf = async (caller: TestCaller): Promise<string[]> =>
  expectStatus(await caller.get('/api/v1/bookings?sort=created_at'), 200).bookings.map(
    (one: { id: string }) => one.id,
  )
/** The first messages of the stream of changes. */
async function receive(url: string, caller: TestCaller, lastEventId: string | undefined, count: number) {
  await using stream = await followChanges(url, caller, lastEventId)
  return await until(
    async () => [...stream.received],
    ({ length }) => length >= count,
  )
}
const stay = (day: number) => ({ checkIn: `2030-05-0${day}`, checkOut: `2030-05-0${day + 1}` })

if (ownPostgres)
  suite('point-in-time restore', () => {
    before(async () => {
      workshop = openWorkshop(ownPostgres!)
      first = await workshop.start()
      process.env['TEST_DATABASE_URL'] = first.url
      world = await openWorld({ env: { SECRET_KEYS: secretKeys } })
      owner = await world.home.as('owner')
      linked = await addLinkedUnit(owner)
    })
    after(async () => {
      await world[Symbol.asyncDispose]()
      await workshop[Symbol.asyncDispose]()
    })

    test('restores the data of that time, and brings the PMS back to it', async (t) => {
      const database = openOwner(world.databaseUrl)
      const asked = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
        (await database.pipelined({ orgId: null }, [statement]))[0][0]!
      let moment: string
      let lastId: string
      const before = await addBooking(owner, { unitId: linked.unitId, ...stay(1) })
      {
        await using _worker = await startTestProcess('worker', surroundings(world.databaseUrl))
        await reaches(10_000)
        const began = performance.now()
        await workshop.backUp(first)
        t.diagnostic(`backed up in ${((performance.now() - began) / 1_000).toFixed(1)} s`)
        const later = await addBooking(owner, { unitId: linked.unitId, ...stay(3) })
        await setPrice(owner, linked, 12_000)
        await reaches(12_000)
        moment = (await asked(sql<{ now: string }>`select clock_timestamp()::text as now`)).now
        // The mistake that one wants to be before.
        for (const { id } of [before, later]) expectStatus(await owner.delete(`/api/v1/bookings/${id}`), 204)
        await setPrice(owner, linked, 1)
        await reaches(1)
        assert.deepEqual(await bookingsOf(owner), [])
        lastId = (await receive(world.url, owner, undefined, 1))[0]!.id!
        const { file } = await asked(sql<{ file: string }>`select pg_walfile_name(pg_switch_wal()) as file`)
        await until(
          () => asked(sql<{ last: string | null }>`select last_archived_wal as last from pg_stat_archiver`),
          ({ last }) => last !== null && last >= file,
          90,
        )
      }
      await database.close()

      const began = performance.now()
      const second = await workshop.restore(moment)
      const place = new URL(world.databaseUrl)
      place.port = new URL(second.url).port
      const restored = openOwner(place.href)
      await until(
        async () =>
          (
            await restored.pipelined({ orgId: null }, [
              sql<{ yes: boolean }>`select pg_is_in_recovery() as yes`,
            ])
          )[0] as {
            yes: boolean
          }[],
        ([row]) => !row!.yes,
        90,
      )
      // The ids of transactions are used again: from the one of the stream on, nothing tells them apart.
      const usedAgain = sql<{ id: string }>`select pg_current_xact_id()::text as id`
      const lastTransaction = BigInt(lastId.split('-')[1]!)
      for (let id = 0n; id <= lastTransaction;)
        id = BigInt((await restored.pipelined({ orgId: null }, [usedAgain]))[0][0]!.id)
      await restored.close()
      await using api = await startTestProcess('api', surroundings(place.href))
      t.diagnostic(`serving again after ${((performance.now() - began) / 1_000).toFixed(1)} s`)
      const caller = callerFor(api.facts.url!, owner.token)
      const continued = await receive(api.facts.url!, caller, lastId, 2)
      assert.deepEqual(
        continued.slice(0, 2).map(({ event }) => event),
        ['hello', 'reset'],
      )
      const found = await bookingsOf(caller)
      assert.equal(found.length, 2)
      assert.equal(found[0], before.id)
      assert.equal(
        expectStatus(await caller.get(`/api/v1/units/${linked.unitId}`), 200).unit.base_price_cents,
        12_000,
      )
      await using _worker = await startTestProcess('worker', surroundings(place.href))
      expectStatus(await caller.post('/api/v1/sync/replays', { channel_target_id: linked.targetId }), 201)
      await reaches(12_000)
    })
  })
