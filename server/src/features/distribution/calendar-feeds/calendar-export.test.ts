import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import ICAL from 'ical.js'
import { sql, type Statement } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { inDays } from '#test/local-days.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addSpace, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld()
let database: Database
const path = '/api/v1/calendar-feeds'
const anonymous = () => world.caller(null)
const run = (statement: Statement) => database.pipelined({ orgId: null }, [statement])

before(async () => {
  database = openOwner(world.databaseUrl)
  world.defer(() => database.close())
})

async function shared(fields: Record<string, unknown> = {}) {
  const unit = await addUnit(owner, fields)
  const body = { unit_id: unit.id, direction: 'export', name: 'For others' }
  const feed = expectStatus(await owner.post(path, body), 201).calendar_feed
  return {
    unitId: unit.id as string,
    spaceId: unit.space_id as string,
    feed,
    place: new URL(feed.url).pathname,
  }
}
const book = (unitId: string, from: number, to: number, rooms = 1, status = 'confirmed') =>
  run(sql`insert into bookings (org_id, account_id, unit_id, guest_name, rooms, nights, check_in, check_out, total_cents, currency, status)
    values (${world.home.id}, ${world.home.accountId}, ${unitId}, 'Ada Lovelace', ${rooms},
      daterange(${inDays(from)}::date, ${inDays(to)}::date), now(), now() + interval '1 day', 36000, 'eur', ${status})`)
const block = (unitId: string, from: number, to: number, blocked = 1) =>
  run(sql`insert into calendar_blocks (org_id, unit_id, night, blocked, reason)
    select ${world.home.id}, ${unitId}, d, ${blocked}, 'Painter' from generate_series(${inDays(from)}::date, ${inDays(to)}::date, '1 day') d`)

/** The events as another program reads them: arrival and departure, in days from now. */
async function read(place: string) {
  const { text } = await anonymous().get(place)
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[])
  return calendar.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component)
    assert.ok(event.startDate.isDate && event.endDate.isDate)
    assert.equal(event.summary, 'Not available')
    return { uid: event.uid, from: event.startDate.toString(), to: event.endDate.toString() }
  })
}
const spans = async (place: string) => (await read(place)).map(({ from, to }) => [from, to])
const days = (...pairs: [number, number][]) => pairs.map(([from, to]) => [inDays(from), inDays(to)])

