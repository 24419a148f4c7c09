import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { feedsPath, openImports, roomOn } from '#test/calendar-imports.ts'
import { calendarOf, openCalendarServer } from '#test/calendars.ts'
import { inDays } from '#test/local-days.ts'
import { expectStatus } from '#test/expect.ts'
import { addUnit } from '#test/records.ts'
import { until } from '#test/linked-units.ts'
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

suite('calendar import: errors', () => {
  test('keeps the last nights of an unreadable calendar, and reports the reason', async () => {
    const { id: unit_id } = await addUnit(owner)
    const url = elsewhere.serve('/bad.ics', calendarOf([inDays(5), inDays(6)]))
    const feed = await imports.fetched(await imports.add({ unit_id, url }))
    const wrong: [Parameters<typeof elsewhere.serve>[1], RegExp][] = [
      ['<!doctype html><title>Sign in</title>', /is not a (valid )?calendar/],
      ['', /is not a (valid )?calendar/],
      [calendarOf([inDays(7), inDays(8)]).slice(0, -20), /is not a valid calendar/],
      [{ status: 404, body: 'none' }, /There is no calendar at the address \(404\)/],
      [{ status: 403, body: '' }, /refuses access/],
      [{ status: 500, body: 'oops' }, /responded with status 500/],
      [{ status: 302, body: '' }, /redirects to an invalid location/],
      [{ status: 302, headers: { location: 'file:///etc/passwd' }, body: '' }, /must begin with https:/],
      [{ status: 302, headers: { location: 'http://169.254.169.254/latest/' }, body: '' }, /never called/],
      [{ body: Buffer.alloc(10 * 1_048_576, 'X') }, /larger than 5 MiB/],
      [
        calendarOf([inDays(7), inDays(8)]).replace('SUMMARY', 'RRULE:FREQ=SECONDLY;INTERVAL=1\r\nSUMMARY'),
        /repeats too often/,
      ],
    ]
    for (const [answer, message] of wrong) {
      elsewhere.serve('/bad.ics', answer)
      const failed = await imports.again(feed)
      assert.equal(failed.status, 'error')
      assert.match(failed.error_message!, message)
      assert.ok(!failed.error_message!.includes('/bad.ics'))
      assert.deepEqual(await imports.blocked(unit_id), roomOn(5))
    }
    elsewhere.serve('/bad.ics', calendarOf([inDays(5), inDays(6)], [inDays(7), inDays(8)]))
    const well = await imports.again(feed)
    assert.deepEqual([well.status, well.error_message], ['active', null])
    assert.deepEqual(await imports.blocked(unit_id), roomOn(5, 7))
  })

  test('raises an alert and sends a mail when it fails again, until it can be read', async () => {
    const preferences = { emails: ['office@casa.example'] }
    expectStatus(await owner.put('/api/v1/notification-preferences', preferences), 200)
    const mails = async (): Promise<object[]> =>
      expectStatus(await owner.get('/api/v1/notifications?kind=calendar_feed.error'), 200).notifications
    const { id: unit_id } = await addUnit(owner)
    const url = elsewhere.serve('/away.ics', { status: 404, body: '' })
    const openAlerts = async () => {
      const query = `unit_id=${unit_id}&kind=calendar_feed.error&status=open`
      return expectStatus(await owner.get(`/api/v1/alerts?${query}`), 200).alerts as { message: string }[]
    }
    const fetchAgain = async ({ id }: { id: string }) => {
      const before = await imports.read({ id })
      expectStatus(await owner.post(`${feedsPath}/${id}/fetch`), 201)
      await imports.fetched(before)
    }
    const feed = await imports.fetched(await imports.add({ unit_id, url }))
    assert.deepEqual(await openAlerts(), [])
    await fetchAgain(feed)
    const [alert] = await openAlerts()
    assert.match(alert!.message, /There is no calendar at the address \(404\)/)
    await fetchAgain(feed)
    assert.equal((await until(mails, (found) => found.length > 0)).length, 1)
    elsewhere.serve('/away.ics', calendarOf([inDays(5), inDays(6)]))
    await fetchAgain(feed)
    assert.deepEqual(await openAlerts(), [])
    elsewhere.serve('/away.ics', { status: 404, body: '' })
    await fetchAgain(feed)
    await fetchAgain(feed)
    assert.equal((await openAlerts()).length, 1)
    expectStatus(await owner.delete(`${feedsPath}/${feed.id}`), 204)
    assert.deepEqual(await openAlerts(), [])
  })

  test('reports an unreachable address', async () => {
    const { id: unit_id } = await addUnit(owner)
    const gone = await openCalendarServer()
    await gone.close()
    const feed = await imports.fetched(await imports.add({ unit_id, url: `${gone.url}/x.ics` }))
    assert.deepEqual([feed.status, feed.error_message], ['error', 'The address cannot be reached.'])
  })

  test('skips deleted and inactive feeds', async () => {
    const { id: unit_id } = await addUnit(owner)
    const url = elsewhere.serve('/late.ics', calendarOf([inDays(5), inDays(6)]))
    const feeds = await Promise.all([imports.add({ unit_id, url }), imports.add({ unit_id, url })])
    await Promise.all([
      owner.delete(`${feedsPath}/${feeds[0].id}`),
      owner.patch(`${feedsPath}/${feeds[1].id}`, { status: 'inactive' }),
    ])
    await world.settled()
    assert.equal((await imports.read(feeds[1])).status, 'inactive')
    assert.equal((await owner.get(`${feedsPath}/${feeds[0].id}`)).status, 404)
    const left = await imports.blocked(unit_id)
    assert.ok(
      Object.values(left).every((rooms) => rooms === 1),
      JSON.stringify(left),
    )
  })
})

suite('calendar import: a unit that changes', () => {
  test('is read again at once when there are more rooms or another time zone', async () => {
    const unit = await addUnit(owner)
    const url = elsewhere.serve('/rooms.ics', calendarOf([inDays(5), inDays(6)], [inDays(5), inDays(6)]))
    const feed = await imports.fetched(await imports.add({ unit_id: unit.id, url }))
    assert.deepEqual(Object.values(await imports.blocked(unit.id)), [1])
    expectStatus(await owner.patch(`/api/v1/units/${unit.id}`, { quantity: 3 }), 200)
    await fetchDueCalendars(world.resources)
    const again = await imports.fetched(feed)
    assert.deepEqual(Object.values(await imports.blocked(unit.id)), [2])
    const zone = { timezone: 'Pacific/Auckland' }
    expectStatus(await owner.patch(`/api/v1/spaces/${unit.space_id}`, zone), 200)
    await fetchDueCalendars(world.resources)
    await imports.fetched(again)
  })
})
