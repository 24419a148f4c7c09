import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { collections } from './attacks/two-organizations.ts'
import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { until } from './linked-units.ts'
import { queryUrl } from './operations.ts'
import { openWorkshop, ownPostgres, type Cluster, type Workshop } from './own-cluster.ts'
import { addSpace } from './records.ts'
import { openWorld, type World } from './world.ts'

/** Reads of many records from a real standby: streaming replication between two PostgreSQL of the machine. */

let workshop: Workshop
let standby: Cluster
let standbyOwner: Database
let world: World
let owner: TestCaller

const standbyUrl = (databaseUrl: string) => {
  const place = new URL(databaseUrl)
  place.port = new URL(standby.url).port
  return String(place)
}
const atStandby = async <Row>(statement: ReturnType<typeof sql<Row>>): Promise<Row> =>
  (await standbyOwner.pipelined({ orgId: null }, [statement]))[0][0]!
const newestSpace = async (): Promise<string> =>
  expectStatus(await owner.get('/api/v1/spaces?sort=-created_at&limit=1'), 200).spaces[0]?.name
type Served = Record<string, number>
const served = async (): Promise<Served> => {
  const { text } = await world.caller(null).get('/metrics')
  const lines = text.matchAll(/^vacancy_standby_reads_total\{outcome="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries([...lines].map(([, by, times]) => [by, Number(times)]))
}
/** By whom the reads of this work were served. */
const servedDuring = async (work: () => Promise<unknown>): Promise<Served> => {
  const earlier = await served()
  await work()
  const counts = Object.entries(await served()).map(
    ([by, times]) => [by, times - (earlier[by] ?? 0)] as const,
  )
  return Object.fromEntries(counts.filter(([, times]) => times > 0))
}
/** Sends the request until the standby serves it: on a busy machine it may be behind for longer than a read waits. */
const standbyServes = (path = '/api/v1/spaces') =>
  until(
    () => servedDuring(async () => expectStatus(await owner.get(path), 200)),
    ({ standby: times = 0 }) => times > 0,
  )

if (ownPostgres)
  suite('reads from a standby', () => {
    before(async () => {
      workshop = openWorkshop(ownPostgres!)
      const primary = await workshop.start()
      standby = await workshop.follow(primary)
      process.env['TEST_DATABASE_URL'] = primary.url
      world = await openWorld({ env: (databaseUrl) => ({ DATABASE_READ_URL: standbyUrl(databaseUrl) }) })
      owner = await world.home.as('owner')
      await standbyServes()
      standbyOwner = openOwner(standbyUrl(world.databaseUrl))
    })
    after(async () => {
      await standbyOwner.close()
      await world[Symbol.asyncDispose]()
      await workshop[Symbol.asyncDispose]()
    })

    test('serves every list, the calendar, the search and analytics', async () => {
      const lists = collections
        .map(({ path }) => queryUrl(path))
        .filter((path) => !path.startsWith('/api/v1/events'))
      assert.ok(lists.length > 20)
      const today = new Date().toISOString().slice(0, 10)
      for (const path of [
        ...lists,
        '/api/v1/search?q=loft',
        '/api/v1/today',
        `/api/v1/admin/analytics?from=${today}&to=${today}`,
      ])
        await standbyServes(path)
    })

    test('one record and the feed of events come from the primary', async () => {
      const { id } = await addSpace(owner)
      const by = await servedDuring(async () => {
        expectStatus(await owner.get(`/api/v1/spaces/${id}`), 200)
        expectStatus(await owner.get('/api/v1/events'), 200)
      })
      assert.deepEqual(by, {})
    })

    test('a client reads what it has just written, from the first moment', async () => {
      const missing: string[] = []
      for (let number = 0; number < 50; number++) {
        const { name } = await addSpace(owner, { name: `Fresh ${number}` })
        if ((await newestSpace()) !== name) missing.push(name)
      }
      assert.deepEqual(missing, [])
    })

    test('while the standby is behind, the primary serves the read', async () => {
      await standbyServes()
      await atStandby(sql`select pg_wal_replay_pause()`)
      const by = await servedDuring(async () => {
        await addSpace(owner, { name: 'Behind' })
        assert.equal(await newestSpace(), 'Behind')
        assert.equal(await newestSpace(), 'Behind')
      }).finally(() => atStandby(sql`select pg_wal_replay_resume()`))
      assert.equal(by['standby'], undefined)
      assert.ok(by['behind']! > 0)
      await standbyServes()
      assert.equal(await newestSpace(), 'Behind')
    })

    test('without the standby, the primary serves every read', async () => {
      await standbyServes()
      await standby.stop()
      const by = await servedDuring(newestSpace)
      assert.equal(by['standby'], undefined)
      assert.equal(Object.keys(by).length, 1)
    })
  })
