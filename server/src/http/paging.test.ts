import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import type { TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus, ids, names } from '#test/expect.ts'
import { addAccount, addListing, addSpace, addTarget, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld()
let accountId: string

const path = '/api/v1/spaces'
const seven = ['Room 10', 'zebra', 'Room 2', 'Águas', 'room 1b', 'Berg', 'Überlingen 3']
const sevenByName = ['Águas', 'Berg', 'room 1b', 'Room 2', 'Room 10', 'Überlingen 3', 'zebra']

before(async () => {
  accountId = await addAccount(world, world.home.id, 'Paged')
  for (const name of seven) await addSpace(owner, { name, account_id: accountId })
})

/** Reads all pages of a list by their `Link` headers, and calls `between` after each page. */
async function readPages(
  caller: TestCaller,
  first: string,
  between: (page: number) => Promise<unknown> = async () => {},
) {
  const all: string[][] = []
  for (let next: string | undefined = first; next;) {
    const reply = await caller.get(next)
    const { spaces, next_cursor, has_more } = expectStatus(reply, 200)
    all.push(names(spaces))
    next = /^<(.+)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1]
    assert.equal(has_more, next !== undefined)
    assert.equal(next ? new URL(next, world.url).searchParams.get('cursor') : null, next_cursor)
    await between(all.length)
  }
  return all
}

suite('pages of a list', () => {
  test('contain each record once, in both directions of every sort', async () => {
    for (const [sort, expected] of [
      ['created_at', seven],
      ['updated_at', seven],
      ['name', sevenByName],
      ['status', null],
    ] as const)
      for (const direction of ['', '-']) {
        const query = `${path}?account_id=${accountId}&sort=${direction}${sort}`
        const all = (await readPages(owner, query)).flat()
        for (const limit of [1, 2, 3, 7]) {
          const pages = await readPages(owner, `${query}&limit=${limit}`)
          assert.deepEqual(pages.flat(), all, `${direction}${sort} by ${limit}`)
          assert.equal(pages.length, Math.ceil(7 / limit))
        }
        if (expected) assert.deepEqual(direction ? all.toReversed() : all, expected)
      }
  })

  test('order equal values by id, so that no record is missing between pages', async () => {
    const twins = await addAccount(world, world.home.id, 'Twins')
    const created = await Promise.all(
      Array.from({ length: 9 }, () => addSpace(owner, { name: 'Twin', account_id: twins })),
    )
    for (const sort of ['name', '-name', '-created_at']) {
      const seen: string[] = []
      for (let cursor = ''; ;) {
        const query = `?account_id=${twins}&sort=${sort}&limit=2${cursor}`
        const { spaces, next_cursor } = expectStatus(await owner.get(path + query), 200)
        seen.push(...ids(spaces))
        if (!next_cursor) break
        cursor = `&cursor=${next_cursor}`
      }
      assert.deepEqual(seen.toSorted(), ids(created).toSorted(), sort)
      assert.equal(new Set(seen).size, 9)
    }
  })

  test('records created or deleted meanwhile neither repeat nor hide others', async () => {
    const busy = await addAccount(world, world.home.id, 'Busy')
    for (const name of ['c', 'e', 'g', 'i']) await addSpace(owner, { name, account_id: busy })
    const seen = await readPages(owner, `${path}?account_id=${busy}&sort=name&limit=2`, async (page) => {
      if (page !== 1) return
      await addSpace(owner, { name: 'a', account_id: busy })
      await addSpace(owner, { name: 'f', account_id: busy })
      const { spaces } = expectStatus(await owner.get(`${path}?account_id=${busy}&q=e`), 200)
      expectStatus(await owner.delete(`${path}/${spaces[0].id}`), 204)
    })
    assert.deepEqual(seen, [['c', 'e'], ['f', 'g'], ['i']], 'the record of the cursor may have been deleted')
  })

  test('contain 50 records by default and at most 100', async () => {
    const many = await addAccount(world, world.home.id, 'Many')
    for (let at = 0; at < 102; at++) await addSpace(owner, { account_id: many })
    const count = async (query: string) =>
      expectStatus(await owner.get(`${path}?account_id=${many}${query}`), 200).spaces.length
    assert.equal(await count(''), 50)
    assert.equal(await count('&limit=100'), 100)
    assert.equal(await count('&limit=1'), 1)
  })

  test('filters can be combined', async () => {
    const space = await addSpace(owner, {
      name: '50%_off \\ Ünit',
      city: 'Évora',
      country: 'PT',
      status: 'draft',
    })
    const unit = await addUnit(owner, {
      space_id: space.id,
      type: 'villa',
      name: 'Findable',
      status: 'inactive',
    })
    const target = await addTarget(owner, { status: 'inactive', name: 'Findable' })
    const listing = await addListing(owner, {
      unit_id: unit.id,
      channel_target_id: target.id,
      external_id: 'Find/1',
      status: 'paused',
    })
    for (const [list, query, expected] of [
      ['spaces', 'status=draft&country=PT&city=%C3%89vora', space],
      ['spaces', 'q=50%25_OFF', space],
      ['spaces', 'q=%5C', space],
      ['spaces', 'q=%C3%BCnit', space],
      ['spaces', `q=50&updated_since=${space.updated_at}`, space],
      ['spaces', 'q=50__off', null],
      ['spaces', 'status=draft&country=ES', null],
      ['spaces', 'q=50&updated_since=2199-01-01T00:00:00Z', null],
      ['units', `space_id=${space.id}&type=villa&status=inactive`, unit],
      ['units', `space_id=${space.id}&type=loft`, null],
      ['units', 'q=findABLE', unit],
      ['channel-targets', 'status=inactive&channel_type=pms&q=find', target],
      ['channel-targets', 'status=error&q=find', null],
      ['channel-listings', `unit_id=${unit.id}&channel_target_id=${target.id}&status=paused`, listing],
      ['channel-listings', 'external_id=Find/1', listing],
      ['channel-listings', 'external_id=find/1', null],
      ['channel-listings', 'q=find/', listing],
      ['channel-listings', 'q=Findable', listing],
    ] as const) {
      const body = expectStatus(await owner.get(`/api/v1/${list}?org_id=${world.home.id}&${query}`), 200)
      assert.deepEqual(ids(body[list.replace('-', '_')]), expected ? [expected.id] : [], `${list} ${query}`)
    }
  })

  test('HEAD responds like GET, without the body', async () => {
    const get = await owner.get(`${path}?limit=1`)
    const head = await owner.send('HEAD', `${path}?limit=1`, {})
    assert.equal(head.status, 200)
    assert.equal(head.text, '')
    for (const name of ['content-length', 'content-type', 'link'])
      assert.equal(head.headers.get(name), get.headers.get(name), name)
  })
})

