import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import type { TestCaller } from '../../../test/caller.ts'
import { calendarOf, inDays, openCalendarServer } from '../../../test/calendars.ts'
import { expectProblem, expectStatus } from '../../../test/expect.ts'
import { addUnit } from '../../../test/records.ts'
import { link, until } from '../../../test/stock.ts'
import { openWorld, type World } from '../../../test/world.ts'
import { fetchCalendars } from '../upkeep/upkeep.ts'

let world: World
let owner: TestCaller
let elsewhere: Awaited<ReturnType<typeof openCalendarServer>>
const path = '/api/v1/calendar-feeds'

before(async () => {
  world = await openWorld({ workers: true })
  owner = await world.home.as('owner')
  elsewhere = await openCalendarServer()
})
after(async () => {
  await elsewhere.close()
  await world[Symbol.asyncDispose]()
})

interface Feed {
  id: string
  status: string
  url: string
  last_fetched_at: string | null
  error_message: string | null
  blocks: number
}

const add = async (fields: object): Promise<Feed> =>
  expectStatus(await owner.post(path, { direction: 'import', name: 'Elsewhere', ...fields }), 201)
    .calendar_feed
const read = async ({ id }: Feed): Promise<Feed> => (await owner.get(`${path}/${id}`)).body.calendar_feed
const fetched = ({ id, last_fetched_at: before }: Feed): Promise<Feed> =>
  until(
    () => read({ id } as Feed),
    ({ last_fetched_at }) => last_fetched_at !== before,
  )

/** Has the feed read once more: switched off and on again. */
async function again(feed: Feed): Promise<Feed> {
  const before = await read(feed)
  expectStatus(await owner.patch(`${path}/${feed.id}`, { status: 'inactive' }), 200)
  expectStatus(await owner.patch(`${path}/${feed.id}`, { status: 'active' }), 200)
  return await fetched(before)
}

/** What is taken out of sale: nights with the number of rooms. */
async function blocked(unitId: string): Promise<Record<string, number>> {
  const [rows] = await world.resources.database.pipelined({ orgId: world.home.id }, [
    sql<{ night: string; blocked: number }>`select night, blocked from
      nights_taken(${world.home.id}, array[${unitId}]::uuid[], current_date - 10, current_date + 600) order by night`,
  ])
  const found = rows as { night: string; blocked: number }[]
  return Object.fromEntries(found.map(({ night, blocked }) => [night, blocked]))
}
/** Grows with every change that the PMS must hear of. */
async function wanted(listingId: string): Promise<number> {
  const [rows] = await world.resources.database.pipelined({ orgId: world.home.id }, [
    sql<{
      version: number
    }>`select wanted_version as version from listing_syncs where channel_listing_id = ${listingId}`,
  ])
  return (rows as { version: number }[])[0]!.version
}
const nights = (...days: number[]) => Object.fromEntries(days.map((day) => [inDays(day), 1]))
const historyOf = async (unitId: string) =>
  expectStatus(await owner.get(`/api/v1/sync/audit?unit_id=${unitId}&limit=100`), 200).audit as {
    action: string
    changes: { field: string; after: unknown }[]
  }[]

