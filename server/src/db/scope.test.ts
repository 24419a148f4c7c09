import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from './sql.ts'
import { shareWorld } from '#test/share-world.ts'
import { atomically, first, rows, type Scope, type Transaction } from './scope.ts'

const { world } = shareWorld()
let scope: Scope

before(async () => {
  const { database } = world.resources
  const actor = { type: 'system' as const, id: 'test', name: 'test' }
  scope = {
    orgId: world.home.id,
    accountId: world.home.accountId,
    actor,
    traceparent: null,
    database,
  }
})

const insertSpace = (name: string) =>
  sql<{ id: string }>`insert into spaces (org_id, account_id, name, timezone, currency)
    values (${scope.orgId}, ${scope.accountId}, ${name}, 'UTC', 'eur') returning id`
const rename = (id: string, name: string) => sql`update spaces set name = ${name} where id = ${id}`
const nameOf = async (id: string) =>
  (await first(scope, sql<{ name: string }>`select name from spaces where id = ${id}`))?.name

suite('a transaction', () => {
  test('rolls back when its work throws', async () => {
    const failure = new Error('no')
    const work = atomically(scope, async (transaction) => {
      await rows(transaction, insertSpace('never'))
      throw failure
    })
    await assert.rejects(work, failure)
    assert.deepEqual(await rows(scope, sql`select 1 from spaces where name = 'never'`), [])
  })

  test('is repeated after a deadlock, and both transactions commit', async () => {
    const [a, b] = await Promise.all(
      ['a', 'b'].map(async (name) => (await first(scope, insertSpace(name)))!.id),
    )
    let waiting = 0
    let started = 0
    const meeting = Promise.withResolvers<void>()
    const updateBoth = (one: string, other: string, name: string) =>
      atomically(scope, async (transaction) => {
        started++
        await rows(transaction, rename(one, name))
        if (++waiting === 2) meeting.resolve()
        await meeting.promise
        await rows(transaction, rename(other, name))
      })
    await Promise.all([updateBoth(a!, b!, 'first'), updateBoth(b!, a!, 'second')])
    assert.ok(started > 2, 'one of the two ran again')
    assert.equal(await nameOf(a!), await nameOf(b!))
  })

  test('rejects with the first error, also when a later statement is awaited first', async () => {
    const awaitLate = async (transaction: Transaction) => {
      try {
        await rows(transaction, sql`select 1 / 0`)
      } finally {
        for (let turns = 0; turns < 10; turns++) await Promise.resolve()
      }
    }
    const work = atomically(scope, (transaction) =>
      Promise.all([awaitLate(transaction), rows(transaction, sql`select 1`)]),
    )
    await assert.rejects(work, { code: '22012' })
  })

  test('sees one organization only, and the next user of its connection sees another one only', async () => {
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
