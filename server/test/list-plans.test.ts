import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { expectStatus } from './expect.ts'
import { endpointId, few, fillLargeOrganization, linked } from './large-organization.ts'
import { unknownId } from './records.ts'
import { pagesRead, rowsRead, statementsOf } from './sent-statements.ts'
import { shareWorld } from './share-world.ts'

/**
 * A prepared statement is soon planned for any values. The planner then expects a few rows in each organization, because
 * most are small; the plan must still read only the page in a large one.
 */

const { world, owner } = shareWorld()
const pageSize = 20

before(async () => {
  await fillLargeOrganization(world)
  // The first request of a caller also reads its memberships.
  expectStatus(await owner.get('/api/v1/spaces?limit=1'), 200)
})

const pages = [
  ...['webhook-deliveries', `webhook-endpoints/${endpointId}/deliveries`],
  ...['spaces', 'units', 'units?sort=name', 'units?sort=-status', 'bookings', 'bookings?sort=-check_in'],
  ...['notifications', 'calendar-changes'],
  ...[
    'channel-listings?sort=-updated_at',
    'channel-listings?updated_since=2020-01-01T00:00:00Z&sort=updated_at',
  ],
]
const readsOnePage = async (query: string) => {
  const statements = await statementsOf(world.resources.database, async () => {
    const body = expectStatus(await owner.get(`/api/v1/${query}&limit=${pageSize}`), 200)
    assert.equal((Object.values(body)[0] as unknown[]).length, pageSize)
  })
  assert.ok(statements.length > 0)
  for (const statement of statements) {
    const rows = await rowsRead(world, statement)
    assert.ok(rows <= 2 * pageSize + 10, `${rows} rows are read by ${statement.text}`)
  }
}
for (const path of pages)
  test(`one page of ${path} reads no more rows than it shows, whatever the statistics`, () =>
    readsOnePage(path.includes('?') ? path : `${path}?`))

const ofAccount = [
  ...['bookings?', 'rate-plans?', 'spaces?', 'sync/audit?trigger=change&'],
  ...['payment-intents?', 'payment-intents?status=succeeded&', 'refunds?'],
  ...['notifications?', 'notifications?status=sent&', 'notifications?channel=email&'],
]
for (const path of ofAccount)
  test(`one page of ${path}account_id=… reads no more rows than it shows, when the account has most of them`, () =>
    readsOnePage(`${path}account_id=${world.home.accountId}`))

for (const filter of ['q=nowhere', 'status=inactive', 'sync_state=stale'])
  test(`a calendar of ${filter}, which nothing matches, does not read what does not match`, async () => {
    const statements = await statementsOf(world.resources.database, async () => {
      const query = `from=2027-01-01&to=2027-01-31&${filter}`
      assert.deepEqual(expectStatus(await owner.get(`/api/v1/calendar?${query}`), 200).calendar, [])
    })
    for (const statement of statements) {
      const rows = await rowsRead(world, statement)
      assert.ok(rows <= linked, `${rows} rows are read by ${statement.text}`)
    }
  })

test('the calendar reads few listings for each unit', async () => {
  const statements = await statementsOf(world.resources.database, async () => {
    const body = expectStatus(
      await owner.get(`/api/v1/calendar?limit=${pageSize}&from=2027-01-01&to=2027-01-31`),
      200,
    )
    assert.equal(body.calendar.length, pageSize)
  })
  for (const statement of statements) {
    const rows = await rowsRead(world, statement)
    assert.ok(rows <= (pageSize + 1) * linked, `${rows} rows are read by ${statement.text}`)
  }
})

test('the history looks up the booking of an entry, and reads no other', async () => {
  const statements = await statementsOf(world.resources.database, async () => {
    const body = expectStatus(await owner.get('/api/v1/audit?kind=booking&limit=2'), 200)
    assert.equal(body.audit_entries.length, 2)
  })
  for (const statement of statements) {
    const rows = await rowsRead(world, statement)
    assert.ok(rows <= linked, `${rows} rows are read by ${statement.text}`)
  }
})

test('a page of the feed reads no event before its cursor', async () => {
  const { next_cursor } = expectStatus(await owner.get('/api/v1/events?limit=100'), 200)
  const statements = await statementsOf(world.resources.database, async () => {
    expectStatus(await owner.get(`/api/v1/events?limit=${pageSize}&cursor=${next_cursor}`), 200)
  })
  assert.ok(statements.length > 0)
  for (const statement of statements) {
    const rows = await rowsRead(world, statement)
    assert.ok(rows <= 2 * pageSize + 10, `${rows} rows are read by ${statement.text}`)
  }
})