suite('calendar import: happy', () => {
  test('a calendar is read at once, its nights are blocked, the PMS hears of it and the history keeps it', async () => {
    const linked = await link(owner)
    const before = await wanted(linked.listingId)
    const url = elsewhere.serve('/one.ics', calendarOf([inDays(5), inDays(8)], [inDays(20), inDays(21)]))
    const feed = await fetched(await add({ unit_id: linked.unitId, url }))
    assert.deepEqual([feed.status, feed.error_message, feed.blocks], ['active', null, 4])
    assert.deepEqual(await blocked(linked.unitId), nights(5, 6, 7, 20))
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

  test('read again, only what differs is written; nothing different is no change at all', async () => {
    const { unitId: unit_id, listingId } = await link(owner)
    const url = elsewhere.serve('/two.ics', calendarOf([inDays(5), inDays(8)]))
    const feed = await fetched(await add({ unit_id, url }))
    const written = async () => {
      const [rows] = await world.resources.database.pipelined({ orgId: world.home.id }, [
        sql`select night, xmin::text as written from calendar_blocks where unit_id = ${unit_id} order by night`,
      ])
      return rows as { night: string; written: string }[]
    }
    const before = await written()
    elsewhere.serve('/two.ics', calendarOf([inDays(6), inDays(10)]))
    assert.equal((await again(feed)).blocks, 4)
    assert.deepEqual(await blocked(unit_id), nights(6, 7, 8, 9))
    const after = await written()
    assert.deepEqual(after.slice(0, 2), before.slice(1))
    const wish = await wanted(listingId)
    await again(feed)
    assert.deepEqual(await written(), after)
    assert.equal(await wanted(listingId), wish)
    const imports = (await historyOf(unit_id)).filter(({ action }) => action === 'calendar.imported')
    assert.equal(imports.length, 2)
  })

  test('a calendar that says it is the same is not read again', async () => {
    const { id: unit_id } = await addUnit(owner)
    const url = elsewhere.serve('/three.ics', {
      headers: { etag: '"a1"', 'last-modified': 'Wed, 01 Apr 2026 10:00:00 GMT' },
      body: calendarOf([inDays(5), inDays(6)]),
    })
    const feed = await fetched(await add({ unit_id, url }))
    await makeDue(feed)
    const later = await fetched(feed)
    assert.deepEqual([later.status, later.blocks], ['active', 1])
    const [first, second] = elsewhere.heard.filter((call) => call.path === '/three.ics')
    assert.equal(first!.headers['if-none-match'], undefined)
    assert.equal(second!.headers['if-none-match'], '"a1"')
    assert.equal(second!.headers['if-modified-since'], 'Wed, 01 Apr 2026 10:00:00 GMT')
    assert.deepEqual(await blocked(unit_id), nights(5))
  })

  /** As if half an hour had passed. */
  async function makeDue({ id }: Feed): Promise<void> {
    await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`update calendar_feeds set next_fetch_at = now() - interval '1 minute' where id = ${id}`,
    ])
    assert.ok((await fetchCalendars(world.resources)) >= 1)
  }

  test('what is off is left alone, and keeps its blocks', async () => {
    const { id: unit_id } = await addUnit(owner)
    const feed = await fetched(
      await add({ unit_id, url: elsewhere.serve('/off.ics', calendarOf([inDays(5), inDays(6)])) }),
    )
    expectStatus(await owner.patch(`${path}/${feed.id}`, { status: 'inactive' }), 200)
    await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`update calendar_feeds set next_fetch_at = now() - interval '1 minute' where id = ${feed.id}`,
    ])
    await fetchCalendars(world.resources)
    await world.settled()
    assert.equal(elsewhere.heard.filter((call) => call.path === '/off.ics').length, 1)
    assert.deepEqual(await blocked(unit_id), nights(5))
  })

  test('events take a room each, but never more rooms than there are; calendars stand side by side', async () => {
    const { id: unit_id } = await addUnit(owner, { quantity: 3 })
    const stay = [inDays(5), inDays(6)] as const
    const url = elsewhere.serve('/many.ics', calendarOf(stay, stay, [inDays(5), inDays(7)], stay, stay))
    await fetched(await add({ unit_id, url }))
    assert.deepEqual(await blocked(unit_id), { [inDays(5)]: 3, [inDays(6)]: 1 })
    const other = await fetched(
      await add({ unit_id, url: elsewhere.serve('/other.ics', calendarOf([inDays(6), inDays(7)])) }),
    )
    assert.deepEqual(await blocked(unit_id), { [inDays(5)]: 3, [inDays(6)]: 2 })
    assert.equal((await owner.delete(`${path}/${other.id}`)).status, 204)
    assert.deepEqual(await blocked(unit_id), { [inDays(5)]: 3, [inDays(6)]: 1 })
  })

  test('a removed import gives its nights back, and the PMS hears of it', async () => {
    const linked = await link(owner)
    const url = elsewhere.serve('/gone.ics', calendarOf([inDays(5), inDays(7)]))
    const feed = await fetched(await add({ unit_id: linked.unitId, url }))
    const before = await wanted(linked.listingId)
    assert.equal((await owner.delete(`${path}/${feed.id}`)).status, 204)
    assert.deepEqual(await blocked(linked.unitId), {})
    const [entry] = (await historyOf(linked.unitId)).filter(({ action }) => action === 'calendar.removed')
    assert.equal(entry!.changes.find(({ field }) => field === 'nights_removed')!.after, 2)
    assert.equal(await wanted(linked.listingId), before + 1)
    expectProblem(await owner.get(`${path}/${feed.id}`), 404, 'not-found')
  })

  test('another address is read at once', async () => {
    const { id: unit_id } = await addUnit(owner)
    const feed = await fetched(
      await add({ unit_id, url: elsewhere.serve('/old.ics', calendarOf([inDays(5), inDays(6)])) }),
    )
    const url = elsewhere.serve('/new.ics', calendarOf([inDays(9), inDays(10)]))
    expectStatus(await owner.patch(`${path}/${feed.id}`, { url, name: 'New' }), 200)
    const later = await fetched(feed)
    assert.equal(later.url, url)
    assert.deepEqual(await blocked(unit_id), nights(9))
  })

  test('an address may lead on, but not for ever', async () => {
    const { id: unit_id } = await addUnit(owner)
    elsewhere.serve('/end.ics', calendarOf([inDays(5), inDays(6)]))
    elsewhere.serve('/middle', { status: 302, headers: { location: '/end.ics' }, body: '' })
    const url = elsewhere.serve('/begin', {
      status: 301,
      headers: { location: `${elsewhere.url}/middle` },
      body: '',
    })
    assert.equal((await fetched(await add({ unit_id, url }))).blocks, 1)
    const ring = elsewhere.serve('/ring', { status: 302, headers: { location: '/ring' }, body: '' })
    const lost = await fetched(await add({ unit_id, url: ring }))
    assert.deepEqual([lost.status, lost.error_message], ['error', 'The address leads on too often.'])
  })
})

