import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { completeIfDone } from '#features/distribution/imports/complete-import.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { withClient } from './databases.ts'
import { expectStatus } from './expect.ts'
import { systemScope, unknownId } from './records.ts'
import { rowsRead, statementsOf } from './sent-statements.ts'
import { shareWorld } from './share-world.ts'

/**
 * Of what stays for months or years, few records are what a list is often asked for: what is open, has failed, was done by
 * one person or has changed since. The plan must read those few, and not all of the organization.
 */

const { world, owner } = shareWorld()
const many = 4_000
const few = 3
const targetId = '5a1e0000-0000-4000-8000-000000000002'
const unitId = '5a1e0000-0000-4000-8000-000000000003'
const spaceId = '5a1e0000-0000-4000-8000-000000000004'
const importId = '5a1e0000-0000-4000-8000-000000000005'
const fileImportId = '5a1e0000-0000-4000-8000-000000000006'

before(async () => {
  const database = openOwner(world.databaseUrl)
  const { id: orgId, accountId } = world.home
  const numbers = sql`generate_series(1, ${many}::int) number`
  const isFew = sql`number <= ${few}::int`
  const time = sql`now() - number * interval '1 minute'`
  await database.pipelined({ orgId }, [
    sql`set local session_replication_role = replica`,
    sql`insert into channel_targets (id, org_id, account_id, channel_type, name, config)
      values (${targetId}, ${orgId}, ${accountId}, 'pms', 'Target', '{}')`,
    sql`insert into webhook_messages (org_id, account_id, channel_target_id, source, kind, message_id, body, signed, status, received_at)
      select ${orgId}, ${accountId}, ${targetId}, 'generic', case when ${isFew} then 'rate.changed' else 'booking.created' end,
        number, '{}', true, case when ${isFew} then 'failed' else 'processed' end, ${time}
      from ${numbers}`,
    sql`insert into alerts (org_id, account_id, kind, channel_target_id, unit_id, message, hint, first_at, last_at, resolved_at)
      select ${orgId}, ${accountId}, case when ${isFew} then 'sync.failed' else 'target.error' end, ${targetId},
        gen_random_uuid(), 'Message', 'Hint', ${time}, ${time}, case when ${isFew} then null else now() end
      from ${numbers}`,
    sql`insert into booking_conflicts (org_id, account_id, channel_target_id, external_id, pms_booking_id, booking, reason,
        message, hint, status, closed_at, created_at, updated_at)
      select ${orgId}, ${accountId}, ${targetId}, number, number, '{}', 'no_room', 'Message', 'Hint',
        case when ${isFew} then 'open' else 'resolved' end, case when ${isFew} then null else now() end, ${time}, ${time}
      from ${numbers}`,
    sql`insert into calendar_changes (org_id, id, account_id, unit_id, unit_count, value_count, nights, nights_changed, listings,
        members, date_from, date_to, actor, created_at)
      select ${orgId}, gen_random_uuid(), ${accountId}, ${unitId}, 1, 1, 1, 1, 0, '{price_cents}', current_date, current_date,
        case when ${isFew} then '{"type": "user", "id": "ana", "name": "Ana"}'
          else '{"type": "service", "id": "prices", "name": "Prices"}' end::jsonb, ${time}
      from ${numbers}`,
    sql`insert into calendar_change_parts (org_id, change_id, unit_id, rate_plan_id, part, date_from, date_to, nights)
      select org_id, id, unit_id, unit_id, 1, date_from, date_to, array[date_from] from calendar_changes`,
    sql`insert into spaces (id, org_id, account_id, name, timezone, currency)
      values (${spaceId}, ${orgId}, ${accountId}, 'Space', 'UTC', 'eur')`,
    sql`insert into units (id, org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents, currency)
      values (${unitId}, ${orgId}, ${accountId}, ${spaceId}, 'Unit', 'room', 1, 1, 2, 10000, 'eur')`,
    sql`insert into bookings (org_id, account_id, unit_id, nights, check_in, check_out, total_cents, currency, guest_name, status)
      select ${orgId}, ${accountId}, ${unitId}, daterange(arrival, arrival + 1), arrival + time '15:00Z', arrival + 1 + time '10:00Z',
        20000, 'eur', 'Guest', 'checked_out'
      from ${numbers}, lateral (select current_date - 1 - number as arrival) stay`,
    sql`insert into media (org_id, account_id, space_id, position, key, content_type, size_bytes, checksum, created_at, updated_at)
      select ${orgId}, ${accountId}, ${spaceId}, number, number, 'image/jpeg', 1, 'sha256:' || repeat('0', 64), ${time}, ${time}
      from ${numbers}`,
    sql`insert into charges (org_id, account_id, unit_id, name, kind, basis, amount_cents, currency, created_at, updated_at)
      select ${orgId}, ${accountId}, ${unitId}, 'Charge', 'fee', 'stay', 100, 'eur', ${time}, ${time} from ${numbers}`,
    sql`insert into calendar_feeds (org_id, account_id, unit_id, direction, name, address, created_at, updated_at)
      select ${orgId}, ${accountId}, ${unitId}, 'import', 'Feed', '', ${time}, ${time} from ${numbers}`,
    sql`insert into imports (org_id, id, channel_target_id, include, status, stage, actor)
      values (${orgId}, ${importId}, ${targetId}, '{}', 'running', 'photos', '{}')`,
    sql`insert into import_items (org_id, import_id, kind, external_id, position, name, action, record_id, done_at)
      select ${orgId}, ${importId}, 'unit', number, number, 'Unit', case when ${isFew} then 'skip' else 'create' end,
        gen_random_uuid(), now()
      from ${numbers}`,
    sql`insert into channel_listings (org_id, account_id, channel_target_id, unit_id, external_id, status)
      select ${orgId}, ${accountId}, ${targetId}, record_id, external_id, case when action = 'skip' then 'paused' else 'active' end
      from import_items`,
    sql`insert into file_imports (org_id, id, account_id, kind, format, columns, mapping, row_count, status, actor)
      values (${orgId}, ${fileImportId}, ${accountId}, 'rates', 'csv', '{}', '[]', ${many}, 'planned', '{}')`,
    sql`insert into file_import_rows (org_id, import_id, position, action)
      select ${orgId}, ${fileImportId}, number, case when ${isFew} then 'error' else 'update' end from ${numbers}`,
    // Of other organizations, so that by the statistics a target has one.
    sql`insert into webhook_messages (org_id, account_id, channel_target_id, source, kind, message_id, body, signed, status)
      select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'generic', 'booking.created', number, '{}', true, 'processed'
      from ${numbers}`,
    sql`insert into alerts (org_id, kind, channel_target_id, message, hint)
      select gen_random_uuid(), 'target.error', gen_random_uuid(), 'Message', 'Hint' from ${numbers}`,
    sql`insert into sync_audit (org_id, id, account_id, action, trigger, actor, created_at)
      select org_id, id, account_id, 'calendar.changed', 'change', actor, created_at from calendar_changes`,
  ])
  await database.close()
  await withClient(world.databaseUrl, async (client) => void (await client.query('vacuum analyze')))
  // The first request of a caller also reads its memberships.
  expectStatus(await owner.get('/api/v1/spaces?limit=1'), 200)
})