suite('rejected query parameters', () => {
  const invalid: [string, string][] = [
    ['limit=0', '/limit'],
    ['limit=101', '/limit'],
    ['limit=-1', '/limit'],
    ['limit=1.5', '/limit'],
    ['limit=', '/limit'],
    ['limit=many', '/limit'],
    ['limit=1e400', '/limit'],
    ['limit=1&limit=2', '/limit'],
    ['sort=price', '/sort'],
    ['sort=name,status', '/sort'],
    ['sort=name&sort=status', '/sort'],
    ['sort=', '/sort'],
    ['status=open', '/status'],
    ['status=active&status=open', '/status'],
    ['account_id=1', '/account_id'],
    ['org_id=*', '/org_id'],
    ['updated_since=yesterday', '/updated_since'],
    ['updated_since=2026-13-01T00:00:00Z', '/updated_since'],
    ['updated_since=2026-02-30T00:00:00Z', '/updated_since'],
    ['updated_since=infinity', '/updated_since'],
    ['updated_since=300000-01-01T00:00:00Z', '/updated_since'],
    ['updated_since=%2B300000-01-01T00:00:00Z', '/updated_since'],
    ['updated_since=2026-01-01T00:00:00', '/updated_since'],
    ['updated_since=2026-01-01T00:00:00%2B23:59', '/updated_since'],
    [`q=${'x'.repeat(256)}`, '/q'],
    ['q=%00', '/q'],
    ['city=%00', '/city'],
    ['cursor=', '/cursor'],
  ]
  for (const [query, pointer] of invalid)
    test(`${query.slice(0, 60)} is rejected`, async () =>
      expectProblem(await owner.get(`${path}?${query}`), 400, 'validation-error', pointer))

  test('rejects a cursor with a wrong signature', async () => {
    const { next_cursor } = expectStatus(await owner.get(`${path}?limit=1`), 200)
    for (const cursor of ['x', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', `${next_cursor}A`, next_cursor.slice(2)])
      expectProblem(await owner.get(`${path}?cursor=${cursor}`), 400, 'invalid-cursor')
  })
})

suite('isolation of cursors', () => {
  test('a cursor is valid only for its organization, path, sort and filters', async () => {
    const { next_cursor } = expectStatus(await owner.get(`${path}?limit=1`), 200)
    const cursor = `cursor=${next_cursor}`
    for (const other of [
      `${path}?sort=name&${cursor}`,
      `${path}?status=active&${cursor}`,
      `${path}?q=a&${cursor}`,
      `/api/v1/units?${cursor}`,
    ])
      expectProblem(await owner.get(other), 400, 'invalid-cursor')
    await addSpace(stranger)
    expectProblem(await stranger.get(`${path}?${cursor}`), 400, 'invalid-cursor')
    const viewer = await world.home.as('viewer')
    expectStatus(await viewer.get(`${path}?${cursor}`), 200)
  })

  test('a cursor of the list of one record is not valid for that of another', async () => {
    const [one, other] = await Promise.all(
      ['one', 'other'].map(async (path) => {
        const body = { url: `https://hooks.example.com/${path}`, event_types: ['*'] }
        const { id } = expectStatus(await owner.post('/api/v1/webhook-endpoints', body), 201).webhook_endpoint
        const test = `/api/v1/webhook-endpoints/${id}/test`
        for (let times = 0; times < 2; times++) expectStatus(await owner.post(test, {}), 201)
        return `/api/v1/webhook-endpoints/${id}/deliveries`
      }),
    )
    const { next_cursor } = expectStatus(await owner.get(`${one}?limit=1`), 200)
    expectStatus(await owner.get(`${one}?cursor=${next_cursor}`), 200)
    expectProblem(await owner.get(`${other}?cursor=${next_cursor}`), 400, 'invalid-cursor')
  })

  test('a filter by another organization returns none of its records', async () => {
    for (const list of ['accounts', 'spaces', 'units', 'channel-targets', 'channel-listings', 'sync/audit']) {
      const body = expectStatus(await stranger.get(`/api/v1/${list}?org_id=${world.home.id}`), 200)
      assert.deepEqual(Object.values(body)[0], [], list)
    }
  })
})
