import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { nightOf } from '#schema/nights.ts'
import {
  addAlert,
  addBooking,
  addCharge,
  addFeed,
  addMessage,
  addNotification,
  addQuote,
  addSpace,
  addStop,
  addTarget,
  addUnit,
} from './records.ts'
import { addRefund } from './payments.ts'
import { expectStatus } from './expect.ts'
import { addConflict } from './pms-bookings.ts'
import { addLinkedUnit } from './linked-units.ts'
import { addMedia } from './uploads.ts'
import { addDelivery } from './webhook-receiver.ts'
import { shareWorld } from './share-world.ts'

/** The `json` columns are the responses of the API: each must equal the other columns of its row. */

const { world } = shareWorld({ workers: true })
let owner: Database
const run = async <Row>(statement: Statement<Row>) => (await owner.pipelined({ orgId: null }, [statement]))[0]
const odd = `Zoë "quoted" 'single' \\ back / <b>&amp; \u2028\u2029 \u0001 👩‍🚀 \t\n end`

before(async () => {
  owner = openOwner(world.databaseUrl)
  const caller = await world.home.as('owner')
  const linked = await addLinkedUnit(caller)
  await addAlert(world, world.home, linked, { message: odd, hint: odd, details: { odd, none: null } })
  await addAlert(world, world.home, linked, { account_id: null, kind: 'drift.found', unit_id: null })
  await addConflict(world, world.home, linked.targetId, odd)
  await addFeed(caller, { unit_id: linked.unitId, name: 'Odd "calendar" 👩‍🚀' })
  const dates = { checkIn: '2030-08-01', checkOut: '2030-08-05', totalCents: 9_007_199_254_740_991 }
  await addBooking(caller, { unitId: linked.unitId, guestName: 'Odd "guest" 👩‍🚀', notes: odd, ...dates })
  await addRefund(world, caller)
  await addNotification(caller, { subject: 'Odd "mail" 👩‍🚀', body: odd })
  await addMessage(world, linked.targetId, { odd })
  const everything = {
    address: odd,
    city: odd,
    state: odd,
    zip: 'x"y',
    description: odd,
    amenities: ['wifi', 'pool'],
  }
  const { id: space_id } = await addSpace(caller, { name: 'Odd "one"', country: 'PT', ...everything })
  await addUnit(caller, {
    space_id,
    name: 'Odd \\ two',
    bathrooms: -0,
    base_price_cents: 2_147_483_647,
  })
  await addUnit(caller, { space_id, bathrooms: 2.5, base_price_cents: 0, free_of_charge: true })
  const config = { credentials: { api_key: 'k' }, timeout_ms: 100, base_url: 'http://127.0.0.1:9/"' }
  await addTarget(caller, { name: 'Odd 👩‍🚀', config, status: 'inactive' })
  await addCharge(caller, { unit_id: linked.unitId, name: 'Odd "charge" 👩‍🚀', kind: 'tax', percent: 0.0001 })
  await addCharge(caller, { space_id, amount_cents: 2_147_483_647 })
  await addQuote(caller, { unit_id: linked.unitId, hold: true, guest_name: odd.replace('\n', '') })
  await addStop(caller, { space_id, reason: odd })
  const nights = { date_from: '2030-07-01', date_to: '2030-07-05', price_delta_cents: -2_147_483_647 }
  expectStatus(await caller.post('/api/v1/seasons', { name: 'Odd "season" 👩‍🚀', values: [nights] }), 201)
  await addMedia(caller, space_id, { description: 'Odd "photo" 👩‍🚀' })
  await addDelivery(world, world.home)
  expectStatus(await caller.post('/api/v1/guest-erasures', { email: 'odd@guest.example' }), 201)
  await world.settled()
  world.defer(() => owner.close())
})

test('in every table, nulls, quotes, unicode and numbers at their ends are the same in both', async () => {
  const tables = await run(sql<{ name: string }>`select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'json' and a.attgenerated = 's'
    where c.relnamespace = 'public'::regnamespace order by 1`)
  assert.ok(tables.length >= 7, JSON.stringify(tables))
  for (const { name } of tables) {
    const found = await run(sql<{ json: string; row: Record<string, unknown> }>`select json,
      to_jsonb(t) - 'json' as row from ${sql.ref(name)} t`)
    assert.ok(found.length > 0, `${name} is empty`)
    for (const { json, row } of found) {
      const record = JSON.parse(json) as Record<string, unknown>
      const following = followingFrom[name]?.(row) ?? {}
      const isColumn = (member: string) => member in row && !(member in following)
      for (const [member, value] of Object.entries(record)) {
        if (!isColumn(member)) continue
        const kept = row[member]
        assert.deepEqual(
          value,
          member.endsWith('_at') && kept !== null ? utc(kept as string) : kept,
          `${name}.${member}`,
        )
      }
      const { wanted_version: wanted, synced_version: synced } = row as Record<string, number>
      if (name === 'listing_syncs')
        assert.deepEqual(
          [record['in_sync'], record['pending_changes']],
          [wanted === synced, wanted! - synced!],
        )
      else
        assert.deepEqual(
          Object.fromEntries(Object.entries(record).filter(([member]) => !isColumn(member))),
          following,
          name,
        )
    }
  }
})

const utc = (text: string) => new Date(text).toISOString()

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const timesOfBookings = /(_at|^check_in|^check_out)$/

/** The members that are not columns, and how they follow from them. */
const followingFrom: Record<string, (row: Record<string, unknown>) => object> = {
  // In camelCase, and the nights of a stay as they are counted.
  bookings: ({ nights, json: _, ...row }) => {
    const [arrival, departure] = /[\d-]+,[\d-]+/.exec(nights as string)![0].split(',') as [string, string]
    const derived = Object.entries(row).filter(
      ([column]) =>
        !/^(version|deleted_at|external_revised_at|is_long|(guest|pms)_\w+_key|(search|contact)_text|guest_erased_at|pms_guest|pms_notes|paid_cents)$/.test(
          column,
        ),
    )
    return {
      ...Object.fromEntries(
        derived.map(([column, value]) => [
          column === 'org_id' || column === 'account_id' ? column : camel(column),
          timesOfBookings.test(column) && value !== null ? utc(value as string) : value,
        ]),
      ),
      ...{ arrival, departure, nights: nightOf(departure) - nightOf(arrival) },
    }
  },
  seasons: ({ season_values }) => ({ values: season_values }),
  media: ({ space_id, key }) => ({ property_id: space_id, url: `/media/${key as string}` }),
  notifications: ({ recipient }) => ({ to: recipient }),
  units: ({ base_price_cents }) => ({ free_of_charge: base_price_cents === 0 }),
  quotes: ({ check_in, check_out, hold_booking_id, expires_at }) => ({
    nights: nightOf(check_out as string) - nightOf(check_in as string),
    available: true,
    hold: hold_booking_id && { booking_id: hold_booking_id, expires_at: utc(expires_at as string) },
  }),
}

test('a number that is stored as -0 or with an idle nought is answered plainly', async () => {
  const found = await run(sql<{ json: string }>`select json from units order by created_at desc limit 2`)
  assert.match(found[0]!.json, /"bathrooms":2\.5,/)
  assert.match(found[1]!.json, /"bathrooms":0,/)
})

test('texts come back as they were sent', async () => {
  const { spaces } = (await (await world.home.as('viewer')).get('/api/v1/spaces?sort=-created_at&limit=1'))
    .body
  assert.deepEqual([spaces[0].description, spaces[0].zip], [odd, 'x"y'])
})
