import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import type { Reply, TestCaller } from '#test/caller.ts'
import { addBooking, addUnit } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'

// After random concurrent changes the free ranges equal a count of each night.

const { world } = shareWorld({ env: { DATABASE_POOL_SIZE: '12' } })
let caller: TestCaller
let owner: Database

before(async () => {
  caller = await world.home.as('owner')
  owner = openOwner(world.databaseUrl)
  world.defer(() => owner.close())
})

const horizon = 40
const day = (number: number) => new Date(Date.UTC(2030, 1, 10 + number)).toISOString().slice(0, 10)
const read = async <Row>(statement: Statement<Row>) =>
  (await owner.pipelined({ orgId: world.home.id }, [statement]))[0]

interface Unit {
  id: string
  quantity: number
  status: string
}
interface Taken {
  unit_id: string
  first: string
  end: string
  rooms: number
}

/** The nights with a room free within the horizon, counted one by one. */
async function countedNights(): Promise<Record<string, string[]>> {
  const units = await read(sql<Unit>`select id, quantity, status from units`)
  const taken = await read(sql<Taken>`
    select unit_id, lower(nights) as first, upper(nights) as end, rooms from bookings
      where deleted_at is null and status in ('pending', 'confirmed', 'checked_in', 'checked_out')
    union all select unit_id, night, night + 1, blocked from calendar_blocks`)
  return Object.fromEntries(
    units.map(({ id, quantity, status }) => {
      const isFree = (night: string) =>
        status === 'active' &&
        taken
          .filter(({ unit_id, first, end }) => unit_id === id && first <= night && night < end)
          .reduce((sum, { rooms }) => sum + rooms, 0) < quantity
      return [id, Array.from({ length: horizon }, (_, n) => day(n)).filter(isFree)]
    }),
  )
}

async function storedNights(): Promise<Record<string, string[]>> {
  const rows = await read(
    sql<{ id: string; nights: string[] | null }>`select u.id, (
      select json_agg(d.day order by d.day) from (select ${day(0)}::date + n as day from generate_series(0, ${horizon - 1}::int) n) d
      where exists (select 1 from free_stretches f where f.unit_id = u.id and f.first_night <= d.day and d.day < f.end_night)) as nights
      from units u`,
  )
  return Object.fromEntries(rows.map(({ id, nights }) => [id, nights ?? []]))
}

async function expectExact(what: string): Promise<void> {
  assert.deepEqual(await storedNights(), await countedNights(), what)
  const touching = await read(sql`select f.unit_id from free_stretches f join free_stretches g
    on g.unit_id = f.unit_id and g.first_night > f.first_night and g.first_night <= f.end_night`)
  assert.deepEqual(touching, [], 'stretches of a unit neither overlap nor meet')
}