suite('calendar import: what goes wrong', () => {
  test('a calendar that cannot be read keeps its last nights and says why, until it can', async () => {
    const { id: unit_id } = await addUnit(owner)
    const url = elsewhere.serve('/bad.ics', calendarOf([inDays(5), inDays(6)]))
    const feed = await fetched(await add({ unit_id, url }))
    const wrong: [Parameters<typeof elsewhere.serve>[1], RegExp][] = [
      ['<!doctype html><title>Sign in</title>', /does not answer with a calendar/],
      ['', /does not answer with a calendar/],
      [calendarOf([inDays(7), inDays(8)]).slice(0, -20), /calendar that can be read/],
      [{ status: 404, body: 'none' }, /There is nothing at the address \(404\)/],
      [{ status: 403, body: '' }, /refuses access/],
      [{ status: 500, body: 'oops' }, /answers with 500/],
      [{ status: 302, body: '' }, /leads on to nowhere/],
      [{ status: 302, headers: { location: 'file:///etc/passwd' }, body: '' }, /must begin with https:/],
      [{ body: Buffer.alloc(10 * 1_048_576, 'X') }, /larger than 5 MiB/],
      [
        calendarOf([inDays(7), inDays(8)]).replace('SUMMARY', 'RRULE:FREQ=SECONDLY;INTERVAL=1\r\nSUMMARY'),
        /cannot be understood/,
      ],
    ]
    for (const [answer, message] of wrong) {
      elsewhere.serve('/bad.ics', answer)
      const failed = await again(feed)
      assert.equal(failed.status, 'error')
      assert.match(failed.error_message!, message)
      assert.ok(!failed.error_message!.includes('/bad.ics'))
      assert.deepEqual(await blocked(unit_id), nights(5))
    }
    elsewhere.serve('/bad.ics', calendarOf([inDays(7), inDays(8)]))
    const well = await again(feed)
    assert.deepEqual([well.status, well.error_message], ['active', null])
    assert.deepEqual(await blocked(unit_id), nights(7))
  })

  test('nobody at the address', async () => {
    const { id: unit_id } = await addUnit(owner)
    const gone = await openCalendarServer()
    await gone.close()
    const feed = await fetched(await add({ unit_id, url: `${gone.url}/x.ics` }))
    assert.deepEqual([feed.status, feed.error_message], ['error', 'The address cannot be reached.'])
  })

  test('a feed that is gone, or off, when its turn comes is passed over', async () => {
    const { id: unit_id } = await addUnit(owner)
    const url = elsewhere.serve('/late.ics', calendarOf([inDays(5), inDays(6)]))
    const feeds = await Promise.all([add({ unit_id, url }), add({ unit_id, url })])
    await Promise.all([
      owner.delete(`${path}/${feeds[0].id}`),
      owner.patch(`${path}/${feeds[1].id}`, { status: 'inactive' }),
    ])
    await world.settled()
    assert.equal((await read(feeds[1])).status, 'inactive')
    assert.equal((await owner.get(`${path}/${feeds[0].id}`)).status, 404)
    const left = await blocked(unit_id)
    assert.ok(
      Object.values(left).every((rooms) => rooms === 1),
      JSON.stringify(left),
    )
  })
})

