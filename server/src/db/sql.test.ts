import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { shareWorld } from '#test/share-world.ts'
import { sql, type Statement } from './sql.ts'

const { world } = shareWorld()
const ask = async <Row>(statement: Statement<Row>) =>
  (await world.resources.database.pipelined({ orgId: null }, [statement]))[0]

suite('a statement', () => {
  test('takes values as parameters, also those of its parts, in their order', async () => {
    const part = sql`${2}::int + ${sql`${3}::int`}`
    const statement = sql<{
      sum: number
      text: string
    }>`select ${1}::int + ${part} as sum, ${'x'}::text as text`
    assert.deepEqual(statement.values, [1, 2, 3, 'x'])
    assert.deepEqual(await ask(statement), [{ sum: 6, text: 'x' }])
  })

  test('has names and constants in its text, whatever characters they have', async () => {
    const statement = sql`
      select ${sql.ref('part.a "b"')} as name, ${sql.lit("it's")} as text, ${sql.lit(7)} as number, ${sql.lit(true)} as truth
      from (select 1 as ${sql.ref('a "b"')}) part`
    assert.deepEqual(statement.values, [])
    assert.deepEqual(await ask(statement), [{ name: 1, text: "it's", number: 7, truth: true }])
  })

  test('joins parts, and none to nothing', async () => {
    const joined = sql`select ${sql.join([1, 2].map((value) => sql`${value}::int`))}${sql.join([])}`
    assert.equal(joined.text, 'select $1::int, $2::int')
    const conditions = sql.join([sql`true`, sql`${false}::boolean`], ' and ')
    assert.deepEqual(await ask(sql`select ${conditions} as result`), [{ result: false }])
  })
})
