import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import pg from 'pg'
import { atomically, rows } from '#db/scope.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addBooking, addListing, addSpace, addTarget, addUnit, systemScope } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()
let unitId: string
before(async () => {
  const space = await addSpace(owner, { name: 'Casa São João', city: 'Évora', address: 'Rua 1' })
  unitId = (await addUnit(owner, { space_id: space.id, name: 'Sea view 12', quantity: 10_000 })).id
  await addUnit(owner, { space_id: space.id, name: 'Old sea house' })
  await addUnit(owner, { space_id: space.id, name: '100% Oversea_Loft' })
})

const search = async (q: string, { caller = owner, more = '' } = {}) =>
  expectStatus(await caller.get(`/api/v1/search?q=${encodeURIComponent(q)}${more}`), 200).search

const namesOf = (records: { name?: string; guest_name?: string }[]) =>
  records.map(({ name, guest_name }) => name ?? guest_name)

suite('search: results', () => {
  test('matches every word ignoring case and accents, matches at the beginning first', async () => {
    assert.deepEqual(namesOf((await search('SEA')).units), [
      'Sea view 12',
      'Old sea house',
      '100% Oversea_Loft',
    ])
    assert.deepEqual(namesOf((await search('house old')).units), ['Old sea house'])
    assert.deepEqual(namesOf((await search('sao joao')).spaces), ['Casa São João'])
    assert.deepEqual(namesOf((await search('ÉVO')).spaces), ['Casa São João'])
    assert.deepEqual(namesOf((await search('evora rua')).spaces), ['Casa São João'])
    assert.deepEqual((await search('sea garden')).units, [])
  })

  test('matches two characters as the beginning of a word', async () => {
    assert.deepEqual(namesOf((await search('ol')).units), ['Old sea house'])
    assert.deepEqual((await search('ea')).units, [])
  })

  test('matches wildcards and quotes literally', async () => {
    assert.deepEqual(namesOf((await search('100%')).units), ['100% Oversea_Loft'])
    assert.deepEqual(namesOf((await search('sea_')).units), ['100% Oversea_Loft'])
    for (const q of ['%%%', '___', '\\\\', "' or 1=1 --", '((((', '  ', 'a\tb']) {
      const { units, bookings } = await search(q)
      assert.deepEqual([units, bookings], [[], []], q)
    }
  })

  test('finds bookings and guests by name, e-mail address, phone number and external id', async () => {
    const contact = { guestEmail: 'Ada@Analytical.example', guestPhone: '+351 912 345 678' }
    const one = { unitId, guestName: 'Ada Lovelace', ...contact, externalId: 'HM-7731-XZ' }
    const first = await addBooking(owner, one)
    const later = { checkIn: '2031-01-01', checkOut: '2031-01-03', externalId: null }
    const second = await addBooking(owner, { ...one, ...later })
    for (const q of ['lovel', 'analytical', 'ada lovelace', '912345', '+351 912 345', '912 345 678']) {
      const { bookings, guests } = await search(q)
      assert.deepEqual(bookings.length, 2, q)
      assert.deepEqual([guests.length, guests[0].bookings, guests[0].last_booking_id], [1, 2, second.id], q)
    }
    const { bookings, guests } = await search('hm-7731')
    assert.deepEqual([bookings[0].id, bookings[0].unit_name, guests], [first.id, 'Sea view 12', []])
    const { guestEmail } = contact
    assert.deepEqual([bookings[0].guest_email, bookings[0].arrival], [guestEmail, '2030-07-01'])
    const cancelled = expectStatus(await owner.delete(`/api/v1/bookings/${second.id}`), 204)
    assert.ok(!cancelled)
    assert.equal((await search('lovelace')).bookings.length, 1)
  })

  test('finds phone numbers as they are written, and names and postal codes with digits in groups', async () => {
    await addBooking(owner, { unitId, guestName: 'Mary Jackson', guestPhone: '+1 555 014 4477' })
    for (const q of ['(555) 014-4477', '555-014-4477', '555.014.4477', '+1 (555) 014', '555 014'])
      assert.deepEqual(namesOf((await search(q)).guests), ['Mary Jackson'], q)
    await addSpace(owner, { name: 'Kungsgatan', zip: '111 22' })
    assert.deepEqual(namesOf((await search('111 22')).spaces), ['Kungsgatan'])
    await addBooking(owner, { unitId, guestName: 'Dorothy Vaughan', externalId: '4410-8837' })
    assert.deepEqual(namesOf((await search('4410-88')).bookings), ['Dorothy Vaughan'])
  })

  test('finds listings by the id at the PMS, and any record by the beginning of its id', async () => {
    const target = await addTarget(owner)
    const fields = { unit_id: unitId, channel_target_id: target.id, external_id: 'ROOM-Ünïque-9' }
    const listing = await addListing(owner, fields)
    const { listings } = await search('unique')
    assert.deepEqual(listings, [
      {
        id: listing.id,
        external_id: 'ROOM-Ünïque-9',
        status: listings[0].status,
        unit_id: unitId,
        unit_name: 'Sea view 12',
        channel_target_id: target.id,
        channel_target_name: target.name,
      },
    ])
    for (const q of [listing.id, listing.id.slice(0, 8), listing.id.toUpperCase()])
      assert.deepEqual((await search(q)).listings.length, 1)
    assert.deepEqual(namesOf((await search(unitId.slice(0, 13))).units), ['Sea view 12'])
  })

  test('finds some records of each requested kind', async () => {
    const limited = await search('sea', { more: '&limit=2' })
    assert.equal(limited.units.length, 2)
    const { units, spaces, bookings } = await search('sea', { more: '&kind=space&kind=booking' })
    assert.deepEqual([units, spaces, bookings], [null, [], []])
  })
})

