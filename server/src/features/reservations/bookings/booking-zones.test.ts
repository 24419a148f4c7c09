import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { dateOf, nightOf } from '#schema/nights.ts'
import { callerFor, type TestCaller } from '#test/caller.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { startTestProcess } from '#test/test-process.ts'
import { addBooking, addSpace, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

// Nights are local dates of the space, also when clocks change, and for any time zone of the process.

const { world, owner } = shareWorld()

const path = '/api/v1/bookings'
const zones: [zone: string, arrival: string, departure: string, checkIn: string, checkOut: string][] = [
  ['America/New_York', '2030-03-09', '2030-03-11', '2030-03-09T20:00:00.000Z', '2030-03-11T15:00:00.000Z'],
  ['America/New_York', '2030-11-02', '2030-11-04', '2030-11-02T19:00:00.000Z', '2030-11-04T16:00:00.000Z'],
  ['Pacific/Auckland', '2030-04-06', '2030-04-08', '2030-04-06T02:00:00.000Z', '2030-04-07T23:00:00.000Z'],
  ['Pacific/Auckland', '2030-09-28', '2030-09-30', '2030-09-28T03:00:00.000Z', '2030-09-29T22:00:00.000Z'],
  ['Asia/Kathmandu', '2030-01-31', '2030-02-02', '2030-01-31T09:15:00.000Z', '2030-02-02T05:15:00.000Z'],
  // Clocks change at midnight, so that a day begins at one, or has two midnights.
  ['America/Santiago', '2030-09-07', '2030-09-09', '2030-09-07T19:00:00.000Z', '2030-09-09T14:00:00.000Z'],
  ['America/Santiago', '2030-04-06', '2030-04-08', '2030-04-06T18:00:00.000Z', '2030-04-08T15:00:00.000Z'],
  ['Pacific/Apia', '2030-12-30', '2031-01-01', '2030-12-30T02:00:00.000Z', '2030-12-31T22:00:00.000Z'],
]

const inZone = async (timezone: string, fields: object = {}) =>
  addUnit(owner, { space_id: (await addSpace(owner, { timezone })).id, ...fields })

/** The same requests to a process in one time zone. */
async function askAll(caller: TestCaller) {
  for (const [timezone, arrival, departure, checkIn, checkOut] of zones) {
    const unit = await inZone(timezone)
    const byDay = await addBooking(caller, { unitId: unit.id, checkIn: arrival, checkOut: departure })
    assert.deepEqual([byDay.checkIn, byDay.checkOut, byDay.nights], [checkIn, checkOut, 2], timezone)
    await caller.delete(`${path}/${byDay.id}`)
    const byTime = await addBooking(caller, { unitId: unit.id, checkIn, checkOut })
    assert.deepEqual([byTime.arrival, byTime.departure, byTime.nights], [arrival, departure, 2], timezone)
    const touching = {
      unitId: unit.id,
      guestName: 'Next',
      checkIn: departure,
      checkOut: dateOf(nightOf(departure) + 2),
    }
    expectStatus(await caller.post(path, touching), 201)
    const query = `unit_id=${unit.id}&from=${arrival}&to=${departure}`
    const { calendar } = expectStatus(await caller.get(`/api/v1/calendar?${query}`), 200)
    assert.deepEqual(
      calendar[0].availability.map((range: { booked: number }) => range.booked),
      [1],
      `${timezone}: each night is taken once`,
    )
  }
}

suite('bookings: local nights of the space', () => {
  for (const TZ of ['UTC', 'Pacific/Apia', 'America/Santiago'])
    test(`are correct with clock changes, in a process in ${TZ}`, async () => {
      const { config } = world
      await using api = await startTestProcess('api', {
        TZ,
        PORT: '0',
        HOST: '127.0.0.1',
        DATABASE_URL: config.database.url,
        OIDC_ISSUER: config.identity.issuer,
        OIDC_AUDIENCE: config.identity.audience,
        SECRET_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
        GENERIC_PMS_URL: world.pms.url,
        ALLOW_PRIVATE_ADDRESSES: 'true',
        RATE_LIMITS: 'false',
        LOG_LEVEL: 'silent',
      })
      await askAll(callerFor(api.facts.url!, owner.token))
    })

  test('uses the local date of the space around midnight, not that of UTC', async () => {
    const unit = await inZone('Pacific/Auckland')
    // 23:30 and 00:30 of the same night in Auckland, where it is 12 hours later than in UTC.
    const late = { unitId: unit.id, checkIn: '2030-07-01T11:30:00Z', checkOut: '2030-07-01T12:30:00Z' }
    const booking = await addBooking(owner, late)
    assert.deepEqual([booking.arrival, booking.departure, booking.nights], ['2030-07-01', '2030-07-02', 1])
    const sameDay = {
      ...late,
      guestName: 'X',
      checkIn: '2030-07-01T12:30:00Z',
      checkOut: '2030-07-02T11:30:00Z',
    }
    expectProblem(await owner.post(path, sameDay), 422, 'semantic-error', '/checkOut')
    const offset = {
      unitId: unit.id,
      checkIn: '2030-07-03T00:30:00+12:00',
      checkOut: '2030-07-04T00:30:00+12:00',
    }
    assert.deepEqual((await addBooking(owner, offset)).arrival, '2030-07-03')
  })

  test('rejects a stay outside of the supported dates, local or UTC', async () => {
    const unit = await inZone('America/New_York')
    const refused = async (checkIn: string, checkOut: string, pointer: string) =>
      expectProblem(
        await owner.post(path, { unitId: unit.id, guestName: 'X', checkIn, checkOut }),
        422,
        'semantic-error',
        pointer,
      )
    await refused('1970-01-01T00:30:00+14:00', '1970-01-03', '/checkIn')
    await refused('1970-01-01T00:30:00Z', '1970-01-03', '/checkIn')
    await refused('2200-12-30', '2200-12-31T22:30:00-05:00', '/checkOut')
    const importer = await world.home.as('service', { permissions: ['bookings:import', 'bookings:write'] })
    await addBooking(importer, { unitId: unit.id, checkIn: '1970-01-01', checkOut: '1970-01-02' })
  })

  test('a stay that moves to another zone keeps its local days and hours', async () => {
    const [from, to] = [await inZone('Asia/Kathmandu'), await inZone('America/New_York')]
    const { id } = await addBooking(owner, { unitId: from.id })
    const { booking } = expectStatus(await owner.patch(`${path}/${id}`, { unitId: to.id }), 200)
    assert.deepEqual(
      [booking.arrival, booking.departure, booking.checkIn, booking.checkOut, booking.spaceId],
      ['2030-07-01', '2030-07-04', '2030-07-01T19:00:00.000Z', '2030-07-04T15:00:00.000Z', to.space_id],
    )
  })
})

suite('bookings: a time zone that changes', () => {
  const localStay = { arrival: '2030-07-01', departure: '2030-07-04' }
  const inTokyo = { checkIn: '2030-07-01T06:00:00.000Z', checkOut: '2030-07-04T02:00:00.000Z' }
  const inHonolulu = { checkIn: '2030-07-02T01:00:00.000Z', checkOut: '2030-07-04T21:00:00.000Z' }
  const read = async (id: string) => expectStatus(await owner.get(`${path}/${id}`), 200).booking
  const assertStay = (booking: Record<string, unknown>, times: object) => {
    const { arrival, departure, checkIn, checkOut } = booking
    assert.deepEqual({ arrival, departure, checkIn, checkOut }, { ...localStay, ...times })
  }

  test('of a space: keeps local days and hours, so that a booking can be written back as it was read', async () => {
    const unit = await inZone('Asia/Tokyo')
    const { id } = await addBooking(owner, { unitId: unit.id })
    const before = await owner.get(`${path}/${id}`)
    assertStay(before.body.booking, inTokyo)
    const zone = { timezone: 'Pacific/Honolulu' }
    expectStatus(await owner.patch(`/api/v1/spaces/${unit.space_id}`, zone), 200)
    assertStay(await read(id), inHonolulu)
    const written = await owner.put(`${path}/${id}`, await read(id))
    assertStay(expectStatus(written, 200).booking, inHonolulu)
    const etag = { 'if-match': before.headers.get('etag')! }
    assert.equal((await owner.put(`${path}/${id}`, before.body.booking, etag)).status, 412)
  })

  test('because its unit moves to another space: does the same', async () => {
    const [unit, { space_id }] = [await inZone('Asia/Tokyo'), await inZone('Pacific/Honolulu')]
    const { id } = await addBooking(owner, { unitId: unit.id })
    expectStatus(await owner.patch(`/api/v1/units/${unit.id}`, { space_id }), 200)
    assertStay(await read(id), inHonolulu)
  })
})

suite('bookings: lists', () => {
  test('are filtered by days of the space and by points in time, sorted and paged', async () => {
    const unit = await inZone('Pacific/Auckland', { quantity: 5 })
    const days = ['2030-05-03', '2030-05-01', '2030-05-02']
    for (const [at, checkIn] of days.entries())
      await addBooking(owner, {
        unitId: unit.id,
        checkIn,
        checkOut: '2030-05-10',
        guestName: `Rosa ${at}`,
        status: at ? 'pending' : 'confirmed',
        source: at ? 'api' : 'manual',
      })
    const arrivals = async (query: string) => {
      const { bookings } = expectStatus(await owner.get(`${path}?unit_id=${unit.id}&${query}`), 200)
      return bookings.map(({ arrival }: { arrival: string }) => arrival)
    }
    assert.deepEqual(await arrivals('sort=check_in'), days.toSorted())
    assert.deepEqual(await arrivals('sort=-check_in'), days.toSorted().reverse())
    assert.deepEqual(await arrivals(''), days)
    assert.deepEqual(await arrivals('check_in_from=2030-05-02&sort=check_in'), ['2030-05-02', '2030-05-03'])
    assert.deepEqual(await arrivals('check_in_to=2030-05-02&sort=check_in'), ['2030-05-01', '2030-05-02'])
    assert.deepEqual(await arrivals('check_in_from=2030-05-03T03:00:00Z'), ['2030-05-03'])
    assert.deepEqual(await arrivals('check_in_from=2030-05-03T03:00:01Z'), [])
    assert.deepEqual(await arrivals('check_out_from=2030-05-11'), [])
    assert.deepEqual(await arrivals('check_out_to=2030-05-10&status=confirmed'), ['2030-05-03'])
    assert.deepEqual(await arrivals('source=manual'), ['2030-05-03'])
    assert.deepEqual(await arrivals('q=ROSA%202'), ['2030-05-02'])
    assert.deepEqual(await arrivals('q=%25'), [])
    assert.deepEqual(await arrivals(`space_id=${unit.space_id}&account_id=${world.home.accountId}&limit=1`), [
      '2030-05-03',
    ])
    assert.deepEqual(await arrivals(`org_id=${world.away.id}`), [])
    assert.deepEqual(await arrivals('updated_since=2100-01-01T00:00:00Z'), [])
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const reply = await owner.get(
        `${path}?unit_id=${unit.id}&sort=check_in&limit=1${cursor && `&cursor=${cursor}`}`,
      )
      seen.push(...reply.body.bookings.map(({ arrival }: { arrival: string }) => arrival))
      cursor = reply.body.next_cursor as string | null
    }
    assert.deepEqual(seen, days.toSorted())
    expectProblem(await owner.get(`${path}?check_in_from=tomorrow`), 400, 'validation-error')
  })
})
