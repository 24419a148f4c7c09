import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { expectProblem, expectStatus, ids } from '#test/expect.ts'
import { addBooking, addPlan, addQuote, addSpace, addTarget, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

// Bookings are filtered and sorted by the names of their fields, in their own spelling and in snake_case.

const { world, owner } = shareWorld()
/** The booking that every filter below finds, and one that none of them finds. */
let ada: Record<string, unknown> & { id: string }
let bob: typeof ada
let filters: [camel: string, snake: string, value: unknown][]

const path = '/api/v1/bookings'
const find = async (query: string, caller = owner) =>
  ids(expectStatus(await caller.get(`${path}?${query}`), 200).bookings)
const parameter = (name: string, value: unknown) => `${name}=${encodeURIComponent(String(value))}`

before(async () => {
  const [unit, other, target] = [await addUnit(owner), await addUnit(owner), await addTarget(owner)]
  const plan = await addPlan(owner, { unit_id: unit.id })
  const stay = { check_in: '2030-07-01', check_out: '2030-07-04', guests: 1, rate_plan_id: plan.id }
  const quote = await addQuote(owner, { unit_id: unit.id, ...stay })
  const guest = { guestEmail: 'Ada@Example.com', guestPhone: '+351 21 000-0001' }
  const days = { checkIn: stay.check_in, checkOut: stay.check_out }
  const sold = { unitId: unit.id, ratePlanId: plan.id, quoteId: quote.id }
  ada = await addBooking(owner, { ...sold, ...days, ...guest })
  bob = await addBooking(owner, { unitId: other.id, checkIn: '2031-07-01', checkOut: '2031-07-04' })
  await world.resources.database.pipelined({ orgId: world.home.id }, [
    sql`update bookings set channel_target_id = ${target.id}, external_id = 'PMS/1' where id = ${ada.id}`,
  ])
  const cancelled = { status: 'cancelled', cancellationReason: 'host' }
  expectStatus(await owner.patch(`${path}/${ada.id}`, cancelled), 200)
  filters = [
    ['unitId', 'unit_id', unit.id],
    ['spaceId', 'space_id', unit.space_id],
    ['ratePlanId', 'rate_plan_id', plan.id],
    ['quoteId', 'quote_id', quote.id],
    ['channelTargetId', 'channel_target_id', target.id],
    ['externalId', 'external_id', 'PMS/1'],
    ['guestEmail', 'guest_email', 'ada@EXAMPLE.com'],
    ['guestPhone', 'guest_phone', '+351210000001'],
    ['cancellationReason', 'cancellation_reason', 'host'],
    ['status', 'status', 'cancelled'],
    ['arrival', 'arrival', '2030-07-01'],
    ['departure', 'departure', '2030-07-04'],
    ['checkInTo', 'check_in_to', '2030-12-31'],
    ['checkOutTo', 'check_out_to', '2030-12-31'],
  ]
})

suite('bookings: filters', () => {
  test('each filter works in both spellings', async () => {
    assert.deepEqual(await find(''), [ada.id, bob.id])
    for (const [camel, snake, value] of filters)
      for (const name of new Set([camel, snake])) {
        const query = parameter(name, value)
        assert.deepEqual(await find(query), [ada.id], query)
      }
    for (const name of ['checkInFrom', 'check_in_from', 'checkOutFrom', 'check_out_from', 'updatedSince'])
      assert.deepEqual(
        await find(parameter(name, '2031-07-01T00:00:00Z')),
        name[0] === 'u' ? [] : [bob.id],
        name,
      )
  })

  test('several values in either spelling match any of them', async () => {
    const both = [ada, bob].map(({ unitId }) => unitId)
    for (const name of ['unitId', 'unit_id'])
      assert.deepEqual(await find(both.map((id) => parameter(name, id)).join('&')), [ada.id, bob.id])
    assert.deepEqual(await find('status=cancelled&status=confirmed'), [ada.id, bob.id])
    assert.deepEqual(await find(`status=cancelled&status=confirmed&unitId=${String(bob['unitId'])}`), [
      bob.id,
    ])
    assert.deepEqual(await find('guestEmail=x@y.zz&guestEmail=ada@example.com'), [ada.id])
  })

  test('sorts in both spellings, page by page', async () => {
    for (const [camel, snake, first] of [
      ['checkIn', 'check_in', ada],
      ['-checkIn', '-check_in', bob],
      ['createdAt', 'created_at', ada],
      ['-updatedAt', '-updated_at', ada],
    ] as const)
      for (const sort of [camel, snake]) {
        const page = expectStatus(await owner.get(`${path}?sort=${sort}&limit=1`), 200)
        assert.deepEqual(ids(page.bookings), [first.id], sort)
        // The other spelling is the same list, so that its cursor goes on.
        const next = await find(`sort=${sort === camel ? snake : camel}&cursor=${page.next_cursor}`)
        assert.deepEqual(next, [first === ada ? bob.id : ada.id], sort)
      }
  })

  test('unpaid finds unpaid bookings, for readers of payments only', async () => {
    const unitId = String(bob['unitId'])
    const priced = await addBooking(owner, {
      ...{ unitId, checkIn: '2032-07-01', checkOut: '2032-07-04', totalCents: 9_000 },
    })
    assert.deepEqual(await find('unpaid=true'), [priced.id])
    assert.deepEqual(await find(`unpaid=false&unitId=${unitId}`), [bob.id])
    expectProblem(await (await world.home.as('staff')).get(`${path}?unpaid=true`), 403, 'forbidden')
  })

  for (const [query, pointer] of [
    ['unitId=x', '/unitId'],
    ['unit_id=x', '/unit_id'],
    ['status=confirmed&status=eaten', '/status'],
    ['checkInFrom=yesterday', '/checkInFrom'],
    ['sort=check-in', '/sort'],
    ['unitIds=x', '/unitIds'],
    ['guestEmail=a%40b.co&guest_email=a%40b.co', '/guest_email'],
  ] as const)
    test(`rejects ${query}, naming it as it was sent`, async () => {
      expectProblem(await owner.get(`${path}?${query}`), 400, 'validation-error', pointer)
    })

  test('a reader without access to contact data cannot filter by it', async () => {
    const viewer = await world.home.as('viewer')
    assert.deepEqual(await find('unitId=' + String(ada['unitId']), viewer), [ada.id])
    for (const name of ['guestEmail', 'guest_email', 'guestPhone', 'guest_phone'])
      expectProblem(await viewer.get(`${path}?${name}=ada@example.com`), 403, 'forbidden')
    assert.deepEqual(await find('guestEmail=ada@example.com', await world.home.as('staff')), [ada.id])
  })
})

suite('bookings: filters by dates', () => {
  const stays: { id: string; checkIn: string; checkOut: string; arrival: string; departure: string }[] = []

  before(async () => {
    const days: [zone: string, checkIn: string, checkOut: string][] = [
      // On the day after that of UTC, and on the day before.
      ['Pacific/Kiritimati', '2032-03-01T10:30:00Z', '2032-03-05T10:30:00Z'],
      ['Pacific/Pago_Pago', '2032-03-03T10:30:00Z', '2032-03-06T10:30:00Z'],
      ['UTC', '2032-03-02', '2032-03-03'],
      ['UTC', '2032-02-20', '2032-03-05'],
      ['UTC', '2032-02-10', '2032-04-01'],
      ['UTC', '2032-03-10', '2032-05-10'],
    ]
    for (const [timezone, checkIn, checkOut] of days) {
      const unit = await addUnit(owner, { space_id: (await addSpace(owner, { timezone })).id })
      stays.push(await addBooking(owner, { unitId: unit.id, checkIn, checkOut }))
    }
  })

  const values = ['2032-03-01', '2032-03-02', '2032-03-03', '2032-03-05', '2032-03-06', '2032-04-01']
  values.push('2032-03-01T10:30:00.000Z', '2032-03-05T10:30:00.000Z', '2032-03-06T10:29:59.000Z')
  const isIn = (stay: (typeof stays)[number], name: string, value: string) => {
    const isDay = value.length === 10
    const [begin, end] = isDay ? [stay.arrival, stay.departure] : [stay.checkIn, stay.checkOut]
    const found = name.startsWith('check_in') ? begin : end
    return name.endsWith('from') ? found >= value : found <= value
  }
  for (const [first, second] of [
    ['check_in_from', 'check_in_to'],
    ['check_in_to', 'check_out_from'],
    ['check_in_from', 'check_out_to'],
    ['check_out_from', 'check_out_to'],
  ] as const)
    test(`${first} and ${second} find the stays of both, by days and by times in any zone`, async () => {
      for (const one of values)
        for (const other of values) {
          const expected = stays.filter((stay) => isIn(stay, first, one) && isIn(stay, second, other))
          const ofThisSuite = first === 'check_in_from' ? '' : '&check_in_from=2032-01-01'
          const query = `${first}=${one}&${second}=${other}${ofThisSuite}`
          assert.deepEqual((await find(query)).sort(), expected.map(({ id }) => id).sort(), query)
        }
    })
})
