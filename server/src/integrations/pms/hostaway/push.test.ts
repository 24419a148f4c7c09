import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  day,
  deliver,
  openHostawayAccount,
  updateOf,
  rate,
  run,
  took,
  writes,
  type HostawayAccount,
} from '#test/hostaway-account.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { UnitUpdate } from '../pms.ts'

let account: HostawayAccount
before(async () => {
  account = await openHostawayAccount()
  await account.connection.checkAccess({})
})
after(() => account.close())

const column = async (id: number, to: number, name: string) =>
  (await account.nights(id, day(0), day(to))).map((night) => night[name])
const send = (one: UnitUpdate) => account.sentBy(() => deliver(account.connection, one))

describe('many updates', () => {
  test('what closes goes first, then the other calendars, then contents', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => account.addListing()))
    const [one, two, three] = ids as [number, number, number]
    const closed = [{ ...run(0, 0), available: 0 }]
    const cheap = [rate(0, 0, { price_cents: 1 })]
    const { calls } = await account.sentBy(() =>
      account.connection.push(
        [
          updateOf(one, { rates: cheap, changedFields: ['name'] }),
          updateOf(two, { rates: cheap }),
          updateOf(three, { rooms: closed }),
        ],
        {},
      ),
    )
    const order = writes(calls).map(({ path }) => path)
    assert.equal(order[0], `/v1/listings/${three}/calendarIntervals`)
    assert.equal(order.at(-1), `/v1/listings/${one}`)
    assert.equal(order.length, 4)
  })

  test('one that fails leaves the others alone', async () => {
    const good = await account.addListing()
    const bad = await account.addListing()
    await account.fault({ mode: 'refuse', status: 500, external_id: String(bad), times: 1 })
    const rates = [rate(0, 0, { price_cents: 1 })]
    const updates = [bad, good, 999_999, 'x/..'].map((id) => updateOf(id, { rates }))
    const deliveries = await account.connection.push(updates, {})
    const codes = updates.map(({ id }) => deliveries.get(id)?.failure?.code ?? null)
    assert.deepEqual(codes, ['pms_unavailable', null, 'mapping_not_found', 'mapping_not_found'])
    assert.deepEqual(await column(bad, 0, 'price'), [211.62])
    assert.deepEqual(deliveries.get(updates[2]!.id)?.acceptedRates, [])
  })

  test('a rejected price or stay does not keep nights open', async () => {
    const id = await account.addListing()
    const impossible = rate(5, 5, { min_stay_arrival: -1 })
    const cheap = Array.from({ length: 200 }, (_, at) => rate(10 + at, 10 + at, { price_cents: 100 + at }))
    const rooms = [0, 2, 300].map((night) => ({ ...run(night, night), available: 0 }))
    const { result, calls } = await send(
      updateOf(id, { rooms, rates: [rate(0, 0, { price_cents: 1 }), impossible, ...cheap] }),
    )
    assert.equal(result.failure?.code, 'validation_rejected')
    assert.deepEqual(result.acceptedRates, [])
    assert.deepEqual(await column(id, 2, 'isAvailable'), [0, 1, 0])
    assert.deepEqual(
      (await account.nights(id, day(300), day(300))).map((night) => night['isAvailable']),
      [0],
    )
    assert.equal(writes(calls).length, 2)
  })

  test('a rate limiter that holds back ends the push for all that are left', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => account.addListing()))
    const held = new PmsFailure('rate_limited', 'Wait.', { hint: 'Wait.', isThrottledLocally: true })
    let passed = 0
    const rateLimiter = {
      async acquire() {
        if (passed >= 5) throw held
        passed += 1
      },
      recordResponse() {},
      recordFailure() {},
    }
    const { result, calls } = await account.sentBy(() =>
      account.connection.push(
        ids.map((id) => updateOf(id, { rates: [rate(0, 0, { price_cents: 1 })] })),
        { rateLimiter },
      ),
    )
    assert.equal(calls.length, 5)
    const codes = [...result.values()].map(({ failure }) => failure?.code ?? null)
    assert.equal(codes.filter((code) => code === null).length, 5)
    assert.deepEqual(
      [...result.values()].filter(({ failure }) => failure).map(({ failure }) => failure?.isThrottledLocally),
      [true, true, true],
    )
  })

  test('after a 429 no other unit is sent, and only one update was refused', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => account.addListing()))
    await account.fault({ mode: 'rate_limit', limit: 4, window_ms: 60_000 })
    const { result, calls } = await account.sentBy(() =>
      account.connection.push(
        ids.map((id) => updateOf(id, { rates: [rate(0, 0, { price_cents: 1 })] })),
        {},
      ),
    )
    await account.control('DELETE', 'faults')
    assert.ok(calls.length <= 8, `${calls.length} calls`)
    const failures = [...result.values()].flatMap(({ failure }) => failure ?? [])
    assert.equal(failures.length, 8)
    assert.ok(failures.every(({ code, retryAfter }) => code === 'rate_limited' && retryAfter))
    assert.equal(failures.filter(({ isThrottledLocally }) => !isThrottledLocally).length, calls.length - 4)
  })

  test('four calls are under way at any time', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => account.addListing()))
    let under = 0
    let most = 0
    const rateLimiter = {
      async acquire() {
        under += 1
        most = Math.max(most, under)
      },
      recordResponse: () => void (under -= 1),
      recordFailure() {},
    }
    await account.connection.push(
      ids.map((id) => updateOf(id, { rates: [rate(0, 0, { price_cents: 1 })] })),
      { rateLimiter },
    )
    assert.equal(most, 4)
  })

  test('twenty new listings with rooms are looked up with one call', async () => {
    await using other = await openHostawayAccount()
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, n) => other.addListing({ units: 1 + (n % 2) })),
    )
    await other.connection.checkAccess({})
    const rooms = [{ ...run(0, 0), available: 2 }]
    const { calls } = await other.sentBy(() =>
      other.connection.push(
        ids.map((id) => updateOf(id, { rooms })),
        {},
      ),
    )
    assert.equal(calls.length, 21)
  })
})