suite('search: permissions', () => {
  test('a viewer neither finds guests by their contact data nor sees it', async () => {
    const guest = { guestName: 'Grace Hopper', guestEmail: 'cobol@navy.example', guestPhone: '555010203' }
    await addBooking(owner, { unitId, ...guest })
    const viewer = await world.home.as('viewer')
    for (const q of ['cobol', 'navy.example', '555010203']) {
      assert.equal((await search(q)).guests.length, 1)
      const { bookings, guests } = await search(q, { caller: viewer })
      assert.deepEqual([bookings, guests], [[], []])
    }
    const { bookings, guests } = await search('hopper', { caller: viewer })
    assert.deepEqual([bookings[0].guest_email, guests[0].email, guests[0].phone], [null, null, null])
    assert.equal((await search('hopper')).guests[0].email, 'cobol@navy.example')
  })

  test('kinds that the caller may not read are null', async () => {
    const caller = await world.home.as('service', { permissions: ['spaces:read', 'units:read'] })
    const { units, bookings, guests, listings } = await search('sea', { caller })
    assert.deepEqual([units.length, bookings, guests, listings], [3, null, null, null])
    const none = await world.home.as('service', { permissions: ['bookings:read'] })
    expectProblem(await none.get('/api/v1/search?q=sea'), 403, 'forbidden')
  })

  test('another organization finds nothing', async () => {
    const stranger = await world.away.as('owner')
    for (const q of ['sea', 'casa', 'lovelace', unitId]) {
      const found = await search(q, { caller: stranger })
      assert.deepEqual(found, { units: [], spaces: [], bookings: [], guests: [], listings: [] })
    }
  })

  test('rejects texts that cannot be searched', async () => {
    for (const query of ['', '?q=', '?q=a', `?q=${'x'.repeat(101)}`, '?q=%00abc'])
      expectProblem(await owner.get(`/api/v1/search${query}`), 400, 'validation-error', '/q')
    expectProblem(await owner.get('/api/v1/search?q=sea&kind=quote'), 400, 'validation-error', '/kind')
    expectProblem(await owner.get('/api/v1/search?q=sea&limit=21'), 400, 'validation-error', '/limit')
  })
})