suite('calendar export: happy', () => {
  test('contains ranges of nights without a free room, and nothing about guests', async () => {
    const { unitId, place } = await shared()
    assert.deepEqual(await spans(place), [])
    await book(unitId, 5, 8)
    await book(unitId, 8, 9)
    await book(unitId, 20, 22, 1, 'cancelled')
    await block(unitId, 30, 31)
    assert.deepEqual(await spans(place), days([5, 9], [30, 32]))
    const { text } = await anonymous().get(place)
    assert.ok(!/Ada|Lovelace|Painter/.test(text))
    for (const line of text.split('\r\n'))
      assert.ok(Buffer.byteLength(line) <= 75 && !/[\r\n]/.test(line), line)
    assert.match(text, /^BEGIN:VCALENDAR\r\n[^]*PRODID:[^]*VERSION:2\.0[^]*\r\nEND:VCALENDAR\r\n$/)
    assert.equal(text.match(/^DTSTAMP:\d{8}T\d{6}Z\r$/gm)!.length, 2)
  })

  test('contains a night when the last room of several is taken', async () => {
    const { unitId, place } = await shared({ quantity: 2 })
    await book(unitId, 5, 8)
    await book(unitId, 7, 9)
    await block(unitId, 12, 12, 2)
    assert.deepEqual(await spans(place), days([7, 8], [12, 13]))
  })

  test('contains the nights of inactive units and spaces, closed plans and sales stops', async () => {
    const { unitId, spaceId, place } = await shared()
    const whole = async () => {
      const all = await spans(place)
      return all.length === 1 && all[0]![0]! <= inDays(0) && all[0]![1] === inDays(731)
    }
    await owner.patch(`/api/v1/units/${unitId}`, { status: 'maintenance' })
    assert.ok(await whole())
    await owner.patch(`/api/v1/units/${unitId}`, { status: 'active' })
    await owner.patch(`/api/v1/spaces/${spaceId}`, { status: 'inactive' })
    assert.ok(await whole())
    await owner.patch(`/api/v1/spaces/${spaceId}`, { status: 'active' })
    assert.deepEqual(await spans(place), [])

    const stopped = (which: { space_id?: string; unit_id?: string; lifted_at?: string }) =>
      run(sql`insert into sales_stops (org_id, space_id, unit_id, lifted_at, stopped_by)
        values (${world.home.id}, ${which.space_id ?? null}, ${which.unit_id ?? null}, ${which.lifted_at ?? null}, '{}')`)
    await stopped({ unit_id: (await addUnit(owner)).id })
    await stopped({ unit_id: unitId, lifted_at: '2026-01-01T00:00:00Z' })
    assert.deepEqual(await spans(place), [])
    for (const which of [{ unit_id: unitId }, { space_id: spaceId }, {}]) {
      await stopped(which)
      assert.ok(await whole(), JSON.stringify(which))
      await run(sql`delete from sales_stops where org_id = ${world.home.id}`)
    }

    const close = (day: number) =>
      run(sql`insert into calendar_nights (org_id, unit_id, rate_plan_id, night, stop_sell)
      select org_id, unit_id, id, ${inDays(day)}, true from rate_plans where unit_id = ${unitId}`)
    await close(10)
    await run(sql`insert into rate_plans (org_id, account_id, unit_id, name, currency)
      values (${world.home.id}, ${world.home.accountId}, ${unitId}, 'Breakfast', 'eur')`)
    assert.deepEqual(await spans(place), [])
    await close(11)
    assert.deepEqual(await spans(place), days([11, 12]))
  })

  test('keeps the UID of a range that grows', async () => {
    const { unitId, place } = await shared()
    await book(unitId, -3, 2)
    await book(unitId, 5, 6)
    const before = await read(place)
    assert.deepEqual(
      before.map(({ from }) => from),
      [inDays(-3), inDays(5)],
    )
    await book(unitId, 6, 9)
    const later = await read(place)
    assert.deepEqual(
      later.map(({ uid }) => uid),
      before.map(({ uid }) => uid),
    )
    assert.equal(later[1]!.to, inDays(9))
  })

  test('leaves out past ranges, and nights more than two years ahead', async () => {
    const { unitId, place } = await shared()
    await book(unitId, -9, -3)
    await book(unitId, 600, 603)
    await book(unitId, 730, 740)
    assert.deepEqual(await spans(place), days([600, 603], [730, 731]))
  })

  test('returns a calendar, no body for HEAD, and 304 while nothing changed', async () => {
    const { unitId, place } = await shared()
    await book(unitId, 5, 8)
    const first = await anonymous().get(place)
    assert.equal(first.status, 200)
    assert.equal(first.headers.get('content-type'), 'text/calendar; charset=utf-8')
    assert.equal(first.headers.get('cache-control'), 'private, max-age=300')
    const etag = first.headers.get('etag')!
    const head = await anonymous().send('HEAD', place, {})
    assert.deepEqual([head.status, head.text, head.headers.get('etag')], [200, '', etag])
    const same = await anonymous().get(place, { 'if-none-match': etag })
    assert.deepEqual([same.status, same.text], [304, ''])
    await book(unitId, 10, 11)
    assert.equal((await anonymous().get(place, { 'if-none-match': etag })).status, 200)
  })

  test('escapes the name of the unit', async () => {
    const space = await addSpace(owner)
    const name = 'Évora, "1"; \\ \r\nBEGIN:VEVENT\nUID:x 👩‍🚀'
    const { place } = await shared({ space_id: space.id, name })
    assert.deepEqual(await read(place), [])
    const { text } = await anonymous().get(place)
    const calendar = new ICAL.Component(ICAL.parse(text) as unknown[])
    assert.equal(calendar.getFirstPropertyValue('x-wr-calname'), name.replace(/[\r\n]+/g, ' '))
  })

  test('records when the calendar was read', async () => {
    const { feed, place } = await shared()
    assert.equal(feed.last_fetched_at, null)
    await anonymous().get(place)
    const seen = (await owner.get(`${path}/${feed.id}`)).body.calendar_feed
    assert.ok(Date.parse(seen.last_fetched_at) > 0)
    assert.ok(seen.updated_at > feed.updated_at)
  })
})

suite('calendar export: security', () => {
  test('returns 404 for unknown, inactive and deleted feeds', async () => {
    const { feed, place } = await shared()
    const refusalAt = async (at: string) => {
      const reply = await anonymous().get(at)
      expectProblem(reply, 404, 'no-such-path')
      const names = [...reply.headers.keys()].filter((name) => name !== 'date').sort()
      return [names, reply.text.replaceAll(at, '<path>').replaceAll(reply.body.request_id, '<id>')]
    }
    const nowhere = await refusalAt('/nothing/here')
    for (const at of [
      `/calendars/${'A'.repeat(43)}.ics`,
      '/calendars/x.ics',
      '/calendars/%00.ics',
      '/calendars/.ics',
    ])
      assert.deepEqual(await refusalAt(at), nowhere, at)
    await owner.patch(`${path}/${feed.id}`, { status: 'inactive' })
    assert.deepEqual(await refusalAt(place), nowhere)
    await owner.patch(`${path}/${feed.id}`, { status: 'active' })
    assert.equal((await anonymous().get(place)).status, 200)
    await owner.delete(`${path}/${feed.id}`)
    assert.deepEqual(await refusalAt(place), nowhere)
  })

  test('returns only the unit of the address', async () => {
    const [one, two] = [await shared(), await shared()]
    assert.notEqual(one.place, two.place)
    assert.match(one.place, /^\/calendars\/[\w-]{43}\.ics$/)
    await book(one.unitId, 5, 6)
    assert.deepEqual(await spans(two.place), [])
  })
})