describe('the content', () => {
  test('sends only what differs', async () => {
    const id = await account.addListing()
    const { result, calls } = await send(
      updateOf(id, { changedFields: ['name', 'bathrooms', 'open', 'type'] }),
    )
    assert.deepEqual(took(result), {
      contentAccepted: true,
      acceptedRooms: [],
      acceptedRates: [],
      failure: null,
    })
    assert.deepEqual(
      calls.map(({ method, path, body }) => [method, path, body]),
      [['PUT', `/v1/listings/${id}`, { name: 'Casa Verde', bathroomsNumber: 1.5 }]],
    )
  })

  test('the whole of it, repeated, keeps the listing and its number', async () => {
    const id = await account.addListing({ state: 'Toscana' })
    const { count } = (await account.call('GET', '/listings?limit=1')).body
    for (const _ of [1, 2]) {
      const { result, calls } = await send(updateOf(id, { changedFields: 'all' }))
      assert.equal(result.failure, null)
      assert.equal(calls.length, 1)
    }
    const { result: listing } = (await account.call('GET', `/listings/${id}`)).body
    const shown = Object.fromEntries(
      ['id', 'name', 'address', 'city', 'state', 'zipcode', 'countryCode', 'timeZoneName', 'price'].map(
        (name) => [name, listing[name]],
      ),
    )
    assert.deepEqual(shown, {
      id,
      name: 'Casa Verde',
      address: 'Rua Nova 7',
      city: 'Porto',
      state: '',
      zipcode: '4000-001',
      countryCode: 'PT',
      timeZoneName: 'Europe/Lisbon',
      price: 120.5,
    })
    assert.equal((await account.call('GET', '/listings?limit=1')).body.count, count)
  })

  test('what does not differ for Hostaway needs no call', async () => {
    const id = await account.addListing()
    const { result, calls } = await send(updateOf(id, { changedFields: ['type', 'quantity', 'open'] }))
    assert.deepEqual([result.contentAccepted, calls.length], [true, 0])
  })

  test('an archived listing is a conflict that says what to do', async () => {
    const id = await account.addListing({ specialStatus: 'archived' })
    const { result } = await send(
      updateOf(id, { rates: [rate(0, 0, { price_cents: 1 })], changedFields: 'all' }),
    )
    assert.deepEqual(took(result), {
      contentAccepted: false,
      acceptedRooms: [],
      acceptedRates: [],
      failure: 'conflict',
    })
    assert.match(result.failure!.message, /archived at Hostaway/)
    assert.match(result.failure!.hint, /unlink/)
    assert.equal(result.failure!.retryable, false)
  })

  test('a rate of a plan that is not the listing itself is not sent', async () => {
    const id = await account.addListing()
    const plans = [{ plan: 'plan', externalId: 'standard' }]
    const { result, calls } = await send(updateOf(id, { plans, rates: [rate(0, 0, { price_cents: 1 })] }))
    assert.deepEqual([result.failure?.code, calls.length], ['mapping_not_found', 0])
  })
})