const rare = [
  ...['units?status=inactive', 'units?q=nowhere', 'spaces?q=nowhere', 'bookings?q=nobody'],
  ...['units?type=dorm', 'units?status=inactive&sort=name', 'units?updated_since=2099-01-01T00:00:00Z'],
  ...['spaces?city=nowhere', 'spaces?status=draft', 'rate-plans?status=archived'],
  ...['channel-listings?q=nowhere', 'audit?kind=season', 'audit?action=cancelled'],
  ...['audit?q=nowhere', 'audit?actor_id=nobody'],
  ...['channel-listings', 'rate-plans', 'spaces'].map((list) => `${list}?account_id=${unknownId}`),
  ...[`bookings?account_id=${unknownId}`, 'rate-plans?q=nowhere'],
  ...['job_id', 'channel_target_id', 'account_id'].map((name) => `sync/audit?${name}=${unknownId}`),
  ...['action=sync.failed', 'trigger=manual&trigger=retry', 'status=pending'].map(
    (filter) => `sync/audit?${filter}`,
  ),
  ...['status=failed', 'status=pending&status=failed', 'event_type=space.created'].flatMap((filter) => [
    `webhook-deliveries?${filter}`,
    `webhook-endpoints/${endpointId}/deliveries?${filter}`,
  ]),
  ...['notifications?status=failed', 'refunds?status=failed', 'payment-intents?status=processing'],
  ...['notifications', 'refunds', 'payment-intents'].flatMap((list) => [
    `${list}?updated_since=2099-01-01T00:00:00Z`,
    `${list}?account_id=${unknownId}`,
  ]),
  ...['kind=payment.failed', 'channel=sms', 'audience=operator'].map((filter) => `notifications?${filter}`),
  ...['refunds?reason=fraudulent', 'payment-intents?status=processing&sort=-updated_at'],
  ...['bookings?source=api', 'bookings?cancellation_reason=host', 'bookings?status=no_show&sort=-check_in'],
  ...[`bookings?status=confirmed&account_id=${unknownId}`, 'bookings?status=confirmed&arrival=2031-01-01'],
  ...['bookings?check_in_from=2031-01-01', 'bookings?check_in_from=2031-01-01T00:00:00Z&sort=-check_in'],
  ...['bookings?check_out_to=2020-01-01', 'bookings?check_out_to=2020-01-01T00:00:00Z&status=confirmed'],
  ...[
    'bookings?guest_email=nobody@casa.example',
    'bookings?guest_phone=351000000',
    'bookings?status=no_show',
  ],
]
for (const path of rare)
  test(`a list of ${path}, which nothing matches, does not read what does not match`, async () => {
    const statements = await statementsOf(world.resources.database, async () => {
      const body = expectStatus(await owner.get(`/api/v1/${path}`), 200)
      assert.deepEqual(Object.values(body)[0], [])
    })
    for (const statement of statements) {
      const rows = await rowsRead(world, statement)
      // An index of two columns is searched for each value of the other one.
      assert.ok(rows <= 20, `${rows} rows are read by ${statement.text}`)
    }
  })

for (const path of [
  'bookings?updated_since=2099-01-01T00:00:00Z',
  'calendar?from=2027-01-01&to=2027-01-31&sync_state=failing',
])
  test(`${path} reads the pages of its few records, and no index in its order`, async () => {
    const statements = await statementsOf(world.resources.database, async () => {
      const [found] = Object.values(expectStatus(await owner.get(`/api/v1/${path}`), 200))
      assert.equal((found as unknown[]).length, few)
    })
    assert.ok(statements.length > 0)
    for (const statement of statements) {
      // For each, up to three pages of the index of ids, and one of the table.
      const pages = await pagesRead(world, statement)
      assert.ok(pages <= 5 * few, `${pages} pages are read by ${statement.text}`)
    }
  })

for (const filter of ['type=apartment', 'status=active', 'updated_since=2020-01-01T00:00:00Z'])
  for (const sort of ['created_at', '-name'])
    test(`units?${filter} in the order of ${sort} are all units, page after page`, async () => {
      const pagesOf = async (query: string) => {
        const first = expectStatus(await owner.get(`/api/v1/units?${query}`), 200)
        const second = await owner.get(`/api/v1/units?${query}&cursor=${first.next_cursor}`)
        return [...first.units, ...expectStatus(second, 200).units].map(({ id }: { id: string }) => id)
      }
      assert.deepEqual(
        await pagesOf(`sort=${sort}&limit=40&${filter}`),
        await pagesOf(`sort=${sort}&limit=40`),
      )
    })

test('pushes of an account with many are those of the list', async () => {
  const idsOf = async (query: string) => {
    const body = expectStatus(await owner.get(`/api/v1/sync/audit?limit=50${query}`), 200)
    return (Object.values(body)[0] as { id: string }[]).map(({ id }) => id)
  }
  const ids = await idsOf('')
  assert.equal(ids.length, 50)
  assert.deepEqual(await idsOf(`&account_id=${world.home.accountId}`), ids)
})

for (const filter of ['actor_id=importer', 'q=importer', 'q=cleaning'])
  test(`the history of ${filter}, which many entries have, is page after page that of their kind`, async () => {
    const pagesOf = async (query: string) => {
      const first = expectStatus(await owner.get(`/api/v1/audit?limit=30&${query}`), 200)
      const second = await owner.get(`/api/v1/audit?limit=30&${query}&cursor=${first.next_cursor}`)
      return [...first.audit_entries, ...expectStatus(second, 200).audit_entries].map(
        ({ id }: { id: string }) => id,
      )
    }
    const ids = await pagesOf('kind=charge')
    assert.equal(ids.length, 60)
    assert.deepEqual(await pagesOf(filter), ids)
  })

for (const path of ['units?q=Space 123', 'units?q=spa', 'spaces?q=PACE', 'bookings?q=guest'])
  test(`${path} finds a page of many with this name`, async () => {
    const [list = '', q = ''] = path.split('?q=')
    const body = expectStatus(await owner.get(`/api/v1/${list}?limit=10&q=${encodeURIComponent(q)}`), 200)
    const found = Object.values(body)[0] as { name?: string; guestName?: string }[]
    assert.equal(found.length, 10)
    for (const { name, guestName } of found)
      assert.ok((name ?? guestName!).toLowerCase().includes(q.toLowerCase()))
  })
