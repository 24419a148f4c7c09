import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#db/sql.ts'
import { shareWorld } from '#test/share-world.ts'
import { isTimeZone } from './nights.ts'

const { world } = shareWorld()

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
/** Names that Intl knows and neither side lists. */
const unlisted = [
  'Canada/East-Saskatchewan',
  'us/pacific-new',
  'SystemV/AST4',
  'SystemV/YST9YDT',
  'Asia/Hanoi',
]
/** Noon of a day in winter and of one in summer. */
const instants = ['2024-01-15T12:00:00Z', '2024-07-15T12:00:00Z']

test('PostgreSQL knows every accepted time zone, and reads it as we do', async () => {
  const run = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
    (await world.resources.database.pipelined({ orgId: null }, [statement]))[0]
  const known = await run(
    sql<{ name: string }>`select name from pg_timezone_names union select abbrev from pg_timezone_abbrevs`,
  )
  const short = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
  const listed = [...known.map(({ name }) => name), ...Intl.supportedValuesOf('timeZone')]
  const names = [...new Set([...listed, ...short, ...unlisted])].filter(isTimeZone)
  assert.ok(names.includes('Europe/Lisbon') && names.includes('UTC') && names.includes('EST5EDT'))
  const inDatabase = await run(
    sql<{ name: string; times: string }>`
      select name, string_agg(to_char(instant at time zone name, 'YYYY-MM-DD HH24:MI'), ' ' order by instant) as times
      from unnest(${names}::text[]) name, unnest(${instants}::timestamptz[]) instant
      group by name`,
  )
  const localTimes = (timeZone: string) => {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
    return instants.map((instant) => format.format(new Date(instant))).join(' ')
  }
  assert.deepEqual(
    inDatabase.filter(({ name, times }) => times !== localTimes(name)),
    [],
  )
})