/** Pseudo-random numbers of a fixed seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function anything(pick: (below: number) => number, units: readonly string[], bookings: readonly string[]) {
  const unitId = units[pick(units.length)]!
  const booking = bookings[pick(bookings.length)]
  const from = pick(horizon - 8)
  const stay = { unitId, checkIn: day(from), checkOut: day(from + 1 + pick(6)), rooms: 1 + pick(2) }
  const block = { unit_id: unitId, date_from: day(from), date_to: day(from + pick(5)), blocked: pick(3) }
  const unit = `/api/v1/units/${unitId}`
  const moves: (() => Promise<Reply>)[] = [
    () => caller.post('/api/v1/bookings', { ...stay, guestName: 'G' }),
    () => caller.post('/api/v1/bookings', { ...stay, guestName: 'G', status: 'pending' }),
    () => caller.patch(`/api/v1/bookings/${booking}`, stay),
    () => caller.patch(`/api/v1/bookings/${booking}`, { checkOut: day(from + 8) }),
    () => caller.patch(`/api/v1/bookings/${booking}`, { status: 'cancelled' }),
    () => caller.delete(`/api/v1/bookings/${booking}`),
    () => caller.post('/api/v1/calendar', { values: [block] }),
    () => caller.post('/api/v1/calendar', { values: [{ ...block, blocked: 0 }] }),
    () => caller.patch(unit, { quantity: 1 + pick(4) }),
    () => caller.patch(unit, { status: pick(4) === 0 ? 'inactive' : 'active' }),
  ]
  return moves[pick(moves.length)]!
}

suite('free stretches', () => {
  test('are correct after any changes, in sequence and concurrently', async () => {
    const units: string[] = []
    for (const quantity of [1, 2, 3]) units.push((await addUnit(caller, { quantity })).id)
    const bookings = [(await addBooking(caller, { unitId: units[0]!, checkIn: day(3), checkOut: day(6) })).id]
    const outcomes = new Map<number, number>()
    for (let round = 0; round < 24; round++) {
      const pick = numbers(round + 1)
      const moves = Array.from({ length: 12 }, () => anything(pick, units, bookings))
      const replies: Reply[] = []
      if (round % 2 === 0) for (const move of moves) replies.push(await move())
      else replies.push(...(await Promise.all(moves.map((move) => move()))))
      for (const { status, body, text } of replies) {
        assert.ok(status < 500, text)
        outcomes.set(status, (outcomes.get(status) ?? 0) + 1)
        if (status === 201 && body.booking) bookings.push(body.booking.id)
      }
      await expectExact(`round ${round}`)
    }
    const done = (outcomes.get(200) ?? 0) + (outcomes.get(201) ?? 0)
    assert.ok(done > 100, `only ${done} changes: ${JSON.stringify([...outcomes])}`)
  })

  test('are correct after direct SQL writes', async () => {
    const unit = await addUnit(caller, { quantity: 2 })
    const { id: booking } = await addBooking(caller, {
      unitId: unit.id,
      checkIn: day(1),
      checkOut: day(4),
      rooms: 2,
    })
    await expectExact('booked')
    await read(sql`update bookings set nights = daterange(${day(20)}, ${day(22)}) where id = ${booking}`)
    await expectExact('moved')
    await read(sql`update bookings set rooms = 1 where id = ${booking}`)
    await expectExact('fewer rooms')
    await read(sql`insert into calendar_blocks (org_id, unit_id, night, blocked)
      select ${world.home.id}, ${unit.id}, ${day(19)}::date + n, 2 from generate_series(0, 3) n`)
    await expectExact('blocked')
    await read(sql`update calendar_blocks set blocked = 1 where unit_id = ${unit.id} and night = ${day(20)}`)
    await expectExact('another number')
    await read(sql`delete from calendar_blocks where unit_id = ${unit.id} and night <> ${day(21)}`)
    await expectExact('unblocked')
    await read(sql`delete from bookings where id = ${booking}`)
    await expectExact('gone')
    await read(sql`update units set status = 'archived' where id = ${unit.id}`)
    await expectExact('archived')
    await read(sql`select rebuild_stretches(org_id, id) from units`)
    await expectExact('rebuilt')
  })

  test('are correct after two concurrent SQL writes, the second before the first has committed', async () => {
    const unit = await addUnit(caller)
    const stay = (from: number, to: number) =>
      addBooking(caller, { unitId: unit.id, checkIn: day(from), checkOut: day(to) })
    const [first, second] = [await stay(3, 6), await stay(6, 9)]
    const cancel = ({ id }: { id: string }) => sql`update bookings set status = 'cancelled' where id = ${id}`
    let waiting: Promise<unknown> | undefined
    await owner.transaction({ orgId: world.home.id }, async (connection) => {
      await connection.run(cancel(first))
      waiting = read(cancel(second))
      // Until the second waits for the first, as the database sees it.
      await until(
        () => connection.run(sql<{ n: number }>`select count(*)::int as n from pg_locks where not granted`),
        ([row]) => row!.n > 0,
      )
    })
    await waiting
    await expectExact('both are free, and it is one stretch')
  })
})
