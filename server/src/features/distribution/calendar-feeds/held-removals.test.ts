import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { feedsPath, openImports, roomOn, type Feed } from '#test/calendar-imports.ts'
import { calendarOf, openCalendarServer } from '#test/calendars.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { inDays } from '#test/local-days.ts'
import { addBooking, addUnit, noIds, unknownId } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
import { shareWorld } from '#test/share-world.ts'
import type { HeldRemoval } from './held-removal.ts'

/** When most nights of a calendar disappear at once, they stay blocked until the removal is accepted. */

const { world, owner } = shareWorld({ workers: true })
let elsewhere: Awaited<ReturnType<typeof openCalendarServer>>
let imports: ReturnType<typeof openImports>
let served = 0

before(async () => {
  elsewhere = await openCalendarServer()
  imports = openImports(world, owner)
  world.defer(() => elsewhere.close())
})

type HoldingFeed = Feed & { held: HeldRemoval | null; updated_at: string }
const alertsAt = async (unitId: string): Promise<{ times: number; details: object }[]> =>
  expectStatus(
    await owner.get(`/api/v1/alerts?unit_id=${unitId}&status=open&kind=calendar_feed.held&limit=100`),
    200,
  ).alerts
const decide = (id: string, decision: string, headers = {}) =>
  owner.post(`${feedsPath}/${id}/decision`, { decision }, headers)

/** An import of four nights, with functions to change its calendar. */
async function importing(...more: Parameters<typeof calendarOf>) {
  const { id: unitId } = await addUnit(owner)
  const path = `/held-${++served}.ics`
  const url = elsewhere.serve(path, calendarOf([inDays(5), inDays(9)], ...more))
  const feed = await imports.fetched(await imports.add({ unit_id: unitId, url, name: 'Airbnb' }))
  const read = () => imports.read(feed) as Promise<HoldingFeed>
  return {
    unitId,
    feed,
    path,
    read,
    again: async (...now: Parameters<typeof calendarOf>) => {
      elsewhere.serve(path, calendarOf(...now))
      return (await imports.again(feed)) as HoldingFeed
    },
    /** Moves the start of the hold an hour back. */
    anHourPasses: () =>
      imports.run(sql`update calendar_feeds set held = held
        || jsonb_build_object('since', iso((held ->> 'since')::timestamptz - interval '1 hour')) where id = ${feed.id}`),
  }
}
async function emptied() {
  const imported = await importing()
  const held = await imported.again()
  return { ...imported, held }
}