async function readsAtMost(max: number, work: () => Promise<unknown>): Promise<void> {
  const statements = await statementsOf(world.resources.database, work)
  assert.ok(statements.length > 0)
  for (const statement of statements) {
    const rows = await rowsRead(world, statement)
    assert.ok(rows <= max, `${rows} rows are read by ${statement.text}`)
  }
}

const ofTarget = `channel_target_id=${targetId}`
const found: Record<string, number> = {
  'alerts?status=open': few,
  'alerts?status=open&standalone=true&sort=first_at': few,
  [`alerts?status=open&${ofTarget}`]: few,
  [`alerts?channel_target_id=${unknownId}`]: 0,
  'booking-conflicts?status=open': few,
  'booking-conflicts?status=open&sort=-updated_at': few,
  [`booking-conflicts?status=open&${ofTarget}`]: few,
  [`booking-conflicts?channel_target_id=${unknownId}`]: 0,
  [`webhook-messages?status=failed&${ofTarget}`]: few,
  [`webhook-messages?kind=rate.changed&${ofTarget}`]: few,
  [`webhook-messages?account_id=${unknownId}`]: 0,
  'calendar-changes?actor_id=ana': few,
  'calendar-changes?actor_id=unknown': 0,
  [`calendar-changes?unit_id=${unknownId}`]: 0,
  [`imports/${importId}/items?action=skip`]: few,
  [`imports/${importId}/items?action=skip&action=match`]: few,
  [`file-imports/${fileImportId}/rows?action=error`]: few,
  [`file-imports/${fileImportId}/rows?action=error&action=skip`]: few,
  [`file-imports/${fileImportId}/rows?action=match`]: 0,
  'calendar-feeds?status=error': 0,
  'calendar-feeds?status=error&sort=name': 0,
  'calendar-feeds?direction=export': 0,
  [`calendar-feeds?account_id=${unknownId}`]: 0,
  ...Object.fromEntries(
    ['media', 'charges', 'calendar-feeds', 'booking-conflicts'].map((list) => [
      `${list}?updated_since=2099-01-01T00:00:00Z`,
      0,
    ]),
  ),
}
for (const [path, count] of Object.entries(found))
  test(`a list of ${path} reads the few records that match`, async () => {
    await readsAtMost(20, async () => {
      const [records] = Object.values(expectStatus(await owner.get(`/api/v1/${path}`), 200))
      assert.equal((records as unknown[]).length, count)
    })
  })

