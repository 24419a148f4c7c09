import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { feedsPath, openImports, roomOn, type Feed } from '#test/calendar-imports.ts'
import { calendarOf, openCalendarServer } from '#test/calendars.ts'
import { inDays } from '#test/local-days.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addFeed, addUnit } from '#test/records.ts'
import { addLinkedUnit, until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import { fetchDueCalendars } from './jobs.ts'

const { world, owner } = shareWorld({ workers: true })
let elsewhere: Awaited<ReturnType<typeof openCalendarServer>>
let imports: ReturnType<typeof openImports>

before(async () => {
  elsewhere = await openCalendarServer()
  imports = openImports(world, owner)
  world.defer(() => elsewhere.close())
})

/** Increases with each change that must be pushed. */
async function wanted(listingId: string): Promise<number> {
  const [row] = await imports.run(sql<{ version: number }>`select wanted_version as version from listing_syncs
    where channel_listing_id = ${listingId}`)
  return row!.version
}
const historyOf = async (unitId: string) =>
  expectStatus(await owner.get(`/api/v1/sync/audit?unit_id=${unitId}&limit=100`), 200).audit as {
    action: string
    changes: { field: string; after: unknown }[]
  }[]

suite('calendar import: happy', () => {
  test('blocks the nights of a new import, pushes them, and records it in the history', async () => {
    const linked = await addLinkedUnit(owner)
    const before = await wanted(linked.listingId)
    const url = elsewhere.serve('/one.ics', calendarOf([inDays(5), inDays(8)], [inDays(20), inDays(21)]))
    const feed = await imports.fetched(await imports.add({ unit_id: linked.unitId, url }))
    assert.deepEqual([feed.status, feed.error_message, feed.blocks], ['active', null, 4])
    assert.deepEqual(await imports.blocked(linked.unitId), roomOn(5, 6, 7, 20))
    const history = await historyOf(linked.unitId)
    const entry = history.find(({ action }) => action === 'calendar.imported')!
    const counts = Object.fromEntries(entry.changes.map(({ field, after }) => [field, after]))
    assert.deepEqual(counts, {
      calendar_feed: 'Elsewhere',
      blocked_nights: 4,
      nights_written: 4,
      nights_removed: 0,
    })
    assert.equal(await wanted(linked.listingId), before + 1)
  })

  test('writes only what differs when a calendar is read again', async () => {
    const { unitId: unit_id, listingId } = await addLinkedUnit(owner)
    const url = elsewhere.serve('/two.ics', calendarOf([inDays(5), inDays(8)]))
    const feed = await imports.fetched(await imports.add({ unit_id, url }))
    const written = () =>
      imports.run(sql`select night, xmin::text as written from calendar_blocks
        where unit_id = ${unit_id} order by night`)
    const before = await written()
    elsewhere.serve('/two.ics', calendarOf([inDays(6), inDays(10)]))
    assert.equal((await imports.again(feed)).blocks, 4)
    assert.deepEqual(await imports.blocked(unit_id), roomOn(6, 7, 8, 9))
    const after = await written()
    assert.deepEqual(after.slice(0, 2), before.slice(1))
    const version = await wanted(listingId)
    await imports.again(feed)
    assert.deepEqual(await written(), after)
    assert.equal(await wanted(listingId), version)
    const entries = (await historyOf(unit_id)).filter(({ action }) => action === 'calendar.imported')
    assert.equal(entries.length, 2)
  })

  test('fetches a calendar when it is asked to, also one that failed', async () => {
    const { id: unit_id } = await addUnit(owner)
    const url = elsewhere.serve('/now.ics', calendarOf([inDays(5), inDays(6)]))
    const feed = await imports.fetched(await imports.add({ unit_id, url }))
    const fetchNow = () => owner.post(`${feedsPath}/${feed.id}/fetch`)
    elsewhere.serve('/now.ics', 'no calendar')
    expectStatus(await fetchNow(), 201)
    const failed = await imports.fetched(feed)
    assert.equal(failed.status, 'error')
    elsewhere.serve('/now.ics', calendarOf([inDays(5), inDays(8)]))
    expectStatus(await fetchNow(), 201)
    const again = await imports.fetched(failed)
    assert.deepEqual([again.status, again.blocks], ['active', 3])
    expectStatus(await owner.patch(`${feedsPath}/${feed.id}`, { status: 'inactive' }), 200)
    expectProblem(await fetchNow(), 409, 'invalid-status-transition')
    const { id } = await addFeed(owner, { unit_id })
    expectProblem(await owner.post(`${feedsPath}/${id}/fetch`), 409, 'invalid-status-transition')
  })

  test('fetches it again for a request that comes during a fetch', async () => {
    const { id: unit_id } = await addUnit(owner)
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const body = calendarOf([inDays(5), inDays(6)])
    const url = elsewhere.serve('/slow.ics', { body, sentAfter: first.promise })
    const feed = await imports.add({ unit_id, url })
    const areRequests = (count: number) =>
      until(
        async () => elsewhere.requests.filter(({ path }) => path === '/slow.ics').length,
        (found) => found === count,
      )
    await areRequests(1)
    const { calendar_feed: requested } = expectStatus(await owner.post(`${feedsPath}/${feed.id}/fetch`), 201)
    elsewhere.serve('/slow.ics', { body, sentAfter: second.promise })
    first.resolve()
    const earlier = await imports.fetched(feed)
    assert.ok(Date.parse(earlier.last_fetched_at!) < Date.parse(requested.updated_at))
    await areRequests(2)
    second.resolve()
    const later = await imports.fetched(earlier)
    assert.ok(Date.parse(later.last_fetched_at!) > Date.parse(requested.updated_at))
  })

  test('does not read an unchanged calendar again', async () => {
    const { id: unit_id } = await addUnit(owner)
    const url = elsewhere.serve('/three.ics', {
      headers: { etag: '"a1"', 'last-modified': 'Wed, 01 Apr 2026 10:00:00 GMT' },
      body: calendarOf([inDays(5), inDays(6)]),
    })
    const feed = await imports.fetched(await imports.add({ unit_id, url }))
    await makeDue(feed)
    const later = await imports.fetched(feed)
    assert.deepEqual([later.status, later.blocks], ['active', 1])
    const [first, second] = elsewhere.requests.filter((call) => call.path === '/three.ics')
    assert.equal(first!.headers['if-none-match'], undefined)
    assert.equal(second!.headers['if-none-match'], '"a1"')
    assert.equal(second!.headers['if-modified-since'], 'Wed, 01 Apr 2026 10:00:00 GMT')
    assert.deepEqual(await imports.blocked(unit_id), roomOn(5))
  })

  /** Makes the next fetch due. */
  async function makeDue({ id }: Feed): Promise<void> {
    await imports.run(
      sql`update calendar_feeds set next_fetch_at = now() - interval '1 minute' where id = ${id}`,
    )
    assert.ok((await fetchDueCalendars(world.resources)) >= 1)
  }

  test('keeps the blocks of an inactive import', async () => {
    const { id: unit_id } = await addUnit(owner)
    const feed = await imports.fetched(
      await imports.add({ unit_id, url: elsewhere.serve('/off.ics', calendarOf([inDays(5), inDays(6)])) }),
    )
    expectStatus(await owner.patch(`${feedsPath}/${feed.id}`, { status: 'inactive' }), 200)
    await imports.run(
      sql`update calendar_feeds set next_fetch_at = now() - interval '1 minute' where id = ${feed.id}`,
    )
    await fetchDueCalendars(world.resources)
    await world.settled()
    assert.equal(elsewhere.requests.filter((call) => call.path === '/off.ics').length, 1)
    assert.deepEqual(await imports.blocked(unit_id), roomOn(5))
  })

  test('blocks one room for each event, limited to the rooms of the unit', async () => {
    const { id: unit_id } = await addUnit(owner, { quantity: 3 })
    const stay = [inDays(5), inDays(6)] as const
    const url = elsewhere.serve('/many.ics', calendarOf(stay, stay, [inDays(5), inDays(7)], stay, stay))
    await imports.fetched(await imports.add({ unit_id, url }))
    assert.deepEqual(await imports.blocked(unit_id), { [inDays(5)]: 3, [inDays(6)]: 1 })
    const other = await imports.fetched(
      await imports.add({ unit_id, url: elsewhere.serve('/other.ics', calendarOf([inDays(6), inDays(7)])) }),
    )
    assert.deepEqual(await imports.blocked(unit_id), { [inDays(5)]: 3, [inDays(6)]: 2 })
    assert.equal((await owner.delete(`${feedsPath}/${other.id}`)).status, 204)
    assert.deepEqual(await imports.blocked(unit_id), { [inDays(5)]: 3, [inDays(6)]: 1 })
  })

  test('releases and pushes the nights of a deleted import', async () => {
    const linked = await addLinkedUnit(owner)
    const url = elsewhere.serve('/gone.ics', calendarOf([inDays(5), inDays(7)]))
    const feed = await imports.fetched(await imports.add({ unit_id: linked.unitId, url }))
    const before = await wanted(linked.listingId)
    assert.equal((await owner.delete(`${feedsPath}/${feed.id}`)).status, 204)
    assert.deepEqual(await imports.blocked(linked.unitId), {})
    const [entry] = (await historyOf(linked.unitId)).filter(({ action }) => action === 'calendar.removed')
    assert.equal(entry!.changes.find(({ field }) => field === 'nights_removed')!.after, 2)
    assert.equal(await wanted(linked.listingId), before + 1)
    expectProblem(await owner.get(`${feedsPath}/${feed.id}`), 404, 'not-found')
  })

  test('reads a changed address at once', async () => {
    const { id: unit_id } = await addUnit(owner)
    const feed = await imports.fetched(
      await imports.add({ unit_id, url: elsewhere.serve('/old.ics', calendarOf([inDays(5), inDays(6)])) }),
    )
    const url = elsewhere.serve('/new.ics', calendarOf([inDays(9), inDays(10)]))
    expectStatus(await owner.patch(`${feedsPath}/${feed.id}`, { url, name: 'New' }), 200)
    const later = await imports.fetched(feed)
    assert.equal(later.url, url)
    assert.deepEqual(await imports.blocked(unit_id), roomOn(9))
  })

  test('follows a limited number of redirects', async () => {
    const { id: unit_id } = await addUnit(owner)
    elsewhere.serve('/end.ics', calendarOf([inDays(5), inDays(6)]))
    elsewhere.serve('/middle', { status: 302, headers: { location: '/end.ics' }, body: '' })
    const url = elsewhere.serve('/begin', {
      status: 301,
      headers: { location: `${elsewhere.url}/middle` },
      body: '',
    })
    assert.equal((await imports.fetched(await imports.add({ unit_id, url }))).blocks, 1)
    const ring = elsewhere.serve('/ring', { status: 302, headers: { location: '/ring' }, body: '' })
    const lost = await imports.fetched(await imports.add({ unit_id, url: ring }))
    assert.deepEqual([lost.status, lost.error_message], ['error', 'The address redirects too often.'])
  })
})
