import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { openVault } from '#secrets/vault.ts'
import { cloneDatabase } from '#test/databases.ts'
import { refusedListing } from './refused-listing.ts'
import { seed } from './seed.ts'

const vault = openVault([{ id: 'test', bytes: Buffer.alloc(32, 1) }])
const options = {
  extent: 'year',
  services: { vault, webhookUrl: 'http://127.0.0.1:9/webhooks' },
} as const

suite('the demonstration year', () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>
  let client: pg.Client
  before(async () => {
    database = await cloneDatabase()
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
    assert.ok((await seed(database.url, options)).seeded)
  })
  after(async () => {
    await client.end()
    await database[Symbol.asyncDispose]()
  })

  const one = async (text: string, values: unknown[] = []): Promise<Record<string, number>> =>
    (await client.query<Record<string, number>>(text, values)).rows[0]!

  test('a second run adds nothing', async () => {
    const count = 'select count(*)::int as bookings from bookings'
    const { bookings } = await one(count)
    assert.equal((await seed(database.url, options)).seeded, false)
    assert.equal((await one(count))['bookings'], bookings)
  })

  test('both organizations have guests who leave, stay and arrive today', async () => {
    const { rows } = await client.query(`
      select
        count(*) filter (where departure = today) > 0 as leave,
        count(*) filter (where arrival < today and departure > today and bookings.status = 'checked_in') > 0 as stay,
        count(*) filter (where arrival = today) > 0 as arrive,
        count(*) filter (where arrival < today - 140 and bookings.status = 'checked_out') > 0 as past,
        count(*) filter (where arrival > today + 60 and bookings.status = 'confirmed') > 0 as future
      from bookings
      join units on units.id = bookings.unit_id
      join spaces on spaces.id = units.space_id,
      lateral (select (now() at time zone spaces.timezone)::date as today) day
      group by bookings.org_id`)
    const everything = { leave: true, stay: true, arrive: true, past: true, future: true }
    assert.deepEqual(rows, [everything, everything])
  })

  test('no stay was booked in the future, or changed before it was booked', async () => {
    assert.deepEqual(
      await one(`
        select count(*)::int as wrong
        from bookings
        where created_at > now() or updated_at < created_at or updated_at > now() + interval '1 minute'`),
      { wrong: 0 },
    )
  })

  test('every booking of a PMS is known as it is there', async () => {
    assert.deepEqual(
      await one(`
        select count(*)::int as unknown
        from bookings
        where channel_target_id is not null
          and not exists (
            select 1
            from pms_bookings known
            where known.channel_target_id = bookings.channel_target_id
              and bookings.external_id = any(known.lines))`),
      { unknown: 0 },
    )
  })

  test('no money is paid twice or refunded beyond what was received, and some is owed', async () => {
    const { paid, refunds, refused } = await one(`
      select
        count(*) filter (where status = 'succeeded')::int as paid,
        count(*) filter (where amount_refunded > 0)::int as refunds,
        count(*) filter (where failure_code is not null)::int as refused
      from payment_intents`)
    assert.ok(paid! > 100 && refunds! > 5 && refused! > 5, JSON.stringify({ paid, refunds, refused }))
    const { refunded } = await one('select count(*)::int as refunded from payment_refunds')
    assert.equal(refunded, refunds)
  })

  test('no night is sold, blocked or has a rule more than a year ahead, where the README books', async () => {
    assert.deepEqual(
      await one(`
        select count(*)::int as nights
        from (
          select departure - 1 as night from bookings
          union all select night from calendar_blocks
          union all select night from calendar_nights
        ) planned
        where night > current_date + 398`),
      { nights: 0 },
    )
  })

  test('each kind of trouble and each kind of record is there', async () => {
    const counts = await one(
      `
      select
        (select count(distinct reason) from booking_conflicts where status = 'open')::int as conflicts,
        (select count(*) from bookings where status = 'pending')::int as holds,
        (select count(*) from quotes)::int as quotes,
        (select count(*) from seasons)::int as seasons,
        (select count(*) from sales_stops where lifted_at is not null)::int as stops,
        (select count(*) from calendar_feeds)::int as feeds,
        (select count(distinct status) from webhook_deliveries)::int as deliveries,
        (select count(*) from listing_syncs where behind_since < now() - interval '1 hour')::int as stale,
        (
          select count(*)
          from channel_listings listing
          join channel_targets target on target.id = listing.channel_target_id
          where target.config ->> 'property_ref' = $1 and listing.external_id = $2
        )::int as refused`,
      [refusedListing.property, refusedListing.external_id],
    )
    assert.deepEqual(counts, {
      ...{ conflicts: 2, holds: 2, quotes: 6, seasons: 2, stops: 2, feeds: 2, deliveries: 2, stale: 2 },
      refused: 1,
    })
    const { rows } = await client.query(`
      select count(distinct actor ->> 'name')::int as people
      from sync_audit
      where actor ->> 'type' = 'user'
      group by org_id`)
    for (const { people } of rows as { people: number }[]) assert.ok(people >= 4)
  })
})