const ofMany: Record<string, string> = {
  'alerts?status=resolved': 'alerts?kind=target.error',
  [`alerts?${ofTarget}`]: 'alerts?',
  [`booking-conflicts?${ofTarget}`]: 'booking-conflicts?',
  [`webhook-messages?status=processed&${ofTarget}`]: 'webhook-messages?kind=booking.created',
  'calendar-changes?actor_id=prices&to=2100-01-01': 'calendar-changes?actor_id=prices',
  [`calendar-changes?unit_id=${unitId}`]: 'calendar-changes?',
  [`imports/${importId}/items?kind=unit`]: `imports/${importId}/items?`,
  [`file-imports/${fileImportId}/rows?action=update&action=error`]: `file-imports/${fileImportId}/rows?`,
}
for (const [path, same] of Object.entries(ofMany))
  test(`${path} are, page after page, the records of ${same}`, async () => {
    const pagesOf = async (query: string) => {
      const first = expectStatus(await owner.get(`/api/v1/${query}&limit=30`), 200)
      const second = await owner.get(`/api/v1/${query}&limit=30&cursor=${first.next_cursor}`)
      const lists = [first, expectStatus(second, 200)].map(
        (body) => Object.values(body)[0] as { id: string }[],
      )
      return lists.flat().map(({ id }) => id)
    }
    const ids = await pagesOf(path)
    assert.equal(new Set(ids).size, 60)
    assert.deepEqual(ids, await pagesOf(same))
  })

test('the items of an import that has ended, and the rows of a file, are not counted again', async () => {
  const read = async () => {
    const get = async (path: string) => expectStatus(await owner.get(`/api/v1/${path}`), 200)
    const listed = [(await get('imports')).imports[0], (await get('file-imports')).file_imports[0]]
    const { import: imported } = await get(`imports/${importId}`)
    const { file_import: file } = await get(`file-imports/${fileImportId}`)
    assert.deepEqual([imported, file], listed)
    const { counts, listings_paused } = imported
    return { counts, listings_paused, ofFile: file.counts, planned: file.planned_count }
  }
  const before = await read()
  await completeIfDone(systemScope(world, world.home), importId)
  expectStatus(await owner.post(`/api/v1/file-imports/${fileImportId}/cancel`), 200)
  await readsAtMost(20, async () => assert.deepEqual(await read(), before))
  assert.deepEqual(before, {
    counts: [
      { kind: 'unit', action: 'create', total: many - few, done: many - few },
      { kind: 'unit', action: 'skip', total: few, done: few },
    ],
    listings_paused: few,
    ofFile: [
      { action: 'error', total: few, done: 0 },
      { action: 'update', total: many - few, done: 0 },
    ],
    planned: many,
  })
})

test('unpaid stays of a space are found without those of earlier years', async () => {
  await readsAtMost(199, async () => {
    const { today } = expectStatus(await owner.get(`/api/v1/today?space_id=${spaceId}`), 200)
    assert.ok(today.unpaid.count > 0)
  })
})

test('media in the order of their positions are merged by number', async () => {
  const positionsOf = async (query: string) => {
    const body = expectStatus(await owner.get(`/api/v1/media?sort=position&limit=15&${query}`), 200)
    return {
      positions: body.media.map(({ position }: { position: number }) => position),
      cursor: body.next_cursor,
    }
  }
  const since = 'updated_since=2020-01-01T00:00:00Z'
  const first = await positionsOf(since)
  const { positions } = await positionsOf(`${since}&cursor=${first.cursor}`)
  assert.deepEqual(
    [...first.positions, ...positions],
    Array.from({ length: 30 }, (_, at) => at + 1),
  )
})

test('few records are shown page after page', async () => {
  for (const path of [
    'alerts?status=open',
    'booking-conflicts?status=open',
    'calendar-changes?actor_id=ana',
  ]) {
    const ids: string[] = []
    let cursor = ''
    for (let page = 0; page < few; page++) {
      const body = expectStatus(await owner.get(`/api/v1/${path}&limit=1${cursor}`), 200)
      ids.push((Object.values(body)[0] as { id: string }[])[0]!.id)
      cursor = `&cursor=${body.next_cursor}`
      assert.equal(body.next_cursor === null, page === few - 1)
    }
    assert.equal(new Set(ids).size, few)
  }
})