suite('held removals: happy', () => {
  test('keeps all nights of a suddenly empty calendar blocked, with an alert and an e-mail', async () => {
    expectStatus(
      await owner.put('/api/v1/notification-preferences', { emails: ['office@casa.example'] }),
      200,
    )
    const { unitId, feed, held } = await emptied()
    assert.deepEqual(await imports.blocked(unitId), roomOn(5, 6, 7, 8))
    const { since, ...rest } = held.held!
    assert.deepEqual(rest, {
      nights: 4,
      date_from: inDays(5),
      date_to: inDays(8),
      fetches: 1,
      decision: null,
    })
    assert.ok(Date.parse(since) <= Date.now())
    assert.deepEqual([held.status, held.blocks], ['active', 4])
    const [alert, ...others] = await alertsAt(unitId)
    assert.deepEqual(others, [])
    assert.match(JSON.stringify(alert!.details), new RegExp(feed.id))
    const mails = await until(
      async (): Promise<{ to: string }[]> =>
        expectStatus(await owner.get('/api/v1/notifications?kind=calendar_feed.held'), 200).notifications,
      (found) => found.length > 0,
    )
    assert.equal(mails[0]!.to, 'office@casa.example')
  })

  test('accepts the third equal fetch, an hour after the first', async () => {
    const { unitId, again, anHourPasses, read } = await emptied()
    await again()
    const third = await again()
    assert.equal(third.held!.fetches, 3)
    assert.deepEqual(await imports.blocked(unitId), roomOn(5, 6, 7, 8))
    await anHourPasses()
    await again()
    assert.deepEqual(await imports.blocked(unitId), {})
    assert.deepEqual([(await read()).held, await alertsAt(unitId)], [null, []])
  })

  test('starts again after a different fetch, and blocks new nights at once', async () => {
    const { unitId, again, anHourPasses } = await emptied()
    await again()
    await anHourPasses()
    const other = await again([inDays(20), inDays(21)])
    assert.equal(other.held!.fetches, 1)
    assert.deepEqual(await imports.blocked(unitId), roomOn(5, 6, 7, 8, 20))
    const back = await again([inDays(5), inDays(9)])
    assert.equal(back.held, null)
    assert.deepEqual(await imports.blocked(unitId), roomOn(5, 6, 7, 8))
    assert.deepEqual(await alertsAt(unitId), [])
  })

  test('rejects a truncated calendar', async () => {
    const { unitId, path, feed } = await importing([inDays(20), inDays(22)])
    const whole = calendarOf([inDays(5), inDays(9)], [inDays(20), inDays(22)])
    const ends = [whole.indexOf('END:VEVENT') + 12, whole.lastIndexOf('DTEND')]
    for (const end of ends) {
      elsewhere.serve(path, whole.slice(0, end))
      assert.equal((await imports.again(feed)).status, 'error', `${end}`)
      assert.deepEqual(await imports.blocked(unitId), roomOn(5, 6, 7, 8, 20, 21))
    }
  })

  test('frees accepted nights at once, and records who accepted them', async () => {
    const { unitId, feed } = await emptied()
    const key = { 'idempotency-key': `accept-${feed.id}` }
    for (let n = 0; n < 2; n++) {
      const { calendar_feed } = expectStatus(await decide(feed.id, 'accept', key), 201)
      assert.deepEqual([calendar_feed.held, calendar_feed.blocks], [null, 0])
      assert.equal(calendar_feed.url, feed.url)
    }
    assert.deepEqual(await imports.blocked(unitId), {})
    assert.deepEqual(await alertsAt(unitId), [])
    const { audit } = expectStatus(await owner.get(`/api/v1/sync/audit?unit_id=${unitId}`), 200)
    const entry = audit.find(({ action }: { action: string }) => action === 'calendar.removal_accepted')
    assert.equal(entry.actor.type, 'user')
    expectProblem(await decide(feed.id, 'accept'), 409, 'invalid-status-transition')
  })

  test('accepts the nights that were seen, and no others', async () => {
    const { unitId, feed, held, again } = await emptied()
    const accept = ({ held }: HoldingFeed) =>
      owner.post(`${feedsPath}/${feed.id}/decision`, { decision: 'accept', since: held!.since })
    const now = await again([inDays(20), inDays(21)])
    expectProblem(await accept(held), 412, 'precondition-failed')
    assert.deepEqual(await imports.blocked(unitId), roomOn(5, 6, 7, 8, 20))
    expectStatus(await accept(now), 201)
    assert.deepEqual(await imports.blocked(unitId), roomOn(20))
  })

  test('keeps nights blocked until the calendar changes', async () => {
    const { unitId, feed, again, anHourPasses } = await emptied()
    const { calendar_feed } = expectStatus(await decide(feed.id, 'keep'), 201)
    assert.equal(calendar_feed.held.decision, 'keep')
    assert.deepEqual(await alertsAt(unitId), [])
    expectProblem(await decide(feed.id, 'keep'), 409, 'invalid-status-transition')
    await anHourPasses()
    for (let n = 0; n < 3; n++) await again()
    assert.deepEqual(await imports.blocked(unitId), roomOn(5, 6, 7, 8))
    assert.deepEqual(await alertsAt(unitId), [])
    await again([inDays(20), inDays(21)])
    assert.equal((await alertsAt(unitId)).length, 1)
    expectStatus(await decide(feed.id, 'accept'), 201)
    assert.deepEqual(await imports.blocked(unitId), roomOn(20))
  })

  test('resolves the alert with the last of two calendars', async () => {
    const { unitId, feed } = await emptied()
    const url = elsewhere.serve('/second.ics', calendarOf([inDays(30), inDays(32)]))
    const second = await imports.fetched(await imports.add({ unit_id: unitId, url }))
    elsewhere.serve('/second.ics', calendarOf())
    await imports.again(second)
    expectStatus(await decide(feed.id, 'accept'), 201)
    assert.deepEqual(await imports.blocked(unitId), roomOn(30, 31))
    assert.equal((await alertsAt(unitId)).length, 1)
    assert.equal((await owner.delete(`${feedsPath}/${second.id}`)).status, 204)
    assert.deepEqual(await alertsAt(unitId), [])
  })

  test('accepts the nights of a changed address', async () => {
    const { unitId, feed, read } = await emptied()
    const before = await read()
    const url = elsewhere.serve('/other-address.ics', calendarOf([inDays(20), inDays(21)]))
    expectStatus(await owner.patch(`${feedsPath}/${feed.id}`, { url }), 200)
    await imports.fetched(before)
    assert.deepEqual(await imports.blocked(unitId), roomOn(20))
    assert.deepEqual([(await read()).held, await alertsAt(unitId)], [null, []])
  })

  test('keeps a conflict open while its nights are held', async () => {
    const { id: unitId } = await addUnit(owner)
    await addBooking(owner, { unitId, checkIn: inDays(5), checkOut: inDays(7) })
    const url = elsewhere.serve('/overlap.ics', calendarOf([inDays(6), inDays(9)]))
    const feed = await imports.fetched(await imports.add({ unit_id: unitId, url }))
    elsewhere.serve('/overlap.ics', calendarOf())
    await imports.again(feed)
    const open = async () =>
      expectStatus(await owner.get(`/api/v1/booking-conflicts?unit_id=${unitId}&status=open`), 200)
        .booking_conflicts.length
    assert.equal(await open(), 1)
    expectStatus(await decide(feed.id, 'accept'), 201)
    assert.equal(await open(), 0)
  })
})

suite('held removals: error and security', () => {
  test('rejects invalid ids and bodies, and decisions without held nights', async () => {
    const { feed } = await importing()
    expectProblem(await decide(feed.id, 'accept'), 409, 'invalid-status-transition')
    expectProblem(await decide(unknownId, 'accept'), 404, 'not-found')
    for (const id of noIds) expectProblem(await decide(id, 'accept'), 400, 'validation-error', '/id')
    for (const body of [{}, { decision: 'maybe' }, { decision: 'keep', more: 1 }])
      expectProblem(await owner.post(`${feedsPath}/${feed.id}/decision`, body), 400, 'validation-error')
  })

  test('needs the organization and permission to write', async () => {
    const { feed, unitId } = await emptied()
    const path = `${feedsPath}/${feed.id}/decision`
    const body = { decision: 'accept' }
    expectProblem(await (await world.away.as('owner')).post(path, body), 404, 'not-found')
    expectProblem(await (await world.home.as('viewer')).post(path, body), 403, 'forbidden')
    expectProblem(await world.caller(null).post(path, body), 401, 'unauthorized')
    assert.deepEqual(await imports.blocked(unitId), roomOn(5, 6, 7, 8))
  })
})