suite('calendar import: our own calendars', () => {
  const exportOf = async (unit_id: string): Promise<Feed> =>
    expectStatus(await owner.post(path, { unit_id, direction: 'export', name: 'For others' }), 201)
      .calendar_feed
  /** An address of ours as the worker of the tests reaches it. */
  const here = ({ url }: Feed) => `${world.url}${new URL(url).pathname}`

  test('the export of one unit, imported into another, closes exactly the same nights', async () => {
    const [one, two] = [await addUnit(owner), await addUnit(owner)]
    const source = elsewhere.serve(
      '/source.ics',
      calendarOf([inDays(3), inDays(6)], [inDays(40), inDays(41)]),
    )
    await fetched(await add({ unit_id: one.id, url: source }))
    await fetched(await add({ unit_id: two.id, url: here(await exportOf(one.id)) }))
    assert.deepEqual(await blocked(two.id), nights(3, 4, 5, 40))
    assert.deepEqual(await blocked(two.id), await blocked(one.id))
  })

  test('a unit does not import its own nights, straight or over others', async () => {
    const units = await Promise.all([addUnit(owner), addUnit(owner), addUnit(owner)])
    const exports = await Promise.all(units.map(({ id }) => exportOf(id)))
    const importing = (into: number, from: number) =>
      owner.post(path, {
        unit_id: units[into]!.id,
        direction: 'import',
        name: 'Ours',
        url: here(exports[from]!),
      })
    expectProblem(await importing(0, 0), 422, 'semantic-error', '/url')
    expectStatus(await importing(1, 0), 201)
    expectStatus(await importing(2, 1), 201)
    expectProblem(await importing(0, 2), 422, 'semantic-error', '/url')
    const other = expectStatus(await importing(0, 0).then(() => importing(2, 0)), 201).calendar_feed
    const turned = await owner.patch(`${path}/${other.id}`, { url: here(exports[2]!) })
    expectProblem(turned, 422, 'semantic-error', '/url')
  })

  test('our own events that come back from elsewhere close nothing', async () => {
    const unit = await addUnit(owner)
    const source = elsewhere.serve('/own.ics', calendarOf([inDays(3), inDays(6)]))
    const feed = await fetched(await add({ unit_id: unit.id, url: source }))
    const text = await (await fetch(here(await exportOf(unit.id)))).text()
    assert.match(text, /BEGIN:VEVENT/)
    const back = await fetched(await add({ unit_id: unit.id, url: elsewhere.serve('/relayed.ics', text) }))
    assert.deepEqual([back.status, back.blocks], ['active', 0])
    assert.equal((await owner.delete(`${path}/${feed.id}`)).status, 204)
    assert.deepEqual(await blocked(unit.id), {})
  })
})
