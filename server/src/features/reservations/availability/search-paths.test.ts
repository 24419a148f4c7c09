import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectStatus } from '#test/expect.ts'
import { shareWorld } from '#test/share-world.ts'

// Both strategies of a search find every unit once and in order.

const many = 3_000
const stays = {
  /** Free: every hundredth. */
  few: { from: '2030-02-04', to: '2030-02-08' },
  /** Free: all but every hundredth. */
  most: { from: '2030-03-04', to: '2030-03-08' },
  /** Free: all but the first 200, more than can be gathered. */
  late: { from: '2030-04-01', to: '2030-04-05' },
  /** Free: one of three, 1,000 in all, but none of the first 300. */
  some: { from: '2030-05-06', to: '2030-05-10' },
}
const isFree = {
  few: (n: number) => n % 100 === 0,
  most: (n: number) => n % 100 !== 0,
  late: (n: number) => n > 200,
  some: (n: number) => n > 300 && n % 3 === 0,
}
const conditions: Record<keyof typeof stays, string> = {
  few: 'n % 100 = 0',
  most: 'n % 100 <> 0',
  late: 'n > 200',
  some: 'n > 300 and n % 3 = 0',
}

const { world } = shareWorld()
let caller: TestCaller
let owner: Database

before(async () => {
  caller = await world.home.as('owner')
  owner = openOwner(world.databaseUrl)
  const { id: orgId, accountId } = world.home
  const write = (...statements: Statement[]) => owner.pipelined({ orgId }, statements)
  await write(
    sql`insert into spaces (org_id, account_id, name, city, timezone, currency)
      select ${orgId}, ${accountId}, 'Space ' || n, case when n <= 2 then 'Faro' else 'Lisboa' end, 'Europe/Lisbon', 'eur'
      from generate_series(1, 30) n`,
    sql`insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents,
        currency, created_at)
      select ${orgId}, ${accountId}, s.id, 'Unit ' || lpad(n::text, 5, '0'), 'room', 1, 1, 2, 100 * n, 'eur',
        now() - interval '1 day' + n * interval '1 second'
      from generate_series(1, ${many}::int) n join spaces s on s.name = 'Space ' || (1 + n % 30)`,
    sql`insert into rate_plans (org_id, account_id, unit_id, name, currency, is_default)
      select org_id, account_id, id, 'Standard', currency, true from units`,
  )
  for (const [name, { from, to }] of Object.entries(stays))
    await write(
      // Past the triggers, which take longer for thousands than a test should.
      sql`set local session_replication_role = replica`,
      sql`insert into bookings (org_id, account_id, unit_id, guest_name, nights, check_in, check_out, total_cents, currency)
        select ${orgId}, ${accountId}, u.id, 'G', daterange(${from}, ${to}), ${from}::date + time '15:00',
          ${to}::date + time '11:00', 1, 'eur'
        from units u, lateral (select substr(u.name, 6)::int as n) m
        where not (${sql.raw(conditions[name as keyof typeof stays])})`,
    )
  // Without statistics, the stays of a unit are not found by their index.
  await write(sql`analyze`)
  // In parts: a busy machine needs longer for all of them than a statement may take.
  for (let part = 0; part < 10; part++)
    await write(
      sql`select count(rebuild_stretches(org_id, id)) from units where substr(name, 6)::int % 10 = ${part}::int`,
    )
  await write(sql`analyze`)
  world.defer(() => owner.close())
})

async function everyPage(query: Record<string, string>) {
  const numbers: number[] = []
  const sizes: number[] = []
  let cursor: string | null = null
  do {
    const given: Record<string, string> = { limit: '100', ...query, ...(cursor && { cursor }) }
    const reply = await caller.get(`/api/v1/availability?${new URLSearchParams(given)}`)
    const page = expectStatus(reply, 200)
    numbers.push(...page.availability.map(({ name }: { name: string }) => Number(name.slice(5))))
    sizes.push(page.availability.length)
    cursor = page.next_cursor
    assert.ok(sizes.length < 100, 'it must end')
  } while (cursor)
  return { numbers, sizes }
}
const all = Array.from({ length: many }, (_, n) => n + 1)

suite('availability: both search strategies give the same results', () => {
  for (const name of Object.keys(stays) as (keyof typeof stays)[])
    for (const sort of ['created_at', '-created_at', 'name'])
      test(`${name} are free, by ${sort}`, async () => {
        const expected = all.filter(isFree[name])
        if (sort.startsWith('-')) expected.reverse()
        const { numbers, sizes } = await everyPage({ ...stays[name], sort })
        assert.deepEqual(numbers, expected)
        if (name !== 'late')
          assert.ok(
            sizes.slice(0, -1).every((size) => size === 100),
            JSON.stringify(sizes),
          )
      })

  for (const name of Object.keys(stays) as (keyof typeof stays)[])
    test(`${name} are free, at a place`, async () => {
      const { numbers } = await everyPage({ ...stays[name], place: 'faro' })
      assert.deepEqual(
        numbers,
        all.filter((n) => isFree[name](n) && n % 30 < 2),
      )
    })

  test('finds a rare price after short pages', async () => {
    for (const name of ['late', 'some', 'most'] as const) {
      const query = { ...stays[name], currency: 'eur', min_price_cents: String(4 * 100 * (many - 9)) }
      const { numbers, sizes } = await everyPage(query)
      assert.deepEqual(
        numbers,
        all.filter((n) => n >= many - 9 && isFree[name](n)),
      )
      assert.equal(sizes[0], 0)
    }
  })
})
