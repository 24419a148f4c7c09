import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { openWorld, type World } from '../../test/world.ts'
import { atomically, first, rows, type Scope } from './scope.ts'

let world: World
let scope: Scope

before(async () => {
  world = await openWorld()
  const { database, outbox } = world.resources
  const actor = { type: 'system' as const, id: 'test', name: 'test' }
  scope = {
    orgId: world.home.id,
    accountId: world.home.accountId,
    actor,
    traceparent: null,
    database,
    outbox,
  }
})
after(() => world[Symbol.asyncDispose]())

const nameSpace = (name: string) =>
  sql<{ id: string }>`insert into spaces (org_id, account_id, name, timezone, currency)
    values (${scope.orgId}, ${scope.accountId}, ${name}, 'UTC', 'eur') returning id`
const rename = (id: string, name: string) => sql`update spaces set name = ${name} where id = ${id}`
const nameOf = async (id: string) =>
  (await first(scope, sql<{ name: string }>`select name from spaces where id = ${id}`))?.name

suite('a transaction', () => {
  test('leaves nothing behind when its work throws', async () => {
    const failure = new Error('no')
    const work = atomically(scope, async (transaction) => {
      await rows(transaction, nameSpace('never'))
      throw failure
    })
    await assert.rejects(work, failure)
    assert.deepEqual(await rows(scope, sql`select 1 from spaces where name = 'never'`), [])
  })

  test('that meets another in a circle is repeated, and both are done', async () => {
    const [a, b] = await Promise.all(
      ['a', 'b'].map(async (name) => (await first(scope, nameSpace(name)))!.id),
    )
    let waiting = 0
    let begun = 0
    const meeting = Promise.withResolvers<void>()
    const crossing = (one: string, other: string, name: string) =>
      atomically(scope, async (transaction) => {
        begun++
        await rows(transaction, rename(one, name))
        if (++waiting === 2) meeting.resolve()
        await meeting.promise
        await rows(transaction, rename(other, name))
      })
    await Promise.all([crossing(a!, b!, 'first'), crossing(b!, a!, 'second')])
    assert.ok(begun > 2, 'one of the two ran again')
    assert.equal(await nameOf(a!), await nameOf(b!))
  })

  test('sees one organization only, and the next user of its connection sees its own', async () => {
    const seen = await Promise.all(
      Array.from({ length: 40 }, (_, at) => {
        const orgId = at % 2 ? world.home.id : world.away.id
        const broken = at % 5 === 0 ? sql`select 1 / 0` : sql`select 1`
        return atomically({ ...scope, orgId }, async (transaction) => {
          const found = await rows(transaction, sql<{ id: string }>`select id from organizations`)
          assert.deepEqual(found, [{ id: orgId }])
          await rows(transaction, broken)
          return true
        }).catch((error: { code?: string }) => error.code)
      }),
    )
    assert.deepEqual(seen.map(String).toSorted(), [...Array(8).fill('22012'), ...Array(32).fill('true')])
  })
})