test('of a text in many names, those that begin with it or have it as a word are found among others', async () => {
  const owning = new pg.Client({ connectionString: world.databaseUrl })
  await owning.connect()
  await owning.query('set session_replication_role = replica')
  const add = (name: string, count: number) =>
    owning.query(
      `insert into units (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents, currency)
      select org_id, account_id, space_id, replace($2, '#', number::text), type, bedrooms, bathrooms, max_guests, base_price_cents, currency
      from units, generate_series(1, $3::integer) number
      where id = $1`,
      [unitId, name, count],
    )
  await add('Alfama Térraces # / 11', 5_000)
  await add('Alfaterraces #', 5_000)
  for (const name of ['Terraces', 'TERRACES 7', 'The hidden aterraces']) await add(name, 1)
  await owning.query('analyze units')
  await owning.end()
  const best = namesOf((await search('terraces', { more: '&kind=unit&limit=3' })).units)
  assert.deepEqual(best.slice(0, 2), ['TERRACES 7', 'Terraces'])
  assert.match(best[2]!, /^Alfama Térraces/)
  for (const [q, pattern] of [
    ['terraces 11', /t[eé]rraces.*11/i],
    ['11 terraces', /t[eé]rraces.*11/i],
    ['erraces', /[eé]rraces/i],
  ] as const) {
    const names = namesOf((await search(q, { more: '&kind=unit&limit=20' })).units) as string[]
    assert.equal(new Set(names).size, 20, q)
    for (const name of names) assert.match(name, pattern)
  }
  assert.deepEqual(namesOf((await search('hidden aterraces')).units), ['The hidden aterraces'])
  assert.deepEqual(namesOf((await search('terraces 4711')).units), [
    'Alfama Térraces 4711 / 11',
    'Alfaterraces 4711',
  ])
  const scope = systemScope(world, world.home)
  const rowsRead = await atomically(scope, async (transaction) => {
    // It counts what the connection did before, too.
    const count = async () => {
      const [reads] = await rows(
        transaction,
        sql<{ fetched: string | null }>`
          select idx_tup_fetch::text as fetched from pg_stat_xact_user_tables where relname = 'units'`,
      )
      return Number(reads!.fetched)
    }
    const before = await count()
    await rows(transaction, sql`select kind from search_records('terraces', array['unit'], true, 20)`)
    return (await count()) - before
  })
  assert.ok(rowsRead > 0 && rowsRead < 1_000, `${rowsRead} of 10,000 rows were read`)
})

test('uses the index to find few of many bookings', async () => {
  const owning = new pg.Client({ connectionString: world.databaseUrl })
  await owning.connect()
  // Rows as they may stand there, whether or not they fit into the rooms.
  await owning.query('set session_replication_role = replica')
  await owning.query(
    `insert into bookings (org_id, account_id, unit_id, guest_name, guest_email, nights, check_in, check_out,
      total_cents, currency)
    select unit.org_id, unit.account_id, unit.id, 'Guest ' || md5(number::text),
      md5(number::text) || '@example.com', daterange('2030-01-01', '2030-01-02'), '2030-01-01 15:00',
      '2030-01-02 11:00', 0, unit.currency
    from units unit, generate_series(1, 20000) number
    where unit.id = $1`,
    [unitId],
  )
  await owning.query('analyze bookings')
  await owning.end()
  const scope = systemScope(world, world.home)
  const [{ count, seq_scan, fetched }] = (await atomically(scope, async (transaction) => {
    const found = await rows(
      transaction,
      sql<{
        kind: string | null
      }>`select kind from search_records('guest c4ca4238a', array['booking'], true, 20)`,
    )
    const [reads] = await rows(
      transaction,
      sql<{ seq_scan: string | null; fetched: string | null }>`
        select seq_scan::text, idx_tup_fetch::text as fetched
        from pg_stat_xact_user_tables
        where relname = 'bookings'`,
    )
    return [{ count: found.length, ...reads! }]
  })) as [{ count: number; seq_scan: string; fetched: string }]
  assert.deepEqual([count, seq_scan], [1, '0'])
  assert.ok(Number(fetched) < 1_000, `${fetched} rows were read`)
})
