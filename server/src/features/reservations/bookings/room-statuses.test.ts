import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import type { Database } from '#db/connect.ts'
import { shareWorld } from '#test/share-world.ts'
import { bookingStatuses, roomStatuses, takesRooms } from './booking.ts'

const { world } = shareWorld()
let owner: Database

before(async () => {
  owner = openOwner(world.databaseUrl)
  world.defer(() => owner.close())
})

const read = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
  (await owner.pipelined({ orgId: world.home.id }, [statement]))[0]

suite('booking statuses that take rooms', () => {
  test('takes_room() agrees with the service for every status', async () => {
    const found = await read(sql<{ status: string; takes: boolean }>`
      select status, takes_room(status) as takes from unnest(${[...bookingStatuses]}::text[]) status`)
    assert.deepEqual(
      Object.fromEntries(found.map(({ status, takes }) => [status, takes])),
      Object.fromEntries(bookingStatuses.map((status) => [status, takesRooms(status)])),
    )
  })

  test('functions, triggers and indexes list the same statuses', async () => {
    const definitions = await read(sql<{ name: string; text: string }>`
      select procedure.proname as name, pg_get_functiondef(procedure.oid) as text
      from pg_proc procedure
      where procedure.pronamespace = 'public'::regnamespace and procedure.prokind = 'f'
      union all
      select tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
      union all
      select indexname, indexdef from pg_indexes where schemaname = 'public'`)
    // A list of literals, as it is written or as PostgreSQL prints it: 'pending'::text, …
    const lists = definitions.flatMap(({ name, text }) =>
      [...text.matchAll(/'[a-z_]+'(?:::text)?(?:, '[a-z_]+'(?:::text)?)+/g)].map(([list]) => ({
        name,
        statuses: [...list.matchAll(/'([a-z_]+)'/g)].map(([, status]) => status),
      })),
    )
    const ofRooms = lists.filter(
      ({ statuses }) => statuses.includes('pending') && statuses.includes('checked_out'),
    )
    for (const { name, statuses } of ofRooms) assert.deepEqual(statuses, [...roomStatuses], name)
    assert.deepEqual([...new Set(ofRooms.map(({ name }) => name))].sort(), [
      'bookings_fit_rooms',
      'bookings_of_quote',
      'bookings_of_unit_by_departure',
      'bookings_still_fit_rooms',
      'guard_rooms',
      'nights_taken',
      'rebuild_stretches',
      'refresh_stretches_of_booking',
      'takes_room',
    ])
  })

  test('a condition with takes_room() implies the predicate of the partial indexes', async () => {
    const [index] = await read(sql<{ predicate: string }>`
      select pg_get_expr(indpred, indrelid) as predicate from pg_index
      where indexrelid = 'bookings_of_unit_by_departure'::regclass`)
    // The only index of a copy of the table: it is used if the planner sees the implication.
    const statements = [
      sql`create temporary table copy (like bookings) on commit drop`,
      sql`create index partial_index on copy (departure) where ${sql.raw(index!.predicate)}`,
      sql`select set_config('enable_seqscan', 'off', true)`,
      sql`explain select departure from copy
        where departure > '2030-01-01' and deleted_at is null and takes_room(status)`,
    ]
    const plan = (await owner.pipelined({ orgId: world.home.id }, statements)).at(-1)
    assert.match(JSON.stringify(plan), /using partial_index/)
  })
})
